//! Which samples belong together.

use srrd::answer::{Matrix, Survey};
use srrd::cluster::{ALIKE, CLEAR, Clusters};
use srrd::verdict::{Answer, Margin};

use crate::page::{Cell, Column, Section, Table};
use crate::present::name;
use crate::words::{counted, short};

/// So many names of a group are written out.
const NAMED: usize = 12;

/// What is known of the pairs within groups. Groups hold what is nearest, which need not be the same.
pub(super) enum Inside {
    /// No group holds two samples.
    Alone,
    /// The verdict on every pair is "same".
    Same,
    /// The verdict on some pairs is "different".
    Different { different: usize, judged: usize },
    /// Not every pair has a verdict, and some distance is above the margin.
    Far { largest: f64 },
    /// Not every pair has a verdict, and no distance is above the margin.
    Near,
    /// Not every pair has a verdict, and some have no distance.
    Undefined,
}

impl Inside {
    pub(super) fn of(survey: &Survey, matrix: &Matrix, clusters: &Clusters) -> Self {
        let together = |i: usize, j: usize| clusters.labels[i] == clusters.labels[j];
        let size = matrix.names.len();
        let pairs: Vec<[usize; 2]> =
            (0..size).flat_map(|i| (i + 1..size).filter(move |&j| together(i, j)).map(move |j| [i, j])).collect();
        if pairs.is_empty() {
            return Inside::Alone;
        }
        let judged: Vec<Answer> = (survey.pairs.iter())
            .filter(|pair| together(pair.at[0], pair.at[1]))
            .filter_map(|pair| pair.found.verdict.as_ref())
            .map(|verdict| verdict.answer)
            .collect();
        let different = judged.iter().filter(|&&answer| answer == Answer::Different).count();
        if different > 0 {
            return Inside::Different { different, judged: judged.len() };
        }
        if judged.len() == pairs.len() && judged.iter().all(|&answer| answer == Answer::Same) {
            return Inside::Same;
        }
        let distances: Option<Vec<f64>> = pairs.iter().map(|&[i, j]| matrix.distances.get(i, j)).collect();
        let Some(distances) = distances else { return Inside::Undefined };
        match distances.into_iter().fold(0.0, f64::max) {
            largest if largest > Margin::default().get() => Inside::Far { largest },
            _ => Inside::Near,
        }
    }

    /// What it means that rewards are in one group.
    pub(super) fn reading(&self) -> String {
        let margin = Margin::default().get();
        let nearest = "A group holds the rewards that are nearest to one another, which need not be the same";
        match self {
            Inside::Alone => "No two rewards are in one group.".to_owned(),
            Inside::Same => "Rewards in one group differ by no more than potential shaping, a factor and a shift, none of which changes \
                             what is best."
                .to_owned(),
            Inside::Different { different, judged } => format!(
                "{nearest}: of {} within groups that {} judged, {different} {} different, so that what is best for one reward need not be \
                 best for the other.",
                counted(*judged, "pair", "pairs"),
                if *judged == 1 { "was" } else { "were" },
                if *different == 1 { "is" } else { "are" },
            ),
            Inside::Far { largest } => format!(
                "{nearest}: within groups distances reach {largest:.2}, and above {margin:.2} rewards do not count as the same."
            ),
            Inside::Near => format!(
                "Within groups no distance is above {margin:.2}, so that rewards in one group differ by little more than potential shaping, \
                 a factor and a shift. Not every pair of them has a verdict that says so."
            ),
            Inside::Undefined => format!("{nearest}: within groups some distances are undefined."),
        }
    }
}

/// What the groups say, in one sentence.
pub(super) fn sentence(inside: &Inside, matrix: &Matrix, clusters: &Clusters) -> String {
    let samples = matrix.names.len();
    let said = match (clusters.count, inside) {
        (1, Inside::Same) => format!("All {samples} rewards ask for the same behaviour"),
        (1, Inside::Near) => format!("All {samples} rewards are close together"),
        (1, Inside::Different { .. }) => format!("{samples} rewards form one group, but are not all the same"),
        (1, _) => format!("{samples} rewards form one group, but need not be the same"),
        (count, _) if count == samples => format!("{samples} rewards form no groups"),
        (count, _) => format!("{samples} rewards form {}", counted(count, "group", "groups")),
    };
    let distance = |inside: bool| {
        let pairs = (0..samples).flat_map(|i| (i + 1..samples).map(move |j| (i, j)));
        let chosen = pairs.filter(|&(i, j)| (clusters.labels[i] == clusters.labels[j]) == inside);
        let (sum, count) = chosen
            .filter_map(|(i, j)| matrix.distances.get(i, j))
            .fold((0.0, 0usize), |(sum, count), distance| (sum + distance, count + 1));
        (count > 0).then(|| sum / count as f64)
    };
    match (distance(true), distance(false)) {
        (Some(inside), Some(outside)) => {
            format!("{said}: the mean distance is {inside:.2} within groups and {outside:.2} between them.")
        }
        (Some(mean), None) | (None, Some(mean)) => format!("{said}: their mean distance is {mean:.2}."),
        (None, None) => format!("{said}: no distance is defined."),
    }
}

