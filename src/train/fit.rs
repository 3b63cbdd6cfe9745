//! Fits the classical weights to results of games: Texel's method, by gradient.
//!
//! The expected result of a position is a logistic curve over its evaluation; the loss is the cross
//! entropy between that and the result of the game. A pull towards the weights it began with stands
//! for what is known already: positions of one game share one result, and a fit that follows them too
//! closely plays worse.
//! Sources: the Chess Programming Wiki, "Texel's Tuning Method"; D. Kingma and J. Ba, "Adam", 2015.
//!
//! Everything is added up in a fixed order, so that the result is the same whatever the number of
//! threads.

use super::samples::{Head, Pair, Samples};
use crate::engine::classical::{WEIGHT_COUNT, WEIGHTS};
use std::fmt::Write;
use std::thread;

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    pub epochs: usize,
    /// Centipawns by which a weight may be expected to move: the smaller, the stronger the pull.
    pub deviation: f64,
    /// Neighbouring positions that tell as much as one would alone.
    pub redundancy: f64,
    /// Share of what a search saw, where it is known, in what is expected of a position; the rest is the
    /// result. The result is true but blind chance plays in it, the search is near and biased.
    pub trust: f64,
    pub threads: usize,
}

/// A fit at work: what it has reached, and all that it needs to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    pub epoch: usize,
    pub weights: Vec<Pair>,
    /// Evaluation to expected result: points are `1 / (1 + exp(-steepness * centipawns))`.
    pub steepness: f64,
    /// Adam's running means of the gradient and of its square.
    means: Vec<Pair>,
    squares: Vec<Pair>,
}

/// Losses of both parts, per position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    pub fitted: f64,
    pub held_out: f64,
}

/// Every so manieth block of positions is held out: its loss tells whether the fit learns or memorises.
const HELD_OUT_EVERY: usize = 12;
/// Neighbours in the file are mostly of the same game, so they are held out together.
const BLOCK: usize = 1024;
const ADAM_MEAN: f64 = 0.9;
const ADAM_SQUARE: f64 = 0.999;
/// Centipawns that a weight moves in one epoch, at most and to begin with.
const FIRST_STEP: f64 = 1.0;
/// The same at the end.
const LAST_STEP: f64 = 0.02;

impl Fit {
    /// Begins from the weights compiled in, with the steepness that suits them best.
    pub fn begin(samples: &Samples, options: &FitOptions) -> Fit {
        let weights = compiled();
        let zeros = vec![[0.0; 2]; WEIGHT_COUNT];
        let mut fit = Fit { epoch: 0, weights, steepness: 0.0, means: zeros.clone(), squares: zeros };
        // By the results alone: the searches' scores have the steepness of the evaluation itself.
        fit.steepness = fit.best_steepness(samples, &FitOptions { trust: 0.0, ..*options });
        fit
    }

    /// The weights it began with, at the steepness it has.
    pub fn start(&self) -> Fit {
        Fit { weights: compiled(), ..self.clone() }
    }

    /// What White should expect of an evaluation, in points.
    pub fn expected(&self, centipawns: f64) -> f64 {
        logistic(self.steepness * centipawns)
    }

    /// Golden-section search: the loss has one valley over the steepness.
    fn best_steepness(&self, samples: &Samples, options: &FitOptions) -> f64 {
        const RATIO: f64 = 0.618_033_988_749_894_9;
        let loss = |steepness| {
            let fit = Fit { steepness, ..self.clone() };
            fit.pass(samples, options).losses.fitted
        };
        let (mut low, mut high) = (0.0005, 0.02);
        while high - low > 1e-5 {
            let (left, right) = (high - RATIO * (high - low), low + RATIO * (high - low));
            if loss(left) < loss(right) { high = right } else { low = left }
        }
        (low + high) / 2.0
    }

    pub fn losses(&self, samples: &Samples, options: &FitOptions) -> Losses {
        self.pass(samples, options).losses
    }

    /// One step along the gradient over all positions; the losses before it.
    pub fn step(&mut self, samples: &Samples, options: &FitOptions) -> Losses {
        let pass = self.pass(samples, options);
        let evidence = pass.fitted as f64 / options.redundancy;
        let start = compiled();
        self.epoch += 1;
        let progress = self.epoch as f64 / options.epochs as f64;
        let step = FIRST_STEP * (LAST_STEP / FIRST_STEP).powf(progress.min(1.0));
        let epoch = self.epoch as i32;
        let correct = |mean: f64, decay: f64| mean / (1.0 - decay.powi(epoch));
        let slopes = pass.gradient.as_flattened().iter().zip(start.as_flattened());
        let means = self.means.as_flattened_mut().iter_mut().zip(self.squares.as_flattened_mut());
        let values = self.weights.as_flattened_mut().iter_mut();
        for ((value, (mean, square)), (slope, start)) in values.zip(means).zip(slopes) {
            // The prior: a bell curve around the start, against so much evidence.
            let slope = slope + (*value - start) / (options.deviation.powi(2) * evidence);
            *mean = ADAM_MEAN * *mean + (1.0 - ADAM_MEAN) * slope;
            *square = ADAM_SQUARE * *square + (1.0 - ADAM_SQUARE) * slope * slope;
            let scale = correct(*square, ADAM_SQUARE).sqrt() + 1e-12;
            *value -= step * correct(*mean, ADAM_MEAN) / scale;
        }
        pass.losses
    }

