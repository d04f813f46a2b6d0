//! OpenRLHF: responses scored by a reward model, as its batch inference writes them.
//!
//! Looked up in OpenRLHF 0.5.9 and 0.8.5 (`cli/batch_inference.py`, `--eval_task rm`): one line per response with `input`, `output` and
//! `reward`. Versions 0.9 to 0.11.2 write no rollouts to files.

use super::DatasetInfo;
use super::log::lines::Layout;
use super::verl::of_input_and_output;

static LAYOUT: Layout = of_input_and_output(INFO.name, &["input", "output", "reward"]);

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "openrlhf",
    about: "OpenRLHF: responses scored by batch inference, JSON Lines with input, output and reward",
    options: &[],
    detect: |path| LAYOUT.detect(path),
    open: |path, options| LAYOUT.open(path, options),
};