pub(super) fn section(matrix: &Matrix, clusters: &Clusters) -> Section {
    let columns = vec![
        Column::number("group"),
        Column::number("samples"),
        Column::text("which"),
        Column::text("stands for it").with_help("the sample with the least mean distance to the others of its group"),
        Column::number("silhouette")
            .with_help("how clearly its samples belong to it: 1 clearly, 0 as well to another group"),
    ];
    let mut table = Table::new("Groups of samples", columns);
    for group in 1..=clusters.count {
        let members: Vec<usize> = clusters.members(group).collect();
        let listed = |name: fn(&str) -> String| {
            let names: Vec<String> = members.iter().take(NAMED).map(|&sample| name(&matrix.names[sample])).collect();
            names.join(", ")
        };
        let more = if members.len() > NAMED { format!(" and {} more", members.len() - NAMED) } else { String::new() };
        let silhouette = members.iter().map(|&sample| clusters.silhouettes[sample]).sum::<f64>() / members.len() as f64;
        table.rows.push(vec![
            Cell::number(group as f64, group.to_string()),
            Cell::number(members.len() as f64, members.len().to_string()),
            Cell::cut(format!("{}{more}", listed(short)), format!("{}{more}", listed(str::to_owned))),
            name(&matrix.names[clusters.medoids[group - 1]]),
            Cell::number(silhouette, format!("{silhouette:.2}")),
        ]);
    }
    let number = match clusters.auto {
        false => "Their number was given.".to_owned(),
        true => format!(
            "Their number is the one with the largest mean silhouette, where that reaches {CLEAR}. Where none does, all samples are one group \
             if their mean distance is at most {ALIKE:.2}, and else each is one."
        ),
    };
    let how = format!(
        "Groups are made by average linkage of the {} distances. {number} An undefined distance counts as 1.",
        matrix.metric
    );
    Section { paragraphs: vec![how], tables: vec![table], ..Section::new("Groups") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use srrd::answer::survey;
    use srrd::cluster::ClusterCount;
    use srrd::settings::EndRule;
    use srrd::{Duplicates, NamedSample, Options, RewardSample};

    /// Headline and reading of so many rewards that differ by noise of this strength.
    fn told(samples: usize, noise: f64, ends: EndRule) -> [String; 2] {
        let value = |s: i64, a: i64, t: i64, k: i64| ((s * 31 + a * 17 + t * 7 + s * t * (k + 3)) % 23) as f64;
        let edges = || (0..12i64).flat_map(|s| (0..8i64).map(move |a| (s, a, (s + 5 * a + 1) % 12)));
        let named: Vec<NamedSample> = (0..samples as i64)
            .map(|k| {
                let rows = edges().map(|(s, a, t)| (s, a, t, value(s, a, t, 0) + noise * value(a, s, t, k * k + 5)));
                NamedSample::new(format!("r{k}"), RewardSample::from_rows(rows, Duplicates::Mean).unwrap())
            })
            .collect();
        let all: Vec<&NamedSample> = named.iter().collect();
        let options = Options { ends, ..Options::default() };
        let found = survey(&all, &options, ClusterCount::Given(1), 3).unwrap();
        let (matrix, clusters) = (found.matrix.as_ref().unwrap(), found.clusters.as_ref().unwrap());
        let inside = Inside::of(&found, matrix, clusters);
        [sentence(&inside, matrix, clusters), inside.reading()]
    }

    #[test]
    fn groups_are_said_to_be_the_same_only_where_every_verdict_says_so() {
        let [headline, reading] = told(3, 0.0, EndRule::None);
        assert_eq!(headline, "All 3 rewards ask for the same behaviour: their mean distance is 0.00.");
        assert!(reading.contains("no more than potential shaping"), "{reading}");
        let [headline, reading] = told(3, 0.5, EndRule::None);
        assert!(headline.starts_with("3 rewards form one group, but are not all the same: "), "{headline}");
        assert!(reading.contains("of 3 pairs within groups that were judged, 3 are different"), "{reading}");
    }

    #[test]
    fn without_verdicts_distances_are_held_against_the_margin() {
        // Nobody said where episodes end.
        let [headline, reading] = told(3, 0.0, EndRule::default());
        assert!(headline.starts_with("All 3 rewards are close together: "), "{headline}");
        assert!(reading.contains("no distance is above 0.10") && reading.contains("Not every pair"), "{reading}");
        // Of so many samples only those that stand for groups are compared with verdicts.
        let [headline, reading] = told(14, 0.5, EndRule::None);
        assert!(headline.starts_with("14 rewards form one group, but need not be the same: "), "{headline}");
        assert!(reading.contains("within groups distances reach 0."), "{reading}");
    }
}