    /// Losses and gradient over all positions.
    fn pass(&self, samples: &Samples, options: &FitOptions) -> Pass {
        let blocks = samples.len().div_ceil(BLOCK);
        let threads = options.threads.clamp(1, blocks.max(1));
        let mut total = Pass::default();
        // Rounds of a fixed number of blocks bound the memory; the order of the sum never changes.
        for round in (0..blocks).step_by(ROUND) {
            let mut parts: Vec<Pass> = Vec::new();
            parts.resize_with(ROUND.min(blocks - round), Pass::default);
            thread::scope(|scope| {
                let share = parts.len().div_ceil(threads);
                for (worker, parts) in parts.chunks_mut(share).enumerate() {
                    scope.spawn(move || {
                        for (index, part) in parts.iter_mut().enumerate() {
                            self.add_block(samples, options.trust, round + worker * share + index, part);
                        }
                    });
                }
            });
            parts.iter().for_each(|part| total.add(part));
        }
        total.finish()
    }

    /// What White should have expected.
    fn target(&self, head: &Head, trust: f64) -> f64 {
        let result = f64::from(head.result);
        let seen = |score| trust * self.expected(f64::from(score));
        head.score.map_or(result, |score| seen(score) + (1.0 - trust) * result)
    }

    fn add_block(&self, samples: &Samples, trust: f64, block: usize, pass: &mut Pass) {
        for index in block * BLOCK..samples.len().min((block + 1) * BLOCK) {
            let head = samples.head(index);
            let expected = self.expected(samples.evaluate(index, &self.weights));
            let target = self.target(head, trust);
            let loss = cross_entropy(expected, target);
            if is_held_out(block) {
                pass.losses.held_out += loss;
                pass.held_out += 1;
                continue;
            }
            pass.losses.fitted += loss;
            pass.fitted += 1;
            let slope = (expected - target) * self.steepness;
            let [middlegame, endgame] = head.shares.map(|share| slope * f64::from(share));
            for &(weight, count) in samples.coefficients(index) {
                let gradient = &mut pass.gradient[usize::from(weight)];
                gradient[0] += middlegame * f64::from(count);
                gradient[1] += endgame * f64::from(count);
            }
        }
    }
}

/// Blocks whose sums are kept at the same time.
const ROUND: usize = 64;

/// What one pass over positions adds up.
#[derive(Clone)]
struct Pass {
    gradient: Vec<Pair>,
    losses: Losses,
    fitted: usize,
    held_out: usize,
}

impl Default for Pass {
    fn default() -> Self {
        Pass { gradient: vec![[0.0; 2]; WEIGHT_COUNT], losses: Losses::default(), fitted: 0, held_out: 0 }
    }
}

impl Pass {
    fn add(&mut self, other: &Pass) {
        for (sum, part) in self.gradient.iter_mut().zip(&other.gradient) {
            *sum = [sum[0] + part[0], sum[1] + part[1]];
        }
        self.losses.fitted += other.losses.fitted;
        self.losses.held_out += other.losses.held_out;
        self.fitted += other.fitted;
        self.held_out += other.held_out;
    }

    /// Sums to means.
    fn finish(mut self) -> Pass {
        let fitted = self.fitted.max(1) as f64;
        self.gradient.iter_mut().for_each(|pair| *pair = pair.map(|slope| slope / fitted));
        self.losses.fitted /= fitted;
        self.losses.held_out /= self.held_out.max(1) as f64;
        self
    }
}

