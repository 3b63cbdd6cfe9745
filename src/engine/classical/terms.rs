//! The terms of the evaluation: one table that gives each its name and its place among the weights.

/// One term: a name and a run of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub name: &'static str,
    /// Index of its first weight.
    start: usize,
    /// How many weights it has: one for each rank, square, count or kind of man.
    pub len: usize,
}

impl Term {
    /// Index of one of its weights among all.
    pub const fn at(self, index: usize) -> usize {
        debug_assert!(index < self.len);
        self.start + index
    }

    /// Indexes of all its weights.
    pub fn weights(self) -> std::ops::Range<usize> {
        self.start..self.start + self.len
    }
}

/// Declares the terms, one after the other in the order of their weights.
macro_rules! terms {
    ($($(#[$doc:meta])* $term:ident: $name:literal, $len:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Place { $($term),* }

        const NAMES_AND_LENGTHS: &[(&str, usize)] = &[$(($name, $len)),*];

        $($(#[$doc])* pub const $term: Term = TERMS[Place::$term as usize];)*
    };
}

/// Every term, in the order of the weights.
pub const TERMS: [Term; NAMES_AND_LENGTHS.len()] = {
    let mut terms = [Term { name: "", start: 0, len: 0 }; NAMES_AND_LENGTHS.len()];
    let (mut i, mut start) = (0, 0);
    while i < terms.len() {
        let (name, len) = NAMES_AND_LENGTHS[i];
        terms[i] = Term { name, start, len };
        start += len;
        i += 1;
    }
    terms
};

/// How many weights there are.
pub const WEIGHT_COUNT: usize = {
    let last = TERMS[TERMS.len() - 1];
    last.start + last.len
};

terms! {
    /// Value of pawn, knight, bishop, rook, queen.
    MATERIAL: "material", 5;
    /// Squares of each kind of man, a1 first, as its own side sees the board.
    PAWN_SQUARES: "pawn squares", 64;
    KNIGHT_SQUARES: "knight squares", 64;
    BISHOP_SQUARES: "bishop squares", 64;
    ROOK_SQUARES: "rook squares", 64;
    QUEEN_SQUARES: "queen squares", 64;
    KING_SQUARES: "king squares", 64;

    /// A pawn behind another of its own on the same file.
    DOUBLED: "doubled pawns", 1;
    /// No own pawn on the files beside: with an enemy pawn ahead on its file, or with none.
    ISOLATED: "isolated pawns", 2;
    /// The square ahead is attacked by a pawn and no own pawn can come to help: as above.
    BACKWARD: "backward pawns", 2;
    /// Pawns side by side, by rank.
    PHALANX: "pawns side by side", 8;
    /// Pawns defended by pawns, by rank.
    SUPPORTED: "defended pawns", 8;
    /// No enemy pawn ahead on its own file and fewer ahead on the files beside than helpers, by rank.
    CANDIDATE: "candidate pawns", 8;
    /// No enemy pawn can stop or take it any more, by rank.
    PASSED: "passed pawns", 8;
    /// Passed and defended by a pawn, by rank.
    PASSED_SUPPORTED: "passed and defended", 8;
    /// Passed with a man on the square ahead, by rank.
    PASSED_BLOCKED: "passed and blocked", 8;
    /// Passed with nothing and no attack on its whole way, by rank.
    PASSED_FREE: "passed with a free way", 8;
    /// Passed beyond the middle: moves of the own king to the square ahead.
    PASSED_OWN_KING: "passed, own king's distance", 8;
    /// Passed beyond the middle: moves of the other king to the square ahead.
    PASSED_OTHER_KING: "passed, other king's distance", 8;
    /// Passed with an own rook behind.
    PASSED_ROOK: "passed, rook behind", 1;
    /// Passed, and the opponent has neither a piece nor a king near enough to stop it.
    UNSTOPPABLE: "unstoppable pawns", 1;

    /// Each own pawn on the colour of squares of a bishop.
    BISHOP_PAWNS: "pawns on the bishop's colour", 1;
    BISHOP_PAIR: "bishop pair", 1;
    /// Knight or bishop, defended by a pawn, where no enemy pawn can ever attack it.
    OUTPOST: "outposts", 2;
    /// No pawn on the rook's file, or none of its own.
    ROOK_FILE: "rooks on open files", 2;
    /// A rook on the seventh with pawns there or the king behind it.
    ROOK_SEVENTH: "rooks on the seventh", 1;

    /// Safe squares that the piece attacks.
    KNIGHT_MOBILITY: "knight mobility", 9;
    BISHOP_MOBILITY: "bishop mobility", 14;
    ROOK_MOBILITY: "rook mobility", 15;
    QUEEN_MOBILITY: "queen mobility", 28;

    /// Able to castle on one side, or on both.
    CAN_CASTLE: "able to castle", 2;
    /// Rank of the own pawn before the king, 0 for none: on the king's file, then on those beside.
    SHIELD: "pawn shield", 16;
    /// Rank of the enemy pawn before the king, 0 for none: free to advance, then blocked by the shield.
    STORM: "pawn storm", 16;
    /// Files at the king without a pawn.
    KING_OPEN_FILE: "open files at the king", 1;
    /// Attack on the king's ring, in units: see `king::danger`.
    KING_DANGER: "danger of the king", 48;

    /// Knight, bishop, rook, queen attacked by a pawn.
    THREAT_BY_PAWN: "threats by pawns", 4;
    /// Pawn, knight, bishop, rook, queen attacked by a knight or bishop.
    THREAT_BY_MINOR: "threats by minor pieces", 5;
    /// Pawn, knight, bishop, rook, queen attacked by a rook.
    THREAT_BY_ROOK: "threats by rooks", 5;
    /// Attacked and not defended.
    HANGING: "hanging men", 1;
    /// Pieces that a safe step of a pawn would attack.
    PUSH_THREAT: "threats of a pawn's step", 1;

    /// Against a bare king: nearness of the own king, that king's way from the centre and, with bishop
    /// and knight, its nearness to the corner where it can be mated.
    BARE_KING: "a bare king", 3;
    /// The right to move.
    TEMPO: "tempo", 1;
}
