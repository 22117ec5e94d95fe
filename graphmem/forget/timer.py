"""The system's timer for upkeep: files and commands for systemd, launchd and cron (R5.5).

Rendering is pure; `install` and `uninstall` write only where the owner asks for it, below a home that is
passed in, and run the system's own commands through a runner that is passed in.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape

from graphmem.errors import ExtensionMissing, MemoryUnwritable, ServiceFailed

System = Literal["systemd", "launchd", "cron"]
Run = Callable[[Sequence[str], str], str]
HOURS = 6

_SERVICE = """\
[Unit]
Description=graphmem upkeep of {memory}

[Service]
Type=oneshot
ExecStart={command}
Nice=10
"""
_TIMER = """\
[Unit]
Description=graphmem upkeep every {hours} hours

[Timer]
OnBootSec=10min
OnUnitActiveSec={hours}h
Persistent=true

[Install]
WantedBy=timers.target
"""
_PLIST = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>{name}</string>
  <key>ProgramArguments</key>
  <array>
{words}
  </array>
  <key>StartInterval</key><integer>{seconds}</integer>
  <key>ProcessType</key><string>Background</string>
</dict>
</plist>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """What a timer is made of: files by path, the commands that switch it on and off, a cron line."""

    name: str
    system: System
    files: Mapping[Path, str] = field(default_factory=dict)
    on: tuple[tuple[str, ...], ...] = ()
    off: tuple[tuple[str, ...], ...] = ()
    line: str = ""


def timer(system: System, *, program: Sequence[str], memory: Path, home: Path) -> Timer:
    """The timer that runs `program --memory MEMORY tend` every six hours for this user.

    Raises ServiceFailed for a path that no timer can name.
    """
    command = (*program, "--memory", str(memory), "tend")
    if any(not word.isprintable() for word in command):
        raise ServiceFailed(
            f"{str(memory)!r} holds characters that no timer can name",
            expected="a path of printable characters",
        )
    mark = hashlib.blake2b(str(memory).encode(), digest_size=4).hexdigest()
    name = f"graphmem-tend-{mark}"
    if system == "systemd":
        folder = home / ".config" / "systemd" / "user"
        return Timer(
            name=name,
            system=system,
            files={
                folder / f"{name}.service": _SERVICE.format(
                    memory=str(memory).replace("%", "%%"), command=_for_systemd(command)
                ),
                folder / f"{name}.timer": _TIMER.format(hours=HOURS),
            },
            on=(
                ("systemctl", "--user", "daemon-reload"),
                ("systemctl", "--user", "enable", "--now", f"{name}.timer"),
            ),
            off=(("systemctl", "--user", "disable", "--now", f"{name}.timer"),),
        )
    if system == "launchd":
        label = f"org.{name}"
        file = home / "Library" / "LaunchAgents" / f"{label}.plist"
        words = "\n".join(f"    <string>{escape(word)}</string>" for word in command)
        return Timer(
            name=label,
            system=system,
            files={file: _PLIST.format(name=label, words=words, seconds=HOURS * 3600)},
            on=(("launchctl", "load", "-w", str(file)),),
            off=(("launchctl", "unload", "-w", str(file)),),
        )
    quoted = shlex.join(command).replace("%", r"\%")
    return Timer(name=name, system=system, line=f"17 */{HOURS} * * * {quoted} # {name}")


def install(one: Timer, run: Run) -> tuple[str, ...]:
    """Write the timer's files and switch it on; returns what was done. Doing it twice is harmless.

    Raises MemoryUnwritable where a file cannot be written, and ServiceFailed where the system refuses
    (`run` raises it); then no file is left.
    """
    for file, text in one.files.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        except OSError as cause:
            raise MemoryUnwritable(f"{file}: {cause.strerror}") from cause
    try:
        for command in one.on:
            run(command, "")
    except ServiceFailed:
        for file in one.files:
            file.unlink()
        raise
    if one.line:
        kept = _other_lines(run(("crontab", "-l"), ""), one.name)
        run(("crontab", "-"), "\n".join([*kept, one.line, ""]))
    return (*map(str, one.files), *((one.line,) if one.line else ()))


def uninstall(one: Timer, run: Run) -> tuple[str, ...]:
    """Switch the timer off and remove what `install` wrote; returns what was removed."""
    found = [file for file in one.files if file.exists()]
    try:
        for command in one.off if found else ():
            run(command, "")
    finally:
        for file in found:
            file.unlink()
    gone = [str(file) for file in found]
    if one.line:
        listed = run(("crontab", "-l"), "")
        kept = _other_lines(listed, one.name)
        if len(kept) < len(listed.splitlines()):
            run(("crontab", "-"), "\n".join([*kept, ""]))
            gone.append(one.line)
    return tuple(gone)


def installed(one: Timer, run: Run) -> bool:
    """True where the timer's files, or its cron line, are there."""
    if one.line:
        return any(one.name in line for line in run(("crontab", "-l"), "").splitlines())
    return all(file.exists() for file in one.files)


def system_here(platform: str, which: Callable[[str], str | None]) -> System:
    """The timer system of this machine. Raises ExtensionMissing where there is none."""
    if platform == "darwin":
        return "launchd"
    if which("systemctl"):
        return "systemd"
    if which("crontab"):
        return "cron"
    raise ExtensionMissing(
        "neither systemd, launchd nor cron is on this machine",
        next_step="run `graphmem tend` now and then; opening the memory does a part of it too",
    )


def _other_lines(listed: str, name: str) -> list[str]:
    return [line for line in listed.splitlines() if not line.endswith(f"# {name}")]


def _for_systemd(command: Sequence[str]) -> str:
    return " ".join(
        '"'
        + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
        + '"'
        for word in command
    )
