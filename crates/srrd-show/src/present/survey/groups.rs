//! Which samples belong together.

use srrd::answer::Matrix;
use srrd::cluster::{ALIKE, CLEAR, Clusters};

use crate::page::{Cell, Column, Section, Table};
use crate::words::{counted, short};

/// So many names of a group are written out.
const NAMED: usize = 12;

/// What the groups say, in one sentence.
pub(super) fn sentence(matrix: &Matrix, clusters: &Clusters) -> String {
    let samples = matrix.names.len();
    let said = match clusters.count {
        1 => format!("All {samples} rewards are alike"),
        count if count == samples => format!("No two of the {samples} rewards are alike"),
        count => format!("{samples} rewards form {}", counted(count, "group", "groups")),
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
        let names: Vec<String> = members.iter().take(NAMED).map(|&sample| short(&matrix.names[sample])).collect();
        let more = if members.len() > NAMED { format!(" and {} more", members.len() - NAMED) } else { String::new() };
        let silhouette = members.iter().map(|&sample| clusters.silhouettes[sample]).sum::<f64>() / members.len() as f64;
        table.rows.push(vec![
            Cell::number(group as f64, group.to_string()),
            Cell::number(members.len() as f64, members.len().to_string()),
            Cell::text(format!("{}{more}", names.join(", "))),
            Cell::text(short(&matrix.names[clusters.medoids[group - 1]])),
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
