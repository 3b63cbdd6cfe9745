//! Margins of the search, in one place: no condition in it holds a bare number.
//!
//! Depths are plies, margins centipawns. The values are of the usual size, not yet tuned.

/// Nodes between two looks at the clock and at the caller: about a millisecond.
pub const POLL_INTERVAL: u64 = 1024;

/// Aspiration windows are used from this depth on, and begin this wide on each side.
pub const ASPIRATION_DEPTH: i32 = 4;
pub const ASPIRATION_MARGIN: i32 = 16;
/// After failing high, the same depth less so many plies at most.
pub const ASPIRATION_LESS_DEPTH: i32 = 3;
/// A window that failed this wide is opened altogether.
pub const ASPIRATION_GIVE_UP: i32 = 600;

/// Reverse futility pruning: deepest node, and margin per ply.
pub const REVERSE_FUTILITY_DEPTH: i32 = 7;
pub const REVERSE_FUTILITY_MARGIN: i32 = 75;

/// Null move pruning: shallowest node, reduction, and the depth from which it is verified.
pub const NULL_MOVE_DEPTH: i32 = 3;
pub const NULL_MOVE_REDUCTION: i32 = 4;
pub const NULL_MOVE_DEPTH_DIVISOR: i32 = 4;
pub const NULL_MOVE_EVAL_DIVISOR: i32 = 200;
pub const NULL_MOVE_EVAL_MOST: i32 = 3;
pub const NULL_MOVE_VERIFY_DEPTH: i32 = 12;

/// Internal iterative reduction: shallowest node.
pub const INTERNAL_REDUCTION_DEPTH: i32 = 4;

/// Late move pruning: deepest node, and quiet moves tried at depth 0.
pub const LATE_MOVE_PRUNING_DEPTH: i32 = 6;
pub const LATE_MOVE_PRUNING_BASE: i32 = 4;

/// Futility pruning of quiet moves: deepest node, margin at depth 0, and per ply.
pub const FUTILITY_DEPTH: i32 = 6;
pub const FUTILITY_BASE: i32 = 90;
pub const FUTILITY_MARGIN: i32 = 80;

/// Pruning by static exchange: deepest node, what a quiet move may lose per ply, a capture per ply.
pub const EXCHANGE_DEPTH: i32 = 7;
pub const EXCHANGE_QUIET_MARGIN: i32 = 60;
pub const EXCHANGE_TACTICAL_MARGIN: i32 = 100;

/// Late move reductions: shallowest node, first move reduced, and the formula
/// `base + ln(depth) * ln(move number) / divisor`.
pub const REDUCTION_DEPTH: i32 = 3;
pub const REDUCTION_FIRST_MOVE: usize = 3;
pub const REDUCTION_BASE: f64 = 0.77;
pub const REDUCTION_DIVISOR: f64 = 2.4;
/// History worth one ply of reduction.
pub const REDUCTION_HISTORY: i32 = 10_000;

/// For captures and promotions the formula grows more slowly.
pub const TACTICAL_REDUCTION_BASE: f64 = 0.2;
pub const TACTICAL_REDUCTION_DIVISOR: f64 = 3.35;
/// Parts of a ply (1024) by which a move is reduced less or more.
pub const REDUCTION_LESS_ON_PV: i32 = 768;
pub const REDUCTION_LESS_IN_CHECK: i32 = 1024;
pub const REDUCTION_LESS_BY_CHECK: i32 = 1024;
pub const REDUCTION_LESS_IMPROVING: i32 = 768;
pub const REDUCTION_MORE_FOR_CUT: i32 = 1280;
pub const REDUCTION_MORE_AFTER_TACTICAL: i32 = 640;
/// A reduced move that beats the best by so much is searched one ply deeper.
pub const DEEPER_MARGIN: i32 = 60;
/// One that beats it by less is searched one ply shallower.
pub const SHALLOWER_MARGIN: i32 = 8;

/// History bonus of the move that reached beta, and malus of those tried before it: per ply of depth,
/// less the offset, and the most.
pub const HISTORY_BONUS: i32 = 170;
pub const HISTORY_BONUS_OFFSET: i32 = 90;
pub const HISTORY_BONUS_MOST: i32 = 1600;
/// What a centipawn of the victim is worth in the history of captures, when they are ordered.
pub const VICTIM_WEIGHT: i32 = 64;

/// History pruning: deepest node, and the margin per ply of depth.
pub const HISTORY_PRUNING_DEPTH: i32 = 5;
pub const HISTORY_PRUNING_MARGIN: i32 = 3500;

/// ProbCut: shallowest node, margin above beta, and reduction.
pub const PROBCUT_DEPTH: i32 = 5;
pub const PROBCUT_MARGIN: i32 = 200;
pub const PROBCUT_REDUCTION: i32 = 4;

/// Singular extension: shallowest node, how much shallower the table's search may be, and sixteenths of
/// a centipawn per ply of depth by which the others must be worse.
pub const SINGULAR_DEPTH: i32 = 7;
pub const SINGULAR_TABLE_DEPTH: i32 = 3;
pub const SINGULAR_MARGIN: i32 = 24;
/// Extension by two plies: margin beyond the other, and how many one line may have.
pub const DOUBLE_EXTENSION_MARGIN: i32 = 20;
pub const DOUBLE_EXTENSIONS_MOST: usize = 6;

/// Delta pruning in quiescence: what a capture may gain beyond the man it takes.
pub const DELTA_MARGIN: i32 = 180;

/// Near the fifty-move draw the table's scores, which know no clock, settle nothing.
pub const CLOCK_DISTRUST: u16 = 88;

/// A forced move is not thought about beyond this depth when the clock runs.
pub const FORCED_MOVE_DEPTH: i32 = 6;

/// Patience: factors on the time for a move, by iterations in a row with the same best move; by the
/// share of nodes that it took; and by the fall of the score, in centipawns, of which so many count.
pub const STABILITY_FACTORS: [f64; 7] = [1.6, 1.25, 1.05, 0.95, 0.9, 0.85, 0.8];
pub const SHARE_FACTOR_AT_NONE: f64 = 1.7;
pub const SHARE_FACTOR_SLOPE: f64 = 1.1;
pub const FALL_FACTOR: f64 = 0.4;
pub const FALL_MOST: i32 = 60;
pub const LEAST_PATIENCE: f64 = 0.4;
pub const MOST_PATIENCE: f64 = 2.5;
/// Before this depth the search knows too little to judge.
pub const PATIENCE_DEPTH: i32 = 6;
