//! Why a command ended early, and what the exit status is then: 1 it failed, 2 the call or the input was wrong.

use crate::print;
use srrd::{FrontEnd, Problem};
use srrd_data::{ErrorKind, TableError};
use srrd_lab::LabError;
use std::io;

/// The end of a command that did not finish.
#[derive(Debug)]
pub enum Failure {
    /// The call or the input was wrong.
    Wrong(String),
    /// It failed, although nothing was wrong with the call.
    Failed(String),
    /// The reader of the output has closed it: a quiet end.
    ClosedPipe,
}

impl Failure {
    /// A call or an input that is wrong.
    pub fn wrong(message: impl Into<String>) -> Self {
        Failure::Wrong(message.into())
    }

    /// Tells the user, and what to exit with.
    pub fn report(self) -> u8 {
        match self {
            Failure::ClosedPipe => 0,
            Failure::Failed(message) => {
                print::error(&message);
                1
            }
            Failure::Wrong(message) => {
                print::error(&message);
                2
            }
        }
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::ClosedPipe,
            // A disk that is full or fails is nobody's input.
            ErrorKind::Io => Failure::Failed(error.to_string()),
            _ => Failure::Wrong(error.to_string()),
        }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Failure::Wrong(problem.say(FrontEnd::Command))
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        match error {
            error if error.is_wrong() => Failure::Wrong(error.to_string()),
            error => Failure::Failed(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Failed(format!("cannot write the result: {error}")),
        }
    }
}
