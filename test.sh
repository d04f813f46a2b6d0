#!/usr/bin/env bash
# Every test: those of the Rust workspace, then those of the Python package, in an environment of its own.
set -euo pipefail
cd "$(dirname "$0")"
cargo test --workspace
python3 tests/licences.py --check
python3 python/test.py
