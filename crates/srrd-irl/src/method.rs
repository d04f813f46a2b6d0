//! The methods, and the table that everybody takes their names from: the command, Python, help and documentation.

/// How a reward is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Method {
    /// Maximum causal entropy.
    Maxent,
    /// Adversarial inverse reinforcement learning.
    Airl,
    /// Trajectory sets of targets and others.
    Ptirl,
    /// Bradley-Terry over pairs of episodes.
    Preferences,
}

/// What there is to know about a method.
#[derive(Debug)]
#[non_exhaustive]
pub struct MethodInfo {
    /// Which one it is.
    pub method: Method,
    /// As it is written on the command line.
    pub name: &'static str,
    /// As people write it.
    pub title: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
}

/// All methods, in the order of [`Method`].
pub static METHODS: [MethodInfo; 4] = [
    MethodInfo {
        method: Method::Maxent,
        name: "maxent",
        title: "MaxEnt",
        about: "the reward under which an agent that likes to keep its options open acts as demonstrated",
    },
    MethodInfo {
        method: Method::Airl,
        name: "airl",
        title: "AIRL",
        about: "the reward that tells demonstrations from those of a policy that learns it",
    },
    MethodInfo {
        method: Method::Ptirl,
        name: "ptirl",
        title: "PTIRL",
        about: "the reward that sets the episodes of a target apart from those of others",
    },
    MethodInfo {
        method: Method::Preferences,
        name: "preferences",
        title: "Preferences",
        about: "the reward whose sums agree with which of two episodes was preferred",
    },
];

impl Method {
    /// Its line of [`METHODS`].
    ///
    /// ```
    /// use srrd_irl::Method;
    /// assert_eq!(Method::Airl.info().title, "AIRL");
    /// ```
    pub fn info(self) -> &'static MethodInfo {
        &METHODS[self as usize]
    }
}
