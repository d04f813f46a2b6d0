//! NeMo Gym: collected rollouts, one per line.
//!
//! Looked up in the rollouts that NeMo Gym's repository holds (`resources_servers/*/data/example_rollouts.jsonl`, 2026) and in its
//! `rollout_collection.py`: `responses_create_params` with the `input` messages, `response` with the `output` items, `reward`, numbers that the
//! verifier returned beside it, of which some keep the parts in `reward_components`, and keys that begin with `_ng_`.

use serde::Deserialize;
use serde_json::Value;

use super::DatasetInfo;
use super::log::lines::{Fields, Layout};
use crate::table::text_of;

static LAYOUT: Layout = Layout {
    dataset: INFO.name,
    keys: &["responses_create_params", "response", "reward"],
    not: &[],
    prompt: |fields| {
        #[derive(Deserialize)]
        struct Asked {
            input: Value,
        }
        text_of(&inside::<Asked>(fields, "responses_create_params")?.input)
    },
    response: |fields| {
        #[derive(Deserialize)]
        struct Answered {
            output: Value,
        }
        text_of(&inside::<Answered>(fields, "response")?.output)
    },
    inside: &["responses_create_params", "response"],
    scores: Some("reward_components"),
};

fn inside<'a, T: Deserialize<'a>>(fields: &Fields<'a>, key: &str) -> Option<T> {
    serde_json::from_str(fields.get(key)?.get()).ok()
}

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "nemo-gym",
    about: "NeMo Gym: collected rollouts, JSON Lines with responses_create_params, response and reward",
    options: &[],
    detect: |path| LAYOUT.detect(path),
    open: |path, options| LAYOUT.open(path, options),
};
