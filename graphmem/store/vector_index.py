"""The FAISS index under the vectors: exact while it is small, in lists by nearness once it is large.

Up to `LARGE` vectors every one is compared, in half precision. Above, they are kept in lists around trained
centres, eight bits a component, and a search looks into the nearest lists only. Measured on 100,000
sentences with the default embedder: .4 ms a search instead of 8, .985 of the same ten nearest, half
the size (see docs/decisions/vector-lists.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from graphmem.protocols import Vectors

LARGE = 20_000  # vectors from which on lists are used
_REGROUP = 8  # the lists are made anew once there are so many times the vectors they were made for
_LOOKED_INTO, _LEAST_LISTS = (
    16,
    16,
)  # a search looks into one list in so many, and into so many at least
_FEW, _FEW_LISTS = 32, 4  # where so few are wanted at most, it looks into a quarter of these
_PER_LIST = 32  # vectors a centre is trained from
_ROUNDS = 8  # of training
_CHUNK = 8_192  # vectors moved at once
_SEED = 7

Ids = NDArray[np.int64]
_faiss: Any = faiss  # its types do not tell everything it has


class VectorIndex:
    """Vectors of one dimension by number; cosines, as rows have length one. Not thread-safe."""

    def __init__(self, index: Any) -> None:
        self._index = index

    @classmethod
    def empty(cls, dimension: int) -> VectorIndex:
        """An index without vectors."""
        flat = faiss.IndexScalarQuantizer(
            dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        return cls(faiss.IndexIDMap2(flat))

    @classmethod
    def read(cls, body: bytes) -> VectorIndex:
        """From what `written` gave."""
        return cls(faiss.deserialize_index(np.frombuffer(body, dtype=np.uint8)))

    def written(self) -> bytes:
        """The index as bytes."""
        body: bytes = faiss.serialize_index(self._index).tobytes()
        return body

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def in_lists(self) -> bool:
        """Whether the vectors are kept in lists."""
        return isinstance(self._index, faiss.IndexIVF)

    def numbers(self) -> Ids:
        """The numbers of all vectors, in no order."""
        if not self.in_lists:
            found: Ids = faiss.vector_to_array(self._index.id_map)
            return found
        lists = self._index.invlists
        parts = [
            faiss.rev_swig_ptr(lists.get_ids(one), lists.list_size(one)).copy()
            for one in range(lists.nlist)
            if lists.list_size(one)
        ]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def put(self, numbers: Sequence[int], vectors: Vectors) -> None:
        """Add vectors, shape (len(numbers), dimension), under numbers that are not there."""
        self._index.add_with_ids(
            np.ascontiguousarray(vectors, dtype=np.float32), np.array(numbers, dtype=np.int64)
        )

    def drop(self, numbers: Iterable[int]) -> None:
        """Take vectors out; unknown numbers are passed over."""
        gone = np.array(sorted(numbers), dtype=np.int64)
        if (
            len(gone) and self.in_lists
        ):  # it keeps a map by number, which takes none that is unknown
            gone = gone[np.isin(gone, self.numbers())]
        if len(gone):
            self._index.remove_ids(gone)

    def of(self, numbers: Sequence[int]) -> Vectors:
        """Shape (len(numbers), dimension); zeros for unknown numbers."""
        rows = np.zeros((len(numbers), self._index.d), dtype=np.float32)
        try:
            found: Vectors = self._index.reconstruct_batch(np.array(numbers, dtype=np.int64))
        except RuntimeError:  # one of them is unknown
            pass
        else:
            return found
        for at, n in enumerate(numbers):
            try:
                rows[at] = self._index.reconstruct(int(n))
            except RuntimeError:  # how it says that it has no such number
                continue
        return rows

    def search(
        self, vector: Vectors, limit: int, among: Ids | None = None
    ) -> list[tuple[int, float]]:
        """Numbers and cosines of the nearest, best first; ties by number. With `among`, of these alone."""
        count = min(limit, len(self) if among is None else len(among))
        if count <= 0:
            return []
        query = np.ascontiguousarray(vector, dtype=np.float32).reshape(1, -1)
        cosines, numbers = self._index.search(query, count, params=self._parameters(count, among))
        pairs = zip(numbers[0].tolist(), cosines[0].tolist(), strict=True)
        return sorted(((n, c) for n, c in pairs if n >= 0), key=lambda hit: (-hit[1], hit[0]))

    def _parameters(self, count: int, among: Ids | None) -> Any:
        chosen = None if among is None else faiss.IDSelectorBatch(among)
        if not self.in_lists:
            return None if chosen is None else _faiss.SearchParameters(sel=chosen)
        # those that are asked for may lie in any list
        lists = self._index.nlist
        if chosen is None:
            less = _FEW_LISTS if count <= _FEW else 1
            lists = min(lists, max(_LEAST_LISTS, lists // _LOOKED_INTO) // less)
        more = {} if chosen is None else {"sel": chosen}
        return _faiss.SearchParametersIVF(nprobe=lists, **more)

    def regrouped(self) -> VectorIndex:
        """The same vectors in lists that fit their number; itself where they fit already."""
        total = len(self)
        if total < LARGE or (self.in_lists and lists_for(total) < _REGROUP * self._index.nlist):
            return self
        numbers = np.sort(self.numbers())
        made = _lists(self._index.d, lists_for(total))
        some = np.random.default_rng(_SEED).choice(
            numbers, min(total, made.nlist * _PER_LIST), replace=False
        )
        made.train(self.of(some.tolist()))
        made.set_direct_map_type(_faiss.DirectMap.Hashtable)
        for at in range(0, total, _CHUNK):
            part = numbers[at : at + _CHUNK]
            made.add_with_ids(self.of(part.tolist()), part)
        return VectorIndex(made)


def lists_for(total: int) -> int:
    """How many lists for so many vectors: the power of two below twice the square root."""
    return 1 << int(math.log2(2 * math.sqrt(max(total, 1))))


def _lists(dimension: int, count: int) -> Any:
    made = _faiss.index_factory(dimension, f"IVF{count},SQ8", faiss.METRIC_INNER_PRODUCT)
    made.cp.niter, made.cp.seed = _ROUNDS, _SEED
    made.cp.min_points_per_centroid = 1  # it would warn on the terminal
    return made
