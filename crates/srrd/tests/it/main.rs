//! The tests of the library from outside, one topic per file, in one binary: linking takes longer than most of them.

mod bytes;
mod cancel;
mod classify;
mod explain;
mod gamma;
mod golden;
mod intervals;
mod invariants;
mod literal;
mod potential;
mod regressed;
mod regret;
mod scale;
mod support;
mod table;
mod theory;
