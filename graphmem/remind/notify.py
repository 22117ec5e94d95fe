"""Due reminders as notifications on the desktop, by the optional package desktop-notifier."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable

from graphmem.errors import ExtensionMissing, ServiceFailed
from graphmem.remind.schedule import Due

Send = Callable[[str, str], None]


def notify(found: Iterable[Due], send: Send) -> None:
    """Send one notification for each reminder: what to do, and for when it was."""
    for one in found:
        late = " (late)" if one.late else ""
        send(one.trigger.action, f"{one.at:%Y-%m-%d %H:%M}{late}")


def desktop() -> Send:
    """Sends a title and a text to this desktop. Raises ExtensionMissing where the package is not
    installed; sending raises ServiceFailed where the desktop takes no notifications.
    """
    try:
        from desktop_notifier import DesktopNotifier  # noqa: PLC0415 - an extra
    except ImportError as cause:
        raise ExtensionMissing(
            "desktop notifications need the package desktop-notifier",
            next_step="pip install 'graphmem[notify]'",
        ) from cause

    async def sent(title: str, text: str) -> bool:
        taken: list[bool] = []
        notifier = DesktopNotifier(app_name="graphmem")
        if await notifier.request_authorisation():
            await notifier.send(title=title, message=text, on_dispatched=lambda: taken.append(True))
        return bool(taken)

    def send(title: str, text: str) -> None:
        # the package logs a failure and goes on: only its callback tells whether it was taken
        logging.getLogger("desktop_notifier").setLevel(logging.CRITICAL)
        if not asyncio.run(sent(title, text)):
            raise ServiceFailed(
                "this desktop took no notification",
                expected="a desktop session with a notification service",
                next_step="leave out --notify to read the reminders here",
            )

    return send
