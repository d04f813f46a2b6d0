"""The baselines of a module by the names of its functions."""


def by_name(prepare, functions):
    """The function `canonicalize` of a module that has a function ESTIMATOR_METRIC for each of both."""

    def canonicalize(states, actions, next_states, rewards, metric, gamma, estimator="double"):
        """Canonical rewards of distinct transitions, in their order. `actions` only makes the transitions distinct."""
        if metric == "direct":
            return rewards.copy()
        return functions[f"{estimator}_{metric}"](prepare(states, next_states, rewards), gamma)

    return canonicalize