fn is_held_out(block: usize) -> bool {
    block % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn cross_entropy(expected: f64, result: f64) -> f64 {
    let expected = expected.clamp(1e-12, 1.0 - 1e-12);
    -(result * expected.ln() + (1.0 - result) * (1.0 - expected).ln())
}

/// The weights that the engine was compiled with.
pub fn compiled() -> Vec<Pair> {
    WEIGHTS.iter().map(|weight| [f64::from(weight.middlegame()), f64::from(weight.endgame())]).collect()
}

// Keeping a fit for later.
impl Fit {
    /// All of the fit as text, exactly: one number a field, one weight a line.
    pub fn to_text(&self) -> String {
        let mut text = format!("{} {}\n", self.epoch, self.steepness);
        for weight in 0..WEIGHT_COUNT {
            let [[a, b], [c, d], [e, f]] = [&self.weights, &self.means, &self.squares].map(|of| of[weight]);
            let _ = writeln!(text, "{a} {b} {c} {d} {e} {f}");
        }
        text
    }

    /// Reads what [`Fit::to_text`] wrote; `None` if it is anything else.
    pub fn from_text(text: &str) -> Option<Fit> {
        let mut lines = text.lines();
        let (epoch, steepness) = lines.next()?.split_once(' ')?;
        let (epoch, steepness) = (epoch.parse().ok()?, steepness.parse().ok()?);
        let mut fit = Fit { epoch, steepness, weights: vec![], means: vec![], squares: vec![] };
        for line in lines {
            let numbers: Vec<f64> = line.split(' ').map(|field| field.parse().ok()).collect::<Option<_>>()?;
            let [a, b, c, d, e, f] = numbers.try_into().ok()?;
            fit.weights.push([a, b]);
            fit.means.push([c, d]);
            fit.squares.push([e, f]);
        }
        (fit.weights.len() == WEIGHT_COUNT).then_some(fit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Position;
    use crate::engine::classical::Breakdown;
    use crate::train::labelled::{GameResult, Labelled};

    /// White's advantage by the compiled weights.
    fn compiled_score(position: &Position) -> f64 {
        f64::from(Breakdown::of(position).score)
    }

    /// Positions of random games; who is far ahead by the compiled weights wins.
    fn samples(games: u64) -> (Samples, Vec<Position>) {
        let mut random = fastrand::Rng::with_seed(3);
        let (mut samples, mut positions) = (Samples::default(), Vec::new());
        for _ in 0..games {
            let mut position = Position::default();
            for _ in 0..80 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play(moves[random.usize(..moves.len())]);
                let result = match compiled_score(&position) {
                    score if score > 250.0 => GameResult::White,
                    score if score < -250.0 => GameResult::Black,
                    _ => GameResult::Draw,
                };
                let before = samples.len();
                let score = random.bool().then(|| random.i32(-300..300));
                samples.push(&Labelled { position: position.clone(), result, score });
                if samples.len() > before {
                    positions.push(position.clone());
                }
            }
        }
        (samples, positions)
    }

    const OPTIONS: FitOptions =
        FitOptions { epochs: 30, deviation: 20.0, redundancy: 16.0, trust: 0.3, threads: 1 };

    #[test]
    fn the_tuner_evaluates_as_the_engine_does() {
        let (samples, positions) = samples(30);
        let weights = compiled();
        for (index, position) in positions.iter().enumerate() {
            let (here, there) = (samples.evaluate(index, &weights), compiled_score(position));
            assert!((here - there).abs() < 2.0, "{here} and {there} in {}", position.fen());
        }
        assert!(positions.len() > 2000, "{}", positions.len());
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let (samples, _) = samples(30);
        let fit = Fit::begin(&samples, &OPTIONS);
        let gradient = fit.pass(&samples, &OPTIONS).gradient;
        let mut checked = 0;
        for (index, told) in gradient.as_flattened().iter().enumerate().step_by(13) {
            let loss = |by: f64| {
                let mut moved = fit.clone();
                moved.weights.as_flattened_mut()[index] += by;
                moved.losses(&samples, &OPTIONS).fitted
            };
            let slope = loss(0.5) - loss(-0.5);
            assert!((slope - told).abs() < 1e-7 + 1e-3 * told.abs(), "{index}: {slope}, {told}");
            checked += usize::from(*told != 0.0);
        }
        assert!(checked > 50, "{checked} slopes that are not zero");
    }

    #[test]
    fn a_fit_lowers_both_losses_and_is_the_same_on_any_number_of_threads() {
        let (samples, _) = samples(200);
        let run = |threads| {
            let options = FitOptions { threads, ..OPTIONS };
            let mut fit = Fit::begin(&samples, &options);
            let before = fit.losses(&samples, &options);
            for _ in 0..OPTIONS.epochs {
                fit.step(&samples, &options);
            }
            (before, fit.losses(&samples, &options), fit)
        };
        let (before, after, fit) = run(1);
        assert!(after.fitted < before.fitted && after.held_out < before.held_out, "{before:?} {after:?}");
        assert_eq!(run(3).2, fit);
    }

    #[test]
    fn a_fit_that_was_interrupted_ends_as_if_it_had_not_been() {
        let (samples, _) = samples(20);
        let mut straight = Fit::begin(&samples, &OPTIONS);
        let mut resumed = straight.clone();
        for _ in 0..10 {
            straight.step(&samples, &OPTIONS);
            resumed = Fit::from_text(&resumed.to_text()).expect("its own text");
            resumed.step(&samples, &OPTIONS);
        }
        assert_eq!(straight, resumed);
        assert_eq!(Fit::from_text("3 0.1\n1 2 3"), None);
    }

    #[test]
    fn a_strong_pull_keeps_the_weights_where_they_are() {
        let (samples, _) = samples(20);
        let moved = |deviation| {
            let options = FitOptions { deviation, ..OPTIONS };
            let mut fit = Fit::begin(&samples, &options);
            for _ in 0..options.epochs {
                fit.step(&samples, &options);
            }
            let distance = |(now, then): (&Pair, &Pair)| (now[0] - then[0]).abs();
            fit.weights.iter().zip(&compiled()).map(distance).sum::<f64>()
        };
        let (tight, loose) = (moved(0.5), moved(100.0));
        assert!(tight * 4.0 < loose, "{tight} and {loose}");
    }
}
