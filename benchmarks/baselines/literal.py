"""EPIC, DARD and SRRD on a reward sample, loop by loop, in pure Python.

This is the research-script baseline: every expectation of every transition is a loop over the cross product of two
sets with one dictionary lookup per element. Nothing is cached per state; only the terms that do not depend on the
transition (EPIC's and SRRD's last one) are computed once per sample.

The estimators are those of the double batch (`double`, with actions `marginal` or `joint`) and the `unbiased` one.
Each is a class with the sets that a transition gives rise to and two kinds of expectation:

* `from_state(x, Y)`: the mean of R(x, A, Y), over Y;
* `between(X, Y, action_of)`: the mean of R(X, A, Y), over X x Y. `action_of` matters to `joint` only: it says whether
  the action is the one paired with X (`"first"`) or with Y (`"second"`).
"""

METRICS = ("direct", "epic", "dard", "srrd")


class Sample:
    """The transitions of a reward sample and the sets that follow from them."""

    def __init__(self, transitions):
        self.reward = {(s, a, t): r for s, a, t, r in transitions}
        self.initial = {s for s, _, _ in self.reward}
        self.subsequent = {t for _, _, t in self.reward}
        self.states = self.initial | self.subsequent
        self.actions = {a for _, a, _ in self.reward}
        self.successors = {x: set() for x in self.states}
        for s, _, t in self.reward:
            self.successors[s].add(t)
        self.rewards_of_pair = {}
        for (s, _, t), r in self.reward.items():
            self.rewards_of_pair.setdefault((s, t), []).append(r)

    def succ(self, states):
        """The states that sampled transitions from any of `states` end in."""
        found = set()
        for x in states:
            found |= self.successors[x]
        return found


class DoubleMarginal:
    """Double batch over a set of states; R(x, y) is the mean over the actions sampled for (x, y)."""

    def __init__(self, sample, batch=None):
        self.sample = sample
        self.batch = sample.states if batch is None else set(batch)
        self.mean_reward = {pair: sum(rs) / len(rs) for pair, rs in sample.rewards_of_pair.items()}

    def restrict(self, states):
        return states & self.batch

    def after_start(self, s):
        """S2: the states subsequent to s, without the terminal ones."""
        return self.sample.successors[s] & self.sample.initial

    def from_state(self, x, ys):
        ys = self.restrict(ys)
        if not ys:
            return 0.0
        R = self.mean_reward
        total = 0.0
        for y in ys:
            total += R.get((x, y), 0.0)
        return total / len(ys)

    def between(self, xs, ys, action_of):
        xs, ys = self.restrict(xs), self.restrict(ys)
        if not xs or not ys:
            return 0.0
        R = self.mean_reward
        total = 0.0
        for x in xs:
            for y in ys:
                total += R.get((x, y), 0.0)
        return total / (len(xs) * len(ys))


class DoubleJoint:
    """Double batch over a set of (state, action) pairs; every set holds the pairs of the batch that it names."""

    def __init__(self, sample, batch=None):
        self.sample = sample
        if batch is None:
            batch = [(x, a) for x in sample.states for a in sample.actions]
        self.batch = [tuple(pair) for pair in batch]
        self.batch_states = {x for x, _ in self.batch}

    def restrict(self, states):
        return states & self.batch_states

    def after_start(self, s):
        """S2: the states subsequent to s, without the terminal ones."""
        return self.sample.successors[s] & self.sample.initial

    def pairs(self, states):
        return [(x, a) for x, a in self.batch if x in states]

    def from_state(self, x, ys):
        ys = self.pairs(ys)
        if not ys:
            return 0.0
        R = self.sample.reward
        total = 0.0
        for y, a in ys:
            total += R.get((x, a, y), 0.0)
        return total / len(ys)

    def between(self, xs, ys, action_of):
        xs, ys = self.pairs(xs), self.pairs(ys)
        if not xs or not ys:
            return 0.0
        R = self.sample.reward
        total = 0.0
        for x, a_first in xs:
            for y, a_second in ys:
                a = a_first if action_of == "first" else a_second
                total += R.get((x, a, y), 0.0)
        return total / (len(xs) * len(ys))


