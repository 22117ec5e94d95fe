"""Vector search over the passages: the vectors' numbers are those of the passages.

New vectors are kept in the SQLite database (table new_vectors) until they are folded into the FAISS file,
so that adding one needs neither to load nor to write the file, and a crash costs nothing. The file is
only trusted when its stamp and its checksum are right, and only for passages that exist; whatever it
lacks is embedded again from the passages' texts.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from graphmem.errors import MemoryUnwritable
from graphmem.protocols import Embedder, Filter, Vectors
from graphmem.store.filters import where
from graphmem.store.passages import PassageTable
from graphmem.store.vector_index import VectorIndex

SCHEMA = "CREATE TABLE new_vectors(n INTEGER PRIMARY KEY, vector BLOB NOT NULL);"
_MAGIC = b"graphmem vectors 1\n"
_BATCH = 256  # texts embedded in one call
_SAVE_EVERY = 64  # batches, when everything is embedded again
_WIDER, _WIDEST = 2, 25  # times as many are looked at before a filter, and once more
_SAMPLE, _SAME = 50, 0.99  # vectors compared by `strange`, and the cosine they must have
_FOLD_AT_LEAST = 256  # new vectors that make it worth to write the file on close
_FOLD_SHARE = 0.05  # of all vectors: the file is written when more than that are new


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a vector file belongs to: an embedder, and one making of the passages table."""

    embedder: str
    dimension: int
    generation: str


