//! Tokens that differ in their form only: `1.0` of a text format is another than the integer 1, `True` another than `true`, and 0.1 another
//! than the number of 32 or 16 bits that is written so.

use std::collections::HashMap;

use super::Warning;
use crate::compare::Pair;
use crate::sample::{NamedSample, RewardSample, Token, Vocabulary};

/// Up to this number, every integer is a float, too.
const EXACT: f64 = (1u64 << 53) as f64;

/// A token in the form that typed formats have; `None` where there is no other.
fn plain(token: Token<'_>) -> Option<String> {
    if token.as_features().is_some() || token.as_int().is_some() {
        return None;
    }
    let text = token.to_string();
    let other = match text.as_str() {
        "True" | "TRUE" => "true".to_owned(),
        "False" | "FALSE" => "false".to_owned(),
        // Digits alone may be names, such as 007, and `inf` may be anything.
        number if number.contains(|c: char| c.is_ascii_digit()) && number.contains(['.', 'e', 'E']) => {
            number.parse::<f64>().ok().filter(|number| number.abs() < EXACT)?.to_string()
        }
        _ => return None,
    };
    (other != text).then_some(other)
}

/// A token as a 32-bit number; `None` where it is one.
fn single(token: Token<'_>) -> Option<String> {
    narrow(token, |value| f64::from(value as f32))
}

/// A token as a 16-bit number; `None` where it is one.
fn half(token: Token<'_>) -> Option<String> {
    narrow(token, |value| {
        // The exponent of the number, or that of the smallest ones, and ten bits behind it.
        let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14);
        let unit = 2.0f64.powi(exponent - 10);
        let rounded = (value / unit).round_ties_even() * unit;
        if rounded.abs() > 65504.0 { f64::INFINITY } else { rounded }
    })
}

/// A token as a number of fewer bits; `None` where it is one.
fn narrow(token: Token<'_>, narrow: impl Fn(f64) -> f64) -> Option<String> {
    let numbers: Vec<f64> = match token.as_features() {
        Some(features) => features.to_vec(),
        None if token.as_int().is_some() => return None,
        None => {
            let text = token.to_string();
            let is_number = text.contains('.') && text.contains(|c: char| c.is_ascii_digit());
            vec![text.parse().ok().filter(|_| is_number)?]
        }
    };
    let narrowed: Vec<f64> = numbers.iter().map(|&number| narrow(number)).collect();
    if narrowed == numbers || narrowed.iter().any(|number| !number.is_finite()) {
        return None;
    }
    Some(match token.as_features() {
        Some(_) => Token::features(&narrowed).to_string(),
        None => narrowed[0].to_string(),
    })
}

/// A text without spaces around it, zeros before it and capitals; `None` where it has none.
fn bare(token: Token<'_>) -> Option<String> {
    if token.as_features().is_some() || token.as_int().is_some() {
        return None;
    }
    let text = token.to_string();
    let small = text.trim().to_lowercase();
    let other = match small.bytes().all(|byte| byte.is_ascii_digit()) && !small.is_empty() {
        true => small.trim_start_matches('0').parse::<u64>().map_or("0".to_owned(), |number| number.to_string()),
        false => plain(Token::text(&small)).unwrap_or(small),
    };
    (other != text).then_some(other)
}

/// What makes the plain form of a token out of another.
type Plain = fn(Token<'_>) -> Option<String>;

/// The plain form of a token, which most have.
fn form(plain: Plain, token: Token<'_>) -> String {
    plain(token).unwrap_or_else(|| token.to_string())
}

/// Numbers for tokens, the same for those that differ in their form only.
struct Forms {
    plain: Plain,
    known: HashMap<String, u32>,
}

impl Forms {
    fn of(&mut self, vocabulary: &Vocabulary) -> Vec<u32> {
        let mut number = |token: Token<'_>| {
            let count = self.known.len() as u32;
            *self.known.entry(form(self.plain, token)).or_insert(count)
        };
        vocabulary.iter().map(&mut number).collect()
    }
}

/// A token of the first that would be one of the second in another form, in either direction.
fn example(plain: Plain, a: &Vocabulary, b: &Vocabulary) -> Option<[String; 2]> {
    let plain_of = |vocabulary: &Vocabulary| -> HashMap<String, String> {
        let form = |token: Token<'_>| plain(token).map(|plain| (plain, token.to_string()));
        vocabulary.iter().filter_map(form).collect()
    };
    let [in_a, in_b] = [plain_of(a), plain_of(b)];
    if in_a.is_empty() && in_b.is_empty() {
        return None;
    }
    let known = |of: &HashMap<String, String>, token: Token<'_>| {
        of.get(&form(plain, token)).filter(|other| **other != token.to_string()).cloned()
    };
    let found = b.iter().find_map(|token| Some([known(&in_a, token)?, token.to_string()]));
    found.or_else(|| a.iter().find_map(|token| Some([token.to_string(), known(&in_b, token)?])))
}

