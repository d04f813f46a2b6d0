"""Writes a starting corpus for the target `tables` from the fixtures of crates/srrd-tables."""

import pathlib

here = pathlib.Path(__file__).parent
formats = {".csv": 0, ".tsv": 1, ".jsonl": 2, ".parquet": 3, ".arrow": 4, ".feather": 4, ".npz": 5}
corpus = here / "corpus" / "tables"
corpus.mkdir(parents=True, exist_ok=True)
for path in sorted((here.parent / "crates/srrd-tables/tests/fixtures").iterdir()):
    if path.suffix in formats:
        for first in (formats[path.suffix], 130 + formats[path.suffix]):
            (corpus / f"{path.name}-{first}").write_bytes(bytes([first]) + path.read_bytes())