class VectorFile:
    """One file: a magic line, a JSON header (stamp, length, checksum), the serialised FAISS index."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, stamp: Stamp) -> VectorIndex | None:
        """The index, or None where the file is missing, damaged or belongs to something else."""
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return None
        if not raw.startswith(_MAGIC):
            return None
        header, _, body = raw[len(_MAGIC) :].partition(b"\n")
        if header != _header(stamp, body):
            return None
        return VectorIndex.read(body)

    def write(self, stamp: Stamp, index: VectorIndex) -> None:
        """Replace the file in one step. Raises MemoryUnwritable."""
        body = index.written()
        try:
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix="vectors-", suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + _header(stamp, body) + b"\n")
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except OSError as cause:
            raise MemoryUnwritable(
                f"the vector file {self.path} cannot be written: {cause}",
                next_step="free some space or check the permissions; nothing is lost",
            ) from cause

    def remove(self) -> None:
        """Delete the file and what interrupted writes left."""
        for path in (self.path, *self.path.parent.glob("vectors-*.part")):
            path.unlink(missing_ok=True)


def _header(stamp: Stamp, body: bytes) -> bytes:
    told = asdict(stamp) | {"bytes": len(body), "crc32": zlib.crc32(body)}
    return json.dumps(told, sort_keys=True).encode()


class PassageVectors:
    """The vectors of all passages; loaded when first needed. The caller holds lock and transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        table: PassageTable,
        file: VectorFile,
        embedder: Embedder,
    ) -> None:
        self._db = connection
        self._table = table
        self._file = file
        self._embedder = embedder
        self._index: VectorIndex | None = None
        self._stamp: Stamp | None = None

    def load(self, stamp: Stamp) -> None:
        """Have the vectors in memory."""
        self._loaded(stamp)

    def unload(self) -> None:
        """Forget what is in memory: something else may have changed the files."""
        self._index = None

    def embed(self, fresh: Sequence[tuple[int, str]], *, keep: bool = True) -> None:
        """Make the vectors of new passages; without `keep` they are in memory only, until `fold`."""
        for at in range(0, len(fresh), _BATCH):
            some = fresh[at : at + _BATCH]
            made = self._embedder.passages([text for _, text in some])
            if keep:
                halves = made.astype(np.float16)
                rows = [(n, half.tobytes()) for (n, _), half in zip(some, halves, strict=True)]
                self._db.executemany("INSERT OR REPLACE INTO new_vectors VALUES (?, ?)", rows)
            if self._index is not None:
                self._index.put([n for n, _ in some], made)

    def remove(self, numbers: Sequence[int]) -> None:
        """Take passages out; `fold` then takes them out of the file."""
        self._db.executemany("DELETE FROM new_vectors WHERE n = ?", [(n,) for n in numbers])
        if self._index is not None:
            self._index.drop(numbers)

    def search(
        self, vector: Vectors, limit: int, only: Filter, stamp: Stamp
    ) -> list[tuple[int, float]]:
        """Numbers and cosines of the nearest passages that the filter allows, best first."""
        index = self._loaded(stamp)
        if not where(only):
            return index.search(vector, limit)
        # The best few of all, less the forbidden, are the best allowed ones if enough are left;
        # to list everything allowed is slower, but right for a filter that lets little through.
        for wide in (_WIDER * limit, _WIDEST * limit):
            near = index.search(vector, wide)
            allowed = self._table.allowed([n for n, _ in near], only)
            hits = [hit for hit in near if hit[0] in allowed][:limit]
            if len(hits) == limit or len(near) < wide:
                return hits
        return index.search(vector, limit, np.array(self._table.numbers(only), dtype=np.int64))

    def of(self, numbers: Sequence[int], stamp: Stamp) -> Vectors:
        """The vectors of these passages, zeros for unknown ones."""
        return self._loaded(stamp).of(numbers)

    def numbers(self, stamp: Stamp) -> set[int]:
        """The passages that have a vector."""
        return set(self._loaded(stamp).numbers().tolist())

    def strange(self, stamp: Stamp) -> list[int]:
        """Passages, out of a sample spread over all, whose vector is not what the embedder makes now."""
        numbers = sorted(self.numbers(stamp))
        sample = numbers[:: max(1, len(numbers) // _SAMPLE)][:_SAMPLE]
        texts = self._table.texts(sample)
        if not texts:
            return []
        made = self._embedder.passages([text for _, text in texts])
        cosines = (made * self.of([n for n, _ in texts], stamp)).sum(axis=1)
        return [n for (n, _), cosine in zip(texts, cosines, strict=True) if cosine < _SAME]

    def worth_folding(self) -> bool:
        """Whether so many vectors are new that the file should be written."""
        new = self._db.execute("SELECT count(*) FROM new_vectors").fetchone()[0]
        if new < _FOLD_AT_LEAST:
            return False
        total = self._db.execute("SELECT count(*) FROM passages").fetchone()[0]
        return bool(new >= total * _FOLD_SHARE)

    def fold(self, stamp: Stamp) -> None:
        """Write the file with everything; commits."""
        self._index = self._loaded(stamp).regrouped()
        self._file.write(stamp, self._index)
        self._db.execute("DELETE FROM new_vectors")
        self._db.commit()

    # --- loading ---

    def _loaded(self, stamp: Stamp) -> VectorIndex:
        if self._index is None or self._stamp != stamp:
            read = self._file.read(stamp)
            self._index = VectorIndex.empty(stamp.dimension) if read is None else read
            self._stamp = stamp
            self._reconcile(stamp, self._index)
        return self._index

    def _reconcile(self, stamp: Stamp, index: VectorIndex) -> None:
        """Bring what was loaded in line with the passages table: they must have the same numbers."""
        wanted = set(self._table.numbers(Filter()))
        new = {
            n: np.frombuffer(blob, dtype=np.float16).astype(np.float32)
            for n, blob in self._db.execute("SELECT n, vector FROM new_vectors").fetchall()
            if n in wanted and len(blob) == 2 * stamp.dimension
        }
        stored = set(index.numbers().tolist())
        index.drop((stored - wanted) | (stored & new.keys()))
        if new:
            index.put(list(new), np.stack(list(new.values())))
        missing = sorted(wanted - stored - new.keys())
        for at in range(0, len(missing), _BATCH):
            some = missing[at : at + _BATCH]
            self.embed(self._table.texts(some), keep=len(missing) <= _FOLD_AT_LEAST)
            if at and at % (_SAVE_EVERY * _BATCH) == 0:
                self._file.write(stamp, index)
        if len(missing) > _FOLD_AT_LEAST:
            self._index = index.regrouped()
            self._file.write(stamp, self._index)
        elif missing:
            self._db.commit()