impl Warning {
    /// Whether a pair that shares less than half of the smaller sample would share more if forms did not count.
    pub(crate) fn of_forms(pair: &Pair<'_>) -> Option<Warning> {
        let (a, b, common) = (pair.a, pair.b, pair.common.len());
        if 2 * common >= a.len().min(b.len()) {
            return None;
        }
        // Only where all numbers of one of them have so few bits, which the first of others shows not to be so.
        let of_bits = |bits: u32, form: Plain| {
            let all = |sample: &RewardSample| {
                sample.states().iter().chain(sample.actions().iter()).all(|token| form(token).is_none())
            };
            (all(a) != all(b)).then(|| Warning::of_plain(pair, form, Some(bits))).flatten()
        };
        let of_bits = || of_bits(32, single).or_else(|| of_bits(16, half));
        Warning::of_plain(pair, plain, None).or_else(of_bits).or_else(|| Warning::of_plain(pair, bare, None))
    }

    /// Whether many transitions of a sample lead to states in which none starts, and some of these are other forms of states.
    pub(crate) fn of_next_states(named: &NamedSample) -> Option<Warning> {
        let sample = &named.sample;
        if named.one_step {
            return None;
        }
        let mut is_sink = vec![false; sample.states().len()];
        let (mut leading, mut total) = (0, 0);
        for (transition, (_, _, next)) in sample.ids().enumerate() {
            let goes_on = sample.ends().at(transition) != Some(true);
            let sink = goes_on && !sample.graph.is_initial(next);
            is_sink[next as usize] |= sink;
            total += usize::from(goes_on);
            leading += usize::from(sink);
        }
        if 10 * leading <= total {
            return None;
        }
        let token = |state: u32| sample.states().token(state);
        let example = [plain as Plain, single, half, bare].into_iter().find_map(|plain| {
            let known: HashMap<String, u32> =
                sample.initial_states().map(|state| (form(plain, token(state)), state)).collect();
            let mut sinks = (0u32..).zip(&is_sink).filter(|(_, sink)| **sink).map(|(state, _)| state);
            let of = |next: u32| known.get(&form(plain, token(next))).map(|&state| [state, next]);
            sinks.find_map(of).map(|both| both.map(|state| token(state).to_string()))
        })?;
        Some(Warning::OtherNextStates { sample: named.name.clone(), leading, total, example })
    }

