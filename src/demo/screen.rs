//! What the demonstration prints: a board with the latest moves beside it.
//!
//! On a terminal the board is drawn anew in its place; elsewhere one is printed whenever the moves
//! beside the last one are all new.

use crate::bot::{FinishedGame, Report};
use crate::engine::{Color, Move, Piece, Position, Square, san};
use std::io::{self, IsTerminal, Stdout, Write};

/// Lines of moves beside a board.
const MOVES_BESIDE: usize = 8;

/// Lines that a board with the names of its files takes.
const BOARD_LINES: usize = 9;

/// Columns that a line may take: one more would wrap, and a wrapped board cannot be drawn over.
const TERMINAL_COLUMNS: usize = 79;
const PLAIN_COLUMNS: usize = 110;

pub struct Screen<W> {
    out: W,
    is_terminal: bool,
    we_are_white: bool,
    /// The latest moves with how they were found.
    beside: Vec<String>,
    position: Position,
    /// A board stands right above the cursor and can be drawn over.
    has_board: bool,
}

impl Screen<Stdout> {
    pub fn on_stdout() -> Screen<Stdout> {
        let out = io::stdout();
        let is_terminal = out.is_terminal();
        Screen::on(out, is_terminal)
    }
}

impl<W: Write> Screen<W> {
    fn on(out: W, is_terminal: bool) -> Screen<W> {
        Screen {
            out,
            is_terminal,
            we_are_white: true,
            beside: Vec::new(),
            position: Position::default(),
            has_board: false,
        }
    }

    pub fn line(&mut self, text: &str) -> io::Result<()> {
        self.has_board = false;
        writeln!(self.out, "{text}")?;
        self.out.flush()
    }

    pub fn heading(&mut self, text: &str) -> io::Result<()> {
        self.line(&format!("\n{text}\n"))
    }

    /// Shows what the service tells of a game.
    pub fn show(&mut self, report: &Report) -> io::Result<()> {
        match report {
            Report::Started { white, .. } => {
                self.we_are_white = *white;
                self.beside.clear();
                self.position = Position::default();
                Ok(())
            }
            Report::Moved { position, mv, source, .. } => self.moved(position, *mv, source),
            Report::OpponentMoved { position, mv, .. } => self.moved(position, *mv, ""),
            Report::Online { .. } | Report::Finished(_) => Ok(()),
        }
    }

    fn moved(&mut self, position: &Position, mv: Move, source: &str) -> io::Result<()> {
        let is_full = self.beside.len() == MOVES_BESIDE;
        if self.is_terminal && is_full {
            self.beside.remove(0);
        } else if is_full {
            self.beside.clear();
        }
        self.beside.push(move_line(position, mv, source));
        self.position = position.clone();
        if self.is_terminal || self.beside.len() == MOVES_BESIDE { self.draw() } else { Ok(()) }
    }

    pub fn finished(&mut self, game: &FinishedGame) -> io::Result<()> {
        let is_undrawn = !self.is_terminal && self.beside.len() < MOVES_BESIDE;
        if is_undrawn && !self.beside.is_empty() {
            self.draw()?;
        }
        self.line(&format!("{} – {}  {} ({})", game.white, game.black, game.result, game.status))
    }

    fn draw(&mut self) -> io::Result<()> {
        let columns = if self.is_terminal { TERMINAL_COLUMNS } else { PLAIN_COLUMNS };
        let picture = picture(&self.position, self.we_are_white, &self.beside, columns);
        if self.is_terminal && self.has_board {
            // Up to the board's first line, and clear from there.
            write!(self.out, "\x1b[{BOARD_LINES}A\x1b[J")?;
        }
        self.out.write_all(picture.as_bytes())?;
        if !self.is_terminal {
            writeln!(self.out)?;
        }
        self.has_board = true;
        self.out.flush()
    }

    /// The table of results, and the games as PGN.
    pub fn results(&mut self, games: &[FinishedGame]) -> io::Result<()> {
        self.line("\nResults\n")?;
        let width = |name: fn(&FinishedGame) -> &str| {
            games.iter().map(|game| name(game).chars().count()).max().unwrap_or(0)
        };
        let (white, black) = (width(|game| &game.white), width(|game| &game.black));
        for (number, game) in (1..).zip(games) {
            let moves = game.plies.div_ceil(2);
            self.line(&format!(
                "{number:>3}  {:<white$}  {:<black$}  {:<7}  {moves:>3} moves  {}",
                game.white, game.black, game.result, game.status
            ))?;
        }
        self.line("\nPGN\n")?;
        for game in games {
            self.line(&format!("{}\n", game.pgn.trim_end()))?;
        }
        Ok(())
    }

    /// How any bot can be pointed at the server.
    pub fn invitation(&mut self, url: &str, token: &str) -> io::Result<()> {
        self.line(&format!(
            "The practice Lichess stays up at {url} with the token {token}\n\
             A bot that is pointed at it is challenged whenever it has no game, for instance\n\
             \n    TABIYA_LICHESS__URL={url} LICHESS_BOT_TOKEN={token} tabiya\n\
             \nCtrl-C ends it.\n"
        ))
    }
}

/// `12. Nf3     search: depth 9, …`
fn move_line(after: &Position, mv: Move, source: &str) -> String {
    let mut before = after.clone();
    before.undo();
    let dots = if before.side_to_move() == Color::White { "." } else { "…" };
    let number = format!("{}{dots}", before.move_number());
    format!("{number:>4} {:<8} {source}", san(&before, mv)).trim_end().to_string()
}

