//! What many runs without a leak say about the next one.
//!
//! Nothing was seen in n runs: that never means that it cannot happen. What can be said is how likely it is at
//! the most. The one-sided upper 95 % bound of Clopper and Pearson ("The use of confidence or fiducial limits
//! illustrated in the case of the binomial", Biometrika 26, 1934) is the chance p at which as few successes
//! as were seen, or fewer, come in one of twenty tries: P(X <= k | n, p) = 0.05. For k = 0 that is
//! 1 - 0.05^(1/n), and close to 3/n, the rule of three.
//!
//! Sums, products and quotients only, whose results IEEE 754 fixes to the last bit: a power or a logarithm may
//! differ between machines.

/// Halvings of the interval in which the bound lies: beyond a float's precision.
const HALVINGS: u32 = 60;

/// The upper 95 % bound, in millionths rounded up, on the chance of something that was seen in `seen` of `runs`
/// runs; certainty where there was no run.
#[must_use]
pub fn upper_bound(seen: u64, runs: u64) -> u64 {
    if runs == 0 || seen >= runs {
        return 1_000_000;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if at_most(seen, runs, middle) > 0.05 { low = middle } else { high = middle }
    }
    // A bound that is a whole number of millionths stays it, whichever side of it the halvings ended.
    ((high * 1e6_f64 - 1e-6).ceil() as u64).min(1_000_000)
}

/// P(X <= seen) of a binomial: its terms up to that one and beyond it, as multiples of that one, so that
/// nothing underflows.
fn at_most(seen: u64, runs: u64, p: f64) -> f64 {
    let odds = p / (1.0 - p);
    let (mut below, mut term) = (1.0, 1.0);
    for k in (1..=seen).rev() {
        term *= k as f64 / (runs - k + 1) as f64 / odds;
        below += term;
        if term < below * 1e-18 || below > 1e300 {
            break;
        }
    }
    let (mut above, mut term) = (0.0, 1.0);
    for k in seen..runs {
        term *= (runs - k) as f64 / (k + 1) as f64 * odds;
        above += term;
        // Later terms rise as long as they are below the most likely number.
        if (term < above * 1e-18 && term < 1.0) || above > 1e300 {
            break;
        }
    }
    below / (below + above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_seen_is_the_rule_of_three() {
        for runs in [30, 59, 100, 300, 1_000, 10_000] {
            let (bound, three) = (upper_bound(0, runs), 3_000_000 / runs);
            assert!(bound <= three + 1 && bound > three * 9 / 10, "{bound} of {runs}");
        }
        // 1 - 0.05^(1/59) = 0.04951, the textbook's "59 runs for 5 %".
        assert_eq!(upper_bound(0, 59), 49_508);
        assert_eq!(upper_bound(0, 1), 950_000);
    }

    #[test]
    fn the_bound_is_exact() {
        // Clopper and Pearson: Beta quantiles B(0.95; k + 1, n - k).
        for (seen, runs, expected) in
            [(1, 10, 394_164), (5, 10, 777_559), (2, 300, 20_837), (50, 100, 586_379)]
        {
            assert_eq!(upper_bound(seen, runs), expected, "{seen} of {runs}");
        }
        assert_eq!([upper_bound(0, 0), upper_bound(7, 7)], [1_000_000; 2]);
    }

    #[test]
    fn it_falls_with_runs_and_rises_with_what_was_seen() {
        for runs in [5, 50, 500, 5_000] {
            let bounds: Vec<u64> =
                (0..=runs).step_by(1 + runs as usize / 50).map(|k| upper_bound(k, runs)).collect();
            assert!(bounds.is_sorted(), "{runs}: {bounds:?}");
            assert!(upper_bound(1, runs) > upper_bound(1, runs * 2));
        }
    }
}