    fn of_plain(pair: &Pair<'_>, plain: Plain, bits: Option<u32>) -> Option<Warning> {
        let (a, b, common) = (pair.a, pair.b, pair.common.len());
        let example = example(plain, a.states(), b.states()).or_else(|| example(plain, a.actions(), b.actions()))?;
        let [mut states, mut actions] = [(); 2].map(|()| Forms { plain, known: HashMap::new() });
        let mut of = |sample: &RewardSample| {
            let (states, actions) = (states.of(sample.states()), actions.of(sample.actions()));
            let plain = |(s, n, x): (u32, u32, u32)| (states[s as usize], actions[n as usize], states[x as usize]);
            let mut rows: Vec<(u32, u32, u32)> = sample.ids().map(plain).collect();
            rows.sort_unstable();
            rows.dedup();
            rows
        };
        let (a, b) = (of(a), of(b));
        let alike = a.iter().filter(|row| b.binary_search(row).is_ok()).count();
        (alike > common).then_some(Warning::OtherForms { common, alike, example, bits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Duplicates;

    fn sample(token: impl Fn(i64) -> String, action: &str) -> RewardSample {
        let rows: Vec<(String, String)> = (0..10).map(|state| (token(state), token(state + 1))).collect();
        let rows = rows.iter().map(|(state, next)| (state.as_str(), action, next.as_str(), 1.0));
        RewardSample::from_rows(rows, Duplicates::Mean).unwrap()
    }

    #[test]
    fn numbers_of_16_bits() {
        let half = |text: &str| half(Token::text(text));
        for (text, rounded) in [
            ("0.1", Some("0.0999755859375")),
            ("0.5", None),
            ("65504.0", None),
            ("65520.5", None),
            ("2049.5", Some("2050")),
            ("-0.3", Some("-0.300048828125")),
            ("0.00000005", Some("0.00000005960464477539063")),
            ("7", None),
        ] {
            assert_eq!(half(text).as_deref(), rounded, "{text}");
        }
    }

    #[test]
    fn next_states_in_another_form_are_told() {
        let of = |state: fn(i64) -> String, next: fn(i64) -> String| {
            let rows: Vec<(String, String)> = (0..10).map(|at| (state(at), next((at + 1) % 10))).collect();
            let rows = rows.iter().map(|(state, next)| (state.as_str(), "go", next.as_str(), 1.0));
            let sample = RewardSample::from_rows(rows, Duplicates::Mean).unwrap();
            Warning::of_next_states(&NamedSample::new("t.csv", sample))
                .map(|warning| warning.say(crate::FrontEnd::Command))
        };
        let plain = |at: i64| at.to_string();
        for state in [|at: i64| format!("{at}.0"), |at: i64| format!("{at}  "), |at: i64| format!("00{at}")] {
            let said = of(state, plain).unwrap();
            assert!(
                said.starts_with("t.csv: next states seem to be written in another form than states, as `0` and `0"),
                "{said}"
            );
            assert!(
                said.ends_with("10 of 10 transitions lead to states in which none starts; write both in one form"),
                "{said}"
            );
        }
        assert_eq!(of(plain, plain), None);
        assert_eq!(of(plain, |at| format!("s{at}")), None);
    }

    #[test]
    fn forms_that_would_be_the_same_are_told() {
        let whole = sample(|state| state.to_string(), "true");
        let of = |other: &RewardSample| Warning::of_forms(&Pair::new(&whole, other));
        let told = |alike: usize, a: &str, b: &str| {
            Some(Warning::OtherForms { common: 0, alike, example: [a.to_owned(), b.to_owned()], bits: None })
        };
        assert_eq!(of(&sample(|state| format!("{state}.0"), "true")), told(10, "0", "0.0"));
        assert_eq!(of(&sample(|state| state.to_string(), "True")), told(10, "true", "True"));
        assert_eq!(of(&sample(|state| format!("0{state}"), "true")), told(10, "0", "00"));
        assert_eq!(of(&sample(|state| format!("{state} "), "true")), told(10, "0", "0 "));
        // Names that are no numbers, and numbers that are no others.
        assert_eq!(of(&sample(|state| format!("0x{state}"), "true")), None);
        assert_eq!(of(&sample(|state| format!("{state}.5"), "true")), None);
        assert_eq!(of(&whole), None);
        let tenths = |narrow: bool| {
            let number = move |state: i64| if narrow { f64::from(state as f32 / 10.0) } else { state as f64 / 10.0 };
            let features: Vec<[f64; 2]> = (0..10).map(|state| [number(state), 0.5]).collect();
            let rows = features.iter().map(|state| (Token::features(state), "go", Token::features(state), 1.0));
            [sample(|state| number(state).to_string(), "go"), RewardSample::from_rows(rows, Duplicates::Mean).unwrap()]
        };
        let example = [["0.1", "0.10000000149011612"], ["(0.1, 0.5)", "(0.10000000149011612, 0.5)"]];
        for ((wide, narrow), example) in tenths(false).iter().zip(&tenths(true)).zip(example) {
            let Some(Warning::OtherForms { common, alike, example: found, bits: Some(32) }) =
                Warning::of_forms(&Pair::new(wide, narrow))
            else {
                panic!("{example:?}")
            };
            assert!(common < 5 && alike == 10, "{common} {alike}");
            assert_eq!(found, example);
        }
        let [wide, narrow] = [0.1, 0.0999755859375].map(|tenth| {
            let features: Vec<[f64; 2]> = (0..10).map(|state| [tenth, f64::from(state) / 2.0]).collect();
            let rows = features.iter().map(|state| (Token::features(state), "go", Token::features(state), 1.0));
            RewardSample::from_rows(rows, Duplicates::Mean).unwrap()
        });
        let told = Warning::of_forms(&Pair::new(&wide, &narrow)).unwrap();
        assert!(matches!(told, Warning::OtherForms { alike: 10, bits: Some(16), .. }), "{told:?}");
        assert!(told.say(crate::FrontEnd::Command).contains("had 16 bits in both"));
        let warning = of(&sample(|state| format!("{state}.0"), "true")).unwrap().say(crate::FrontEnd::Command);
        assert!(
            warning
                .starts_with("0 transitions are shared, and 10 would be if tokens such as `0` and `0.0` were the same")
        );
    }
}