/// The board from our side, with lines of text beside it.
fn picture(position: &Position, white_below: bool, beside: &[String], columns: usize) -> String {
    let ordered = |index: usize| if white_below { index } else { 7 - index };
    let mut text = String::new();
    for row in 0..8 {
        let rank = ordered(7 - row);
        let men: String = (0..8).map(|file| format!(" {}", glyph(position, ordered(file), rank))).collect();
        let line = format!("  {}{men}    {}", rank + 1, beside.get(row).map_or("", String::as_str));
        text.push_str(fitting(&line, columns).trim_end());
        text.push('\n');
    }
    let files: String = (0..8).map(|file| format!(" {}", (b'a' + ordered(file) as u8) as char)).collect();
    text + "   " + &files + "\n"
}

/// As many whole words as fit.
fn fitting(line: &str, columns: usize) -> &str {
    let Some((end, _)) = line.char_indices().nth(columns) else { return line };
    let (head, tail) = line.split_at(end);
    let whole =
        if tail.starts_with(' ') { head } else { head.rfind(' ').map_or(head, |space| &head[..space]) };
    whole.trim_end_matches(" pv").trim_end_matches(',')
}

fn glyph(position: &Position, file: usize, rank: usize) -> char {
    let square: Square = crate::engine::position::ALL_SQUARES[rank * 8 + file];
    let Some((color, piece)) = position.piece_on(square) else { return '·' };
    let [white, black] = match piece {
        Piece::King => ['♔', '♚'],
        Piece::Queen => ['♕', '♛'],
        Piece::Rook => ['♖', '♜'],
        Piece::Bishop => ['♗', '♝'],
        Piece::Knight => ['♘', '♞'],
        Piece::Pawn => ['♙', '♟'],
    };
    if color == Color::White { white } else { black }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> Position {
        Position::after("startpos", moves).expect("legal moves")
    }

    fn told(position: &Position, source: &str) -> Report {
        let id = "q7ZkTfLb".parse().expect("an id");
        let mv = position.last_move().expect("a move");
        Report::Moved { id, position: position.clone(), mv, source: source.to_string() }
    }

    #[test]
    fn a_board_is_drawn_from_our_side_with_the_moves_beside_it() {
        let beside = ["  1. e4       book: King's Pawn Game".to_string()];
        let white = "  8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜      1. e4       book: King's Pawn Game
  7 ♟ ♟ ♟ ♟ ♟ ♟ ♟ ♟
  6 · · · · · · · ·
  5 · · · · · · · ·
  4 · · · · ♙ · · ·
  3 · · · · · · · ·
  2 ♙ ♙ ♙ ♙ · ♙ ♙ ♙
  1 ♖ ♘ ♗ ♕ ♔ ♗ ♘ ♖
    a b c d e f g h
";
        assert_eq!(picture(&after("e2e4"), true, &beside, 79), white);
        let black = picture(&after("e2e4"), false, &[], 79);
        assert!(black.starts_with("  1 ♖ ♘ ♗ ♔ ♕ ♗ ♘ ♖\n"), "{black}");
        assert!(black.ends_with("  8 ♜ ♞ ♝ ♚ ♛ ♝ ♞ ♜\n    h g f e d c b a\n"), "{black}");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_word_is_cut() {
        for long in ["e2e4 ".repeat(40), "x".repeat(300), "ü".repeat(300)] {
            for line in picture(&after(""), true, &vec![long.clone(); 8], 79).lines() {
                assert!(line.chars().count() <= 79, "{line}");
                assert!(!line.contains("e2") || line.ends_with("e2e4"), "{line}");
            }
        }
    }

    #[test]
    fn what_is_cut_off_leaves_no_loose_end() {
        let line = "search: depth 9, +0.31, 812 knps, 0.1 s, pv e4 e5";
        for (columns, expected) in
            [(50, line), (46, &line[..46]), (43, &line[..39]), (40, &line[..39]), (38, &line[..37])]
        {
            assert_eq!(fitting(line, columns), expected, "in {columns} columns");
        }
    }

    #[test]
    fn moves_are_numbered_as_in_books() {
        for (moves, expected) in [
            ("e2e4", "  1. e4       why"),
            ("e2e4 e7e5", "  1… e5       why"),
            ("e2e4 e7e5 g1f3", "  2. Nf3      why"),
        ] {
            let position = after(moves);
            let line = move_line(&position, position.last_move().expect("a move"), "why");
            assert_eq!(line, expected, "{moves}");
        }
    }

    #[test]
    fn every_move_is_shown_once_where_nothing_can_be_drawn_over() {
        let mut screen = Screen::on(Vec::new(), false);
        let moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1h1 f8e7";
        let moves: Vec<&str> = moves.split(' ').collect();
        for plies in 1..=moves.len() {
            screen.show(&told(&after(&moves[..plies].join(" ")), "why")).expect("memory");
        }
        let text = String::from_utf8(screen.out).expect("UTF-8");
        assert_eq!(text.matches("a b c d e f g h").count(), 1, "a board for eight moves\n{text}");
        assert_eq!(text.matches("why").count(), 8, "{text}");
        assert!(!text.contains('\x1b'), "{text}");
    }

    #[test]
    fn a_terminal_shows_each_move_at_once_in_the_same_place() {
        let mut screen = Screen::on(Vec::new(), true);
        for moves in ["e2e4", "e2e4 e7e5"] {
            screen.show(&told(&after(moves), "")).expect("memory");
        }
        let text = String::from_utf8(screen.out).expect("UTF-8");
        assert_eq!(text.matches("a b c d e f g h").count(), 2, "{text}");
        assert_eq!(text.matches("\x1b[9A\x1b[J").count(), 1, "{text}");
    }
}
