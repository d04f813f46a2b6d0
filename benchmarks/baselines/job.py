"""The whole job as a user would do it without srrd: read a CSV table, number the states, take SRRD with scipy.sparse, write the table with
a column `canonical`.

Two versions, with pandas and with polars. Importing the libraries is not part of the time, which is in their favour. The arithmetic is that of
`sparse.py`, tuned by timing.
"""

import numpy as np
import pandas
import polars

from baselines import sparse


def with_pandas(table, out, gamma):
    """Reads `table` and writes `out`; gives the canonical rewards."""
    frame = pandas.read_csv(table)
    ends = pandas.concat([frame["state"], frame["next_state"]], ignore_index=True)
    numbers, _ = pandas.factorize(ends)
    states, next_states = np.split(numbers.astype(np.int32), 2)
    actions, _ = pandas.factorize(frame["action"])
    frame["canonical"] = sparse.canonicalize(
        states, actions.astype(np.int32), next_states, frame["reward"].to_numpy(), "srrd", gamma
    )
    frame.to_csv(out, index=False)
    return frame["canonical"].to_numpy()


def with_polars(table, out, gamma):
    """Reads `table` and writes `out`; gives the canonical rewards."""
    frame = polars.read_csv(table)
    ends = polars.concat([frame["state"], frame["next_state"]])
    states, next_states = np.split(ends.rank("dense").to_numpy().astype(np.int32) - 1, 2)
    actions = frame["action"].rank("dense").to_numpy().astype(np.int32) - 1
    canonical = sparse.canonicalize(states, actions, next_states, frame["reward"].to_numpy(), "srrd", gamma)
    frame.with_columns(polars.Series("canonical", canonical)).write_csv(out)
    return canonical


#: What the job is done with, and the function that does it.
JOBS = {"pandas + scipy.sparse": with_pandas, "polars + scipy.sparse": with_polars}
