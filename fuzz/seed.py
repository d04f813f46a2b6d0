"""Writes a starting corpus for the target `tables` from the fixtures of crates/srrd-data."""

import pathlib

here = pathlib.Path(__file__).parent
formats = {".csv": 0, ".tsv": 1, ".jsonl": 2, ".parquet": 3, ".arrow": 4, ".feather": 4, ".npz": 5}
corpus = here / "corpus" / "tables"
corpus.mkdir(parents=True, exist_ok=True)
for path in sorted((here.parent / "crates/srrd-data/tests/fixtures").iterdir()):
    if path.suffix in formats:
        # As batches, as samples, and as batches of one column.
        for first in (formats[path.suffix], 40 + formats[path.suffix], 130 + formats[path.suffix]):
            (corpus / f"{path.name}-{first}").write_bytes(bytes([first]) + path.read_bytes())
# Rows that the readers of blocks take in their fastest way.
rows = "".join(f"{i},{i % 3},{(7 * i) % 40},{'-' * (i % 2)}{i / 7!r}\n" for i in range(40))
(corpus / "rows.csv-40").write_bytes(bytes([40]) + f"state,action,next_state,reward\n{rows}".encode())
