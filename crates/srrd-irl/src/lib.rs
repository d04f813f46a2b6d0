//! Rewards from demonstrations and preferences: inverse reinforcement learning.
//!
//! [`Demonstrations`] are sets of episodes, one per agent. A [`Model`] says where actions lead: counted from a set, from all sets
//! together, or given. A [`Learner`] makes a reward of every set, and [`learn_all`] runs it on all of them. What is learned is a reward
//! sample like any other ([`Learned`]), so that everything that compares rewards can take it.
//!
//! A method is a file or a folder with its settings, which implement [`Learner`], and a line of [`METHODS`].
//!
//! No result depends on the number of threads. Long loops can be stopped, as everywhere in `srrd`.

pub mod airl;
mod demonstrations;
mod learned;
mod logit;
pub mod maxent;
mod method;
mod model;
pub mod net;
pub mod preferences;
mod problem;
pub mod ptirl;
mod run;
mod watch;

pub use demonstrations::{Demonstrations, Row, Set};
pub use learned::{Caution, Iterate, Learned};
pub use method::{METHODS, Method, MethodInfo};
pub use model::{Model, ModelChoice};
pub use problem::Problem;
pub use run::{Learner, Progress, Task, learn_all, learn_kept};
pub use watch::{Patience, Watch};
