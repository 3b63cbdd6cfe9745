//! What a match says about strength: Elo with error, normalised Elo, likelihood of superiority.
//!
//! Games come in pairs of one opening with colours swapped, so the unit is the pair and its score is
//! one of five: the "pentanomial" model. Sources: Chess Programming Wiki, "Match Statistics"; Michel Van
//! den Bergh, "Normalized Elo" (the paper behind the statistics of fishtest).

/// Half-width of the 95 % interval of a normal distribution, in standard deviations.
const CONFIDENCE: f64 = 1.959_963_984_540_054;

/// Normalised Elo of one standard deviation: `800 / ln 10`.
pub const NORMALIZED_ELO: f64 = 347.435_585_522_602_4;

/// How many pairs of games scored 0, 0.5, 1, 1.5 and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

/// A figure with the half-width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub value: f64,
    pub error: f64,
}

impl Pentanomial {
    /// One more pair, of so many half points.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The average score of a game, between 0 and 1; none without games.
    pub fn score(&self) -> Option<f64> {
        let pairs = self.pairs() as f64;
        let quarters: f64 =
            self.0.iter().zip(0..).map(|(&count, score)| count as f64 * f64::from(score)).sum();
        (pairs > 0.0).then(|| quarters / 4.0 / pairs)
    }

    /// The variance of the average score of one pair.
    fn variance(&self) -> Option<f64> {
        let mean = self.score()?;
        let square = |score: i32| (f64::from(score) / 4.0 - mean).powi(2);
        let sum: f64 = self.0.iter().zip(0..).map(|(&count, score)| count as f64 * square(score)).sum();
        Some(sum / self.pairs() as f64)
    }

    /// Standard error of [`Pentanomial::score`].
    fn standard_error(&self) -> Option<f64> {
        Some((self.variance()? / self.pairs() as f64).sqrt())
    }

    /// Logistic Elo; infinite for a match without a point on one side.
    pub fn elo(&self) -> Option<Estimate> {
        let (score, error) = (self.score()?, CONFIDENCE * self.standard_error()?);
        let error = (elo_of(score + error) - elo_of(score - error)) / 2.0;
        Some(Estimate { value: elo_of(score), error })
    }

    /// Elo in units of a game's standard deviation, which does not depend on the draws of an opening set.
    /// None where all pairs scored alike.
    pub fn normalized_elo(&self) -> Option<Estimate> {
        // A game's variance is twice that of the average of two.
        let deviation = (2.0 * self.variance()?).sqrt();
        let value = (self.score()? - 0.5) / deviation * NORMALIZED_ELO;
        let error = CONFIDENCE * NORMALIZED_ELO / (2.0 * self.pairs() as f64).sqrt();
        (deviation > 0.0).then_some(Estimate { value, error })
    }

    /// Likelihood of superiority: how probable it is that the first player is the stronger one.
    pub fn likelihood_of_superiority(&self) -> Option<f64> {
        let (lead, error) = (self.score()? - 0.5, self.standard_error()?);
        Some(if lead == 0.0 { 0.5 } else { normal_distribution(lead / error) })
    }
}

/// The Elo difference at which this average score is expected.
fn elo_of(score: f64) -> f64 {
    // Adding zero takes the sign from a negative one.
    -400.0 * (1.0 / score.clamp(0.0, 1.0) - 1.0).log10() + 0.0
}

/// The average score that is expected at this Elo difference.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The normal distribution function, to 7.5e-8. Source: Abramowitz and Stegun, 26.2.17.
fn normal_distribution(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] = [0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
    let t = 1.0 / (1.0 + 0.2316419 * x.abs());
    let polynomial = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    let tail = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial;
    if x >= 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(found: f64, expected: f64, tolerance: f64) -> bool {
        (found - expected).abs() <= tolerance
    }

    /// Outputs of fastchess that its users posted: Disservin/fastchess issue 807, pulls 515, 783 and 881.
    #[test]
    fn figures_agree_with_those_that_fastchess_prints() {
        let cases = [
            ([30, 6, 18, 0, 6], Some((-168.40, 73.37)), (-170.08, 62.16)),
            ([0, 1, 4, 0, 0], Some((-34.86, 62.20)), (-122.84, 215.34)),
            ([549, 54, 33, 1, 0], Some((-517.92, 38.60)), (-856.15, 19.08)),
            ([379, 10170, 21828, 10640, 343], None, (3.05, 2.31)),
        ];
        for (counts, elo, normalized) in cases {
            let pairs = Pentanomial(counts);
            let check = |found: Option<Estimate>, (value, error): (f64, f64)| {
                let found = found.expect("games were played");
                assert!(is_near(found.value, value, 0.006), "{counts:?}: {found:?}, not {value}");
                assert!(is_near(found.error, error, 0.006), "{counts:?}: {found:?}, not ± {error}");
            };
            if let Some(elo) = elo {
                check(pairs.elo(), elo);
            }
            check(pairs.normalized_elo(), normalized);
        }
    }

    /// A test of OpenBench: Yoshie2000/PlentyChess pull 226.
    #[test]
    fn elo_agrees_with_what_openbench_prints() {
        let elo = Pentanomial([846, 13353, 26519, 13740, 878]).elo().expect("games were played");
        assert!(is_near(elo.value, 1.42, 0.006) && is_near(elo.error, 1.13, 0.006), "{elo:?}");
    }

    #[test]
    fn superiority_is_likely_as_the_normal_distribution_has_it() {
        let los = |counts| Pentanomial(counts).likelihood_of_superiority().expect("games were played");
        // fastchess pull 515 prints 13.18 %.
        assert!(is_near(los([0, 1, 4, 0, 0]), 0.1318, 5e-5), "{}", los([0, 1, 4, 0, 0]));
        for (counts, expected) in
            [([1, 2, 3, 2, 1], 0.5), ([0, 0, 9, 0, 0], 0.5), ([0, 0, 0, 0, 5], 1.0), ([5, 0, 0, 0, 0], 0.0)]
        {
            assert_eq!(los(counts), expected, "{counts:?}");
        }
        // From a table of the distribution.
        for (x, expected) in [(0.0, 0.5), (1.0, 0.841_344_746), (-1.96, 0.024_997_895), (3.0, 0.998_650_102)]
        {
            assert!(is_near(normal_distribution(x), expected, 1e-7), "{x}: {}", normal_distribution(x));
        }
    }

    #[test]
    fn a_match_without_games_or_without_doubt_has_no_false_figures() {
        let none = Pentanomial::default();
        assert_eq!((none.score(), none.elo(), none.normalized_elo()), (None, None, None));
        assert_eq!(none.likelihood_of_superiority(), None);
        let clean = Pentanomial([0, 0, 0, 0, 3]);
        assert_eq!(clean.elo().map(|elo| elo.value), Some(f64::INFINITY));
        assert_eq!(clean.normalized_elo(), None);
        let even = Pentanomial([0, 0, 4, 0, 0]).elo().expect("games were played");
        assert_eq!(format!("{:+} {}", even.value, even.error), "+0 0");
    }

    #[test]
    fn score_and_elo_are_each_others_inverse() {
        for (elo, score) in [(0.0, 0.5), (100.0, 0.640_065), (-200.0, 0.240_253), (400.0, 0.909_091)] {
            assert!(is_near(score_of(elo), score, 1e-6), "{elo}: {}", score_of(elo));
            assert!(is_near(elo_of(score_of(elo)), elo, 1e-9), "{elo}");
        }
    }
}
