"""Blocking verbs made awaitable, by looking at a class instead of writing it down twice.

Each object has one worker thread of its own: calls are carried out one after another in the order in
which they were made, beside the event loop. A call that is cancelled while it waits for its turn is
never started; one that has been started is carried out whole. Half a write cannot happen.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, AsyncIterator, Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from typing import Any, Generic, Self, TypeVar

from graphmem.errors import StoreError

T = TypeVar("T")
_END = object()


class Asynchronous(Generic[T]):
    """An object whose verbs block, with the same verbs awaitable. `blocking` is the object itself.

    A subclass is made by `over`. It is an async context manager; leaving it closes the object.
    """

    def __init__(self, blocking: T) -> None:
        self.blocking = blocking
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=type(self).__name__)
        self._closed = False

    async def close(self) -> None:
        """Close after the calls that were made before; closing twice is harmless."""
        if self._closed:
            return
        self._closed = True
        try:
            await self._run(self.blocking.close)  # type: ignore[attr-defined]
        finally:
            self._worker.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _call(self, verb: Callable[..., Any], *given: Any, **named: Any) -> Any:
        if self._closed:
            raise StoreError("the memory is closed", next_step="open it again")
        return await self._run(partial(verb, self.blocking, *given, **named))

    async def _run(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)


class Opening(Generic[T]):
    """Something that is being opened: `await` it, or enter it with `async with`."""

    def __init__(self, make: Callable[[], Any], wrap: Callable[[Any], T]) -> None:
        self._make = make
        self._wrap = wrap
        self._opened: Any = None

    def __await__(self) -> Generator[Any, None, T]:
        return self._open().__await__()

    async def __aenter__(self) -> T:
        opened = await self._open()
        self._opened = opened
        return opened

    async def __aexit__(self, *_: object) -> None:
        await self._opened.close()

    async def _open(self) -> T:
        """Given up while it opens, what has been opened is closed again."""
        opening = asyncio.ensure_future(asyncio.to_thread(self._make))
        try:
            return self._wrap(await asyncio.shield(opening))
        except asyncio.CancelledError:
            opening.add_done_callback(_close_again)
            raise


def _close_again(opening: asyncio.Future[Any]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


def over(kind: type[T]) -> Callable[[type[Any]], type[Any]]:
    """A class decorator: gives a subclass of `Asynchronous` the public verbs of `kind`.

    Methods that give an iterator become asynchronous iterators, properties stay properties, class
    methods that give Self open. Names that the subclass has itself are left alone, and context managers left out: what
    they give would block.
    """

    def complete(made: type[Any]) -> type[Any]:
        for name, verb in vars(kind).items():
            if name.startswith("_") or name in vars(made) or name == "close":
                continue
            if isinstance(verb, property):
                setattr(made, name, property(_attribute(name), doc=verb.__doc__))
            elif isinstance(verb, classmethod):
                opens = inspect.signature(verb.__func__).return_annotation == "Self"
                made_so = _opening if opens else _beside
                setattr(made, name, classmethod(made_so(verb.__func__, kind)))
            elif inspect.isfunction(verb) and not _is_context(verb):
                setattr(made, name, _iterating(verb) if gives_iterator(verb) else _awaiting(verb))
        return made

    return complete


def gives_iterator(verb: Callable[..., Any]) -> bool:
    """Whether a method yields its answers one by one."""
    returned = inspect.signature(verb).return_annotation
    return inspect.isgeneratorfunction(verb) or str(returned).startswith("Iterator[")


def _is_context(verb: Callable[..., Any]) -> bool:
    inner = getattr(verb, "__wrapped__", None)
    return inner is not None and inspect.isgeneratorfunction(inner)


def _attribute(name: str) -> Callable[[Any], Any]:
    return lambda self: getattr(self.blocking, name)


def _awaiting(verb: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(verb)
    async def awaited(self: Asynchronous[Any], *given: Any, **named: Any) -> Any:
        return await self._call(verb, *given, **named)

    return awaited


def _iterating(verb: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(verb)
    async def iterated(
        self: Asynchronous[Any], source: Iterable[Any] | AsyncIterable[Any], *given: Any
    ) -> AsyncIterator[Any]:
        if isinstance(source, AsyncIterable):  # each as it comes: it may be a live conversation
            async for one in source:
                for answer in await self._call(_all_of(verb), [one], *given):
                    yield answer
            return
        answers = await self._call(verb, source, *given)
        try:
            while (answer := await self._call(_next, answers)) is not _END:
                yield answer
        finally:
            if not self._closed:
                await self._call(_end, answers)

    return iterated


def _all_of(verb: Callable[..., Any]) -> Callable[..., list[Any]]:
    return lambda *given: list(verb(*given))


def _next(_: Any, answers: Any) -> Any:
    return next(answers, _END)


def _end(_: Any, answers: Any) -> None:
    answers.close()


def _opening(function: Callable[..., Any], kind: type[Any]) -> Callable[..., Any]:
    @wraps(function)
    def opened(cls: type[Any], *given: Any, **named: Any) -> Opening[Any]:
        def wrap(made: Any) -> Any:
            return cls(made) if isinstance(made, kind) else made

        return Opening(partial(function, kind, *given, **named), wrap)

    return opened


def _beside(function: Callable[..., Any], kind: type[Any]) -> Callable[..., Any]:
    """A class method that opens nothing: carried out in a thread of its own."""

    @wraps(function)
    async def done(cls: type[Any], *given: Any, **named: Any) -> Any:  # noqa: ARG001 - it is one
        return await asyncio.to_thread(function, kind, *given, **named)

    return done
