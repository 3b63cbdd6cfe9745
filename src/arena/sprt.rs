//! Sequential probability ratio test: enough games to decide, and no more.
//!
//! The generalised test, by the exact maximum likelihood of each hypothesis. Sources: Chess Programming
//! Wiki, "Sequential Probability Ratio Test"; Michel Van den Bergh, "A practical introduction to the GSPRT"
//! and "Normalized Elo".

use super::stats::{NORMALIZED_ELO, Pentanomial, score_of};
use std::fmt;
use std::str::FromStr;

/// Stands for a count of 0, so that no result is impossible.
const NEVER: f64 = 1e-3;

/// Which Elo the bounds are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EloModel {
    /// What is usually called Elo: a function of the expected score.
    #[default]
    Logistic,
    /// In units of a game's standard deviation.
    Normalized,
}

/// The two hypotheses, and how often the test may err.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// H0: the first player is ahead by this or less.
    pub elo0: f64,
    /// H1: the first player is ahead by this or more.
    pub elo1: f64,
    pub model: EloModel,
    /// Chance to accept H1 when H0 is true.
    pub alpha: f64,
    /// Chance to accept H0 when H1 is true.
    pub beta: f64,
}

/// What the test found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    AcceptH0,
    AcceptH1,
}

impl Sprt {
    /// With the usual 5 % for both errors.
    pub fn new(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt { elo0, elo1, model, alpha: 0.05, beta: 0.05 }
    }

    /// The log-likelihood ratios at which H0 and H1 are accepted (Wald).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 against H0; 0 without games.
    pub fn log_likelihood_ratio(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| if count == 0 { NEVER } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / total);
        let (h0, h1) = (self.likeliest(&observed, self.elo0), self.likeliest(&observed, self.elo1));
        let sum: f64 = (0..5).map(|i| counts[i] * (h1[i] / h0[i]).ln()).sum();
        if sum.is_finite() { sum } else { 0.0 }
    }

    pub fn verdict(&self, pairs: &Pentanomial) -> Option<Verdict> {
        let (lower, upper) = self.bounds();
        match self.log_likelihood_ratio(pairs) {
            ratio if ratio >= upper => Some(Verdict::AcceptH1),
            ratio if ratio <= lower => Some(Verdict::AcceptH0),
            _ => None,
        }
    }

    /// The distribution of pairs that makes what was observed likeliest, among those of this Elo.
    fn likeliest(&self, observed: &[f64; 5], elo: f64) -> [f64; 5] {
        match self.model {
            EloModel::Logistic => {
                let expected = score_of(elo);
                likeliest_with_zero(observed, &SCORES.map(|score| score - expected))
            }
            EloModel::Normalized => likeliest_normalized(observed, elo),
        }
    }
}

/// Average score of a game in each kind of pair.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Maximises `sum observed * ln p` under `sum p = 1` and `sum p * values = 0`.
///
/// Lagrange's multipliers give `p = observed / (1 + x * values)` with x the root of a decreasing function
/// between the poles. `values` has both signs.
fn likeliest_with_zero(observed: &[f64; 5], values: &[f64; 5]) -> [f64; 5] {
    let at = |x: f64| -> [f64; 5] { std::array::from_fn(|i| observed[i] / (1.0 + x * values[i])) };
    let (least, most) =
        values.iter().fold((0.0_f64, 0.0_f64), |(least, most), &value| (least.min(value), most.max(value)));
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    // As many halvings as a double has bits, and some.
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        let sum: f64 = at(middle).iter().zip(values).map(|(p, value)| p * value).sum();
        if sum > 0.0 { low = middle } else { high = middle }
    }
    at((low + high) / 2.0)
}

