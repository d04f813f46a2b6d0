//! Five classes of patients by words in the titles of their first diagnoses.

use super::words::words;

/// The classes, with the words that stand for them. A word of five letters or more also stands for all words that begin with it.
const CLASSES: [(&str, &[&str]); 5] = [
    ("diabetes", &["diabetes", "diabetic", "hyperglycemia", "hypoglycemia", "insulin"]),
    ("kidney", &["kidney", "renal", "nephr", "dialysis", "glomerul", "ureter", "hydroneph"]),
    (
        "limb",
        &[
            "limb", "bone", "joint", "fractur", "osteo", "arthr", "femur", "femor", "tibia", "fibula", "humer",
            "radius", "ulna", "hip", "knee", "ankle", "foot", "toe", "hand", "wrist", "elbow", "shoulder", "amput",
            "skelet", "leg", "arm",
        ],
    ),
    (
        "respiratory",
        &["respirat", "pulmonary", "lung", "pneumon", "bronch", "asthma", "trache", "airway", "pleura", "hypoxemia"],
    ),
    (
        "substance",
        &[
            "alcohol",
            "opioid",
            "cocaine",
            "cannabis",
            "tobacco",
            "nicotine",
            "dependence",
            "abuse",
            "withdrawal",
            "depress",
            "anxiety",
            "bipolar",
            "schizo",
            "psych",
            "mental",
            "suicid",
        ],
    ),
];

/// What a patient of none is called.
pub(super) const OTHER: &str = "other";

/// The votes of the diagnoses of a patient's first visit.
#[derive(Clone, Debug, Default)]
pub(super) struct Votes {
    /// By class, how many diagnoses have one of its words.
    counts: [usize; 5],
    /// By class, the smallest `seq_num` of such a diagnosis.
    first: [Option<i64>; 5],
}

impl Votes {
    /// Adds a diagnosis: a vote for every class that its title has a word of.
    pub fn add(&mut self, number: i64, title: &str) {
        let in_title: Vec<String> = words(title).collect();
        for (class, (_, stems)) in CLASSES.iter().enumerate() {
            let stands =
                |word: &String| stems.iter().any(|stem| word == stem || (stem.len() >= 5 && word.starts_with(stem)));
            if in_title.iter().any(stands) {
                self.counts[class] += 1;
                let first = &mut self.first[class];
                *first = Some(first.map_or(number, |first| first.min(number)));
            }
        }
    }

    /// The class with most votes. Of several with equally many, the one whose first diagnosis comes first by `seq_num`, which is the order of
    /// importance; then the first by the order above, which is that of the alphabet.
    pub fn class(&self) -> &'static str {
        let most = self.counts.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return OTHER;
        }
        let tied = (0..CLASSES.len()).filter(|&class| self.counts[class] == most);
        tied.min_by_key(|&class| (self.first[class], class)).map_or(OTHER, |class| CLASSES[class].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(titles: &[(i64, &str)]) -> &'static str {
        let mut votes = Votes::default();
        titles.iter().for_each(|(number, title)| votes.add(*number, title));
        votes.class()
    }

    #[test]
    fn most_votes_win_and_ties_go_to_the_first_diagnosis() {
        let diabetes = "Type 2 diabetes mellitus without complications";
        let kidney = "Acute kidney failure, unspecified";
        assert_eq!(class(&[(1, kidney), (2, diabetes), (3, "Diabetic retinopathy")]), "diabetes");
        assert_eq!(class(&[(2, diabetes), (1, kidney)]), "kidney");
        assert_eq!(class(&[(1, diabetes), (2, kidney)]), "diabetes");
        // One diagnosis may vote for two classes.
        assert_eq!(
            class(&[(1, "Type 2 diabetes mellitus with diabetic chronic kidney disease"), (2, kidney)]),
            "kidney"
        );
        assert_eq!(class(&[(1, "Nephropathy"), (2, "Hip pain"), (3, "Pain in left foot")]), "limb");
        // Short words stand for themselves alone.
        assert_eq!(class(&[(1, "Hippocampal sclerosis")]), "other");
        assert_eq!(class(&[]), "other");
    }
}
