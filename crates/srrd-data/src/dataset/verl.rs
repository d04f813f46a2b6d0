//! verl: what `trainer.rollout_data_dir` and `trainer.validation_data_dir` get, one `STEP.jsonl` per step.
//!
//! Looked up in verl 0.9.1 (`_write_generations`): `input`, `output`, `gts`, `score`, `step`, and a key for each thing that the reward function
//! returned beside the score (such as `acc`), numbers or not.

use super::DatasetInfo;
use super::log::lines::{Fields, Layout};
use crate::table::text_of_json;

static LAYOUT: Layout = of_input_and_output(INFO.name, &["input", "output", "score", "step"]);

/// Rows that call a prompt `input` and a response `output`, known by these keys.
pub(super) const fn of_input_and_output(dataset: &'static str, keys: &'static [&'static str]) -> Layout {
    Layout {
        dataset,
        keys,
        not: &["prompt", "response"],
        prompt: |fields| text(fields, "input"),
        response: |fields| text(fields, "output"),
        inside: &["input", "output"],
        scores: None,
    }
}

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "verl",
    about: "verl: rollouts as trainer.rollout_data_dir gets them, a folder of STEP.jsonl or one of these",
    options: &[],
    detect: |path| LAYOUT.detect(path),
    open: |path, options| LAYOUT.open(path, options),
};

/// The text under a key, or that of its messages.
fn text(fields: &Fields<'_>, key: &str) -> Option<String> {
    text_of_json(fields.get(key)?.get())
}
