"""The lock that threads get in the order in which they ask."""

from __future__ import annotations

import threading
import time

import pytest

from graphmem.in_order import InOrder


def test_whoever_asks_first_comes_first() -> None:
    lock, order = InOrder(), list[int]()

    def come(n: int) -> None:
        with lock:
            order.append(n)

    threads = [threading.Thread(target=come, args=(n,)) for n in range(8)]
    with lock:
        for n, one in enumerate(threads):
            one.start()
            while len(lock._waiting) <= n:
                time.sleep(0.001)
        assert not order
    for one in threads:
        one.join(5)
    assert order == list(range(8))


def test_it_is_taken_again_by_its_holder_alone() -> None:
    lock, taken = InOrder(), list[bool]()
    with lock, lock:
        assert lock.acquire(blocking=False)
        lock.release()
        other = threading.Thread(target=lambda: taken.append(lock.acquire(blocking=False)))
        other.start()
        other.join(5)
    assert taken == [False]
    with pytest.raises(RuntimeError):
        lock.release()
    assert lock.acquire(blocking=False)
    lock.release()


def test_no_count_is_lost_under_contention() -> None:
    lock, counts = InOrder(), {"all": 0, "inside": 0}
    mine = [0] * 8

    def work(n: int) -> None:
        for _ in range(300):
            with lock:
                counts["inside"] += 1
                assert counts["inside"] == 1
                counts["all"] += 1
                mine[n] += 1
                counts["inside"] -= 1

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)
    assert counts == {"all": 2400, "inside": 0}
    assert mine == [300] * 8
    assert lock._owner is None


def test_an_interrupted_waiter_leaves_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an interrupt does in the middle of waiting, on the main thread."""
    lock = InOrder()
    held, go = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            go.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)

    class Interrupted:
        """A turn whose second acquiring is interrupted."""

        def __init__(self) -> None:
            self.times = 0

        def acquire(self) -> None:
            self.times += 1
            if self.times == 2:
                raise KeyboardInterrupt

        def release(self) -> None:
            pass

    with monkeypatch.context() as patch:
        patch.setattr("graphmem.in_order.threading.Lock", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            lock.acquire()
    assert not lock._waiting
    go.set()
    holder.join(10)
    assert lock.acquire(blocking=False)
    lock.release()
