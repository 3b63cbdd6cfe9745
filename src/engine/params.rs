//! Margins of the search, in one place: no condition in it holds a bare number.
//!
//! Depths are plies, margins centipawns. The values are round numbers of the usual size, not yet tuned.

/// Nodes between two looks at the clock and at the caller: about a millisecond.
pub const POLL_INTERVAL: u64 = 1024;

/// Aspiration windows are used from this depth on, and begin this wide on each side.
pub const ASPIRATION_DEPTH: i32 = 4;
pub const ASPIRATION_MARGIN: i32 = 16;
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
pub const REDUCTION_HISTORY: i32 = 8192;

/// History bonus: per ply of depth, less the offset, and the most.
pub const HISTORY_BONUS: i32 = 170;
pub const HISTORY_BONUS_OFFSET: i32 = 90;
pub const HISTORY_BONUS_MOST: i32 = 1600;

/// Delta pruning in quiescence: what a capture may gain beyond the man it takes.
pub const DELTA_MARGIN: i32 = 180;

/// Near the fifty-move draw the table's scores, which know no clock, settle nothing.
pub const CLOCK_DISTRUST: u16 = 88;

/// A forced move is not thought about beyond this depth when the clock runs.
pub const FORCED_MOVE_DEPTH: i32 = 6;
