//! The tests of the library from outside, one topic per file, in one binary: linking takes longer than most of them.

mod bytes;
mod cancel;
mod classify;
mod doubt;
mod explain;
mod gamma;
mod golden;
mod intervals;
mod invariants;
mod literal;
mod mutual_regret;
mod potential;
mod regressed;
mod regret;
mod returns;
mod scale;
mod space;
mod starc;
mod support;
mod table;
mod theory;
mod verdict;