/// The same under `(mean - 1/2) / deviation = t`: the condition is made linear at the distribution found
/// last, until that does not change any more.
fn likeliest_normalized(observed: &[f64; 5], elo: f64) -> [f64; 5] {
    // A pair's average has half the variance of a game.
    let t = std::f64::consts::SQRT_2 * elo / NORMALIZED_ELO;
    let mut found = *observed;
    for _ in 0..100 {
        let mean: f64 = (0..5).map(|i| found[i] * SCORES[i]).sum();
        let deviation = (0..5).map(|i| found[i] * (SCORES[i] - mean).powi(2)).sum::<f64>().sqrt();
        let slope =
            |score: f64| score - 0.5 - t * deviation * (1.0 + ((score - mean) / deviation).powi(2)) / 2.0;
        let next = likeliest_with_zero(observed, &SCORES.map(slope));
        let change = (0..5).map(|i| (next[i] - found[i]).abs()).fold(0.0, f64::max);
        found = next;
        if change < 1e-12 {
            break;
        }
    }
    found
}

/// `elo0,elo1`, logistic, with the usual errors.
impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Sprt, String> {
        let bounds = text.split_once(',').and_then(|(low, high)| {
            Some((low.trim().parse::<f64>().ok()?, high.trim().parse::<f64>().ok()?))
        });
        match bounds {
            Some((elo0, elo1)) if elo0 < elo1 && elo0.abs().max(elo1.abs()) <= 1_000.0 => {
                Ok(Sprt::new(elo0, elo1, EloModel::Logistic))
            }
            _ => Err("two Elo numbers, the smaller first, as in 0,10".to_string()),
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.model == EloModel::Logistic { "Elo" } else { "normalised Elo" };
        write!(f, "[{}, {}] {unit}", self.elo0, self.elo1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_ratio(sprt: Sprt, counts: [u64; 5], expected: f64, tolerance: f64) {
        let found = sprt.log_likelihood_ratio(&Pentanomial(counts));
        assert!((found - expected).abs() <= tolerance, "{sprt} {counts:?}: {found}, not {expected}");
    }

    /// Tests of fishtest in official-stockfish/fishtest pull 2088, of monty's instance in
    /// official-monty/Monty pulls 23 and 66, and the command line of Disservin/fastchess pull 783.
    #[test]
    fn normalised_ratios_agree_with_published_tests() {
        let cases = [
            ((0.5, 2.5), [61, 12006, 31864, 12078, 47], -2.24),
            ((-1.75, 0.25), [1364, 74663, 161073, 73693, 1479], -0.66),
            ((0.5, 2.5), [57, 4083, 10436, 4259, 56], 1.14),
            ((0.0, 2.0), [129, 5397, 11780, 5428, 98], -1.11),
            ((0.5, 2.5), [33, 1777, 4421, 1801, 29], -0.21),
            ((0.0, 2.0), [0, 236, 690, 265, 0], 0.32),
            ((0.0, 4.0), [81, 563, 1163, 687, 114], 3.16),
            ((1.0, 5.0), [142, 1471, 2953, 1650, 159], 2.94),
            ((0.0, 4.0), [434, 4052, 8304, 4206, 492], 3.00),
            ((1.0, 5.0), [829, 14632, 32502, 15215, 902], 2.93),
        ];
        for ((elo0, elo1), counts, expected) in cases {
            assert_ratio(Sprt::new(elo0, elo1, EloModel::Normalized), counts, expected, 0.0051);
        }
        // It prints 2.94598, of which the last digits are its own.
        let sprt = Sprt::new(0.0, 2.0, EloModel::Normalized);
        assert_ratio(sprt, [379, 10170, 21828, 10640, 343], 2.946, 6e-4);
    }

    /// Found another way: with mean and deviation both held fixed, by Newton's method in two multipliers, and
    /// the best deviation sought by golden section.
    #[test]
    fn ratios_are_those_of_the_greatest_likelihood() {
        use EloModel::{Logistic, Normalized};
        let cases = [
            (Normalized, (0.0, 2.0), [379, 10170, 21828, 10640, 343], 2.945_495_431),
            (Normalized, (0.5, 2.5), [61, 12006, 31864, 12078, 47], -2.244_548_699),
            (Normalized, (-3.0, 7.0), [12, 40, 91, 55, 20], 1.173_808_144),
            (Normalized, (0.0, 10.0), [5, 20, 31, 28, 9], 0.538_624_944),
            (Logistic, (-3.0, 7.0), [12, 40, 91, 55, 20], 1.601_087_914),
            (Logistic, (0.0, 10.0), [5, 20, 31, 28, 9], 0.687_710_369),
            (Logistic, (-0.25, 1.25), [253, 4282, 17604, 4431, 286], 2.938_391_892),
        ];
        for (model, (elo0, elo1), counts, expected) in cases {
            assert_ratio(Sprt::new(elo0, elo1, model), counts, expected, 2e-8);
        }
    }

    /// official-stockfish/Stockfish pull 3209, when fishtest's bounds were logistic.
    #[test]
    fn logistic_ratios_agree_with_published_tests() {
        let cases = [
            ((-0.25, 1.25), [253, 4282, 17604, 4431, 286], 2.94),
            ((0.25, 1.25), [58, 3302, 33130, 3518, 84], 2.97),
        ];
        for ((elo0, elo1), counts, expected) in cases {
            assert_ratio(Sprt::new(elo0, elo1, EloModel::Logistic), counts, expected, 0.0051);
        }
    }

    #[test]
    fn the_ratio_changes_sign_with_the_point_of_view() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let sprt = Sprt::new(-3.0, 7.0, model);
            let mirrored = Sprt::new(-7.0, 3.0, model);
            let mut counts = [12, 40, 91, 55, 20];
            let ratio = sprt.log_likelihood_ratio(&Pentanomial(counts));
            counts.reverse();
            assert_ratio(mirrored, counts, -ratio, 1e-9);
        }
    }

    #[test]
    fn a_verdict_falls_at_walds_bounds() {
        let sprt = Sprt::new(0.0, 10.0, EloModel::Logistic);
        let (lower, upper) = sprt.bounds();
        assert!((lower + 2.944_438_979).abs() < 1e-9 && (upper - 2.944_438_979).abs() < 1e-9);
        assert_eq!(sprt.verdict(&Pentanomial::default()), None);
        assert_eq!(sprt.verdict(&Pentanomial([1, 2, 3, 2, 1])), None);
        assert_eq!(sprt.verdict(&Pentanomial([10, 300, 900, 420, 20])), Some(Verdict::AcceptH1));
        assert_eq!(sprt.verdict(&Pentanomial([20, 420, 900, 300, 10])), Some(Verdict::AcceptH0));
    }

    #[test]
    fn one_sided_results_give_numbers() {
        for counts in [[1, 0, 0, 0, 0], [0, 0, 0, 0, 50], [0, 0, 7, 0, 0]] {
            for model in [EloModel::Logistic, EloModel::Normalized] {
                let ratio = Sprt::new(0.0, 10.0, model).log_likelihood_ratio(&Pentanomial(counts));
                assert!(ratio.is_finite(), "{counts:?} {model:?}: {ratio}");
            }
        }
        let sprt = Sprt::new(0.0, 10.0, EloModel::Logistic);
        assert!(sprt.log_likelihood_ratio(&Pentanomial([0, 0, 0, 0, 50])) > 0.0);
        assert!(sprt.log_likelihood_ratio(&Pentanomial([50, 0, 0, 0, 0])) < 0.0);
    }

    #[test]
    fn bounds_are_read_or_refused() {
        assert_eq!("0,10".parse(), Ok(Sprt::new(0.0, 10.0, EloModel::Logistic)));
        assert_eq!("-3, 1.5".parse(), Ok(Sprt::new(-3.0, 1.5, EloModel::Logistic)));
        for text in ["", "5", "10,0", "0,0", "a,b", "0,NaN", "0,inf", "0,10,20"] {
            assert!(text.parse::<Sprt>().is_err(), "{text:?}");
        }
    }
}