class Unbiased:
    """Means over the sampled transitions between two sets, every action counted separately. No batch."""

    def __init__(self, sample, batch=None):
        if batch is not None:
            raise ValueError("the unbiased estimator takes no batch")
        self.sample = sample

    def restrict(self, states):
        return states

    def after_start(self, s):
        """S2: all states subsequent to s."""
        return self.sample.successors[s]

    def from_state(self, x, ys):
        return self.between({x}, ys, "first")

    def between(self, xs, ys, action_of):
        R = self.sample.rewards_of_pair
        total, count = 0.0, 0
        for x in xs:
            for y in ys:
                for r in R.get((x, y), ()):
                    total += r
                    count += 1
        return total / count if count else 0.0


def direct(sample, estimate, gamma, wanted):
    """The rewards as they are."""
    return [sample.reward[transition] for transition in wanted]


def epic(sample, estimate, gamma, wanted):
    """R(s,a,s') + gamma E[R(s',A,S)] - E[R(s,A,S)] - gamma E[R(S,A,S')], S over all explored states."""
    everything = sample.states
    constant = gamma * estimate.between(everything, everything, "second")
    values = []
    for s, a, t in wanted:
        value = sample.reward[s, a, t]
        value += gamma * estimate.from_state(t, everything)
        value -= estimate.from_state(s, everything)
        values.append(value - constant)
    return values


def dard(sample, estimate, gamma, wanted):
    """R(s,a,s') + gamma E[R(s',A,X'')] - E[R(s,A,X')] - gamma E[R(X',A,X'')], X' after s and X'' after s'."""
    values = []
    for s, a, t in wanted:
        after_s, after_t = sample.successors[s], sample.successors[t]
        value = sample.reward[s, a, t]
        value += gamma * estimate.from_state(t, after_t)
        value -= estimate.from_state(s, after_s)
        value -= gamma * estimate.between(after_s, after_t, "second")
        values.append(value)
    return values


def srrd(sample, estimate, gamma, wanted):
    """SRRD, with S5 = succ(S1) and S6 = succ(S2), both taken from the batch:

    R(s,a,s') + gamma E[R(s',A,S1)] - E[R(s,A,S2)] - gamma E[R(S3,A,S4)] + gamma^2 E[R(S1,A,S5)]
    - gamma E[R(S2,A,S6)] + gamma E[R(S3,A,S6)] - gamma^2 E[R(S4,A,S5)].
    """
    s3, s4 = sample.initial, sample.subsequent
    constant = gamma * estimate.between(s3, s4, "first")
    values = []
    for s, a, t in wanted:
        s1, s2 = sample.successors[t], estimate.after_start(s)
        s5, s6 = sample.succ(estimate.restrict(s1)), sample.succ(estimate.restrict(s2))
        value = sample.reward[s, a, t]
        value += gamma * estimate.from_state(t, s1)
        value -= estimate.from_state(s, s2)
        value += gamma**2 * estimate.between(s1, s5, "first")
        value -= gamma * estimate.between(s2, s6, "first")
        value += gamma * estimate.between(s3, s6, "first")
        value -= gamma**2 * estimate.between(s4, s5, "first")
        values.append(value - constant)
    return values


ESTIMATORS = {
    ("double", "marginal"): DoubleMarginal,
    ("double", "joint"): DoubleJoint,
    ("unbiased", "marginal"): Unbiased,
    ("unbiased", "joint"): Unbiased,
}
CANONICALIZE = {"direct": direct, "epic": epic, "dard": dard, "srrd": srrd}


def canonicalize(transitions, metric, gamma, estimator="double", actions="marginal", batch=None, only=None):
    """Canonical rewards of `only` (or of all) transitions, in their order.

    `transitions` is a list of distinct (s, a, s', reward); `only`, a list of their indices: the sets and expectations
    are always those of the whole sample.
    """
    sample = Sample(transitions)
    estimate = ESTIMATORS[estimator, actions](sample, batch)
    wanted = [tuple(row[:3]) for row in (transitions if only is None else [transitions[i] for i in only])]
    return CANONICALIZE[metric](sample, estimate, gamma, wanted)
