"""The system's timers: rendered, installed below a home of the test's own, removed again."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from graphmem.errors import ExtensionMissing, MemoryUnwritable, ServiceFailed
from graphmem.forget.timer import System, Timer, install, installed, system_here, timer, uninstall

PROGRAM = ("/opt/a b/python", "-m", "graphmem.cli")
MEMORY = Path('/data/50% "mine" $HOME/it\'s')


class FakeSystem:
    """Takes commands down; keeps a crontab."""

    def __init__(self, listed: str = "") -> None:
        self.ran: list[tuple[str, ...]] = []
        self.crontab = listed

    def __call__(self, command: Sequence[str], fed: str) -> str:
        self.ran.append(tuple(command))
        if tuple(command) == ("crontab", "-"):
            self.crontab = fed
        return self.crontab if tuple(command) == ("crontab", "-l") else ""


def made(system: System, home: Path) -> Timer:
    return timer(system, program=PROGRAM, memory=MEMORY, home=home)


@pytest.mark.parametrize("system", ["systemd", "launchd", "cron"])
def test_installed_twice_and_removed_leaves_things_as_they_were(system: System, tmp_path) -> None:
    run = FakeSystem("0 1 * * * backup\n")
    one = made(system, tmp_path)
    assert not installed(one, run)
    assert install(one, run) == install(one, run)
    assert installed(one, run)
    assert run.crontab.count("graphmem") <= 2  # the module and the mark, once
    assert uninstall(one, run)
    assert not installed(one, run)
    assert uninstall(one, run) == ()
    assert run.crontab == "0 1 * * * backup\n"
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_systemd_units(tmp_path: Path) -> None:
    one = made("systemd", tmp_path)
    names = sorted(file.suffix for file in one.files)
    assert names == [".service", ".timer"]
    texts = {file.suffix: text for file, text in one.files.items()}
    assert "OnUnitActiveSec=6h" in texts[".timer"]
    assert '"/opt/a b/python"' in texts[".service"]
    assert '50%% \\"mine\\" $$HOME' in texts[".service"]
    run = FakeSystem()
    install(one, run)
    assert run.ran[-1][:4] == ("systemctl", "--user", "enable", "--now")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_itself_accepts_the_units(tmp_path: Path) -> None:
    one = timer(
        "systemd", program=(shutil.which("true") or "/bin/true",), memory=MEMORY, home=tmp_path
    )
    install(one, FakeSystem())
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", *map(str, one.files)],
        capture_output=True, text=True, check=False, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_plist_is_one(tmp_path: Path) -> None:
    ((file, text),) = made("launchd", tmp_path).files.items()
    found = plistlib.loads(text.encode())
    assert found["ProgramArguments"] == [*PROGRAM, "--memory", str(MEMORY), "tend"]
    assert found["StartInterval"] == 6 * 3600
    assert file.stem == found["Label"]


def test_the_cron_line_runs_the_same_command(tmp_path: Path) -> None:
    line = made("cron", tmp_path).line
    fields = line.split(" ", 5)
    assert fields[:5] == ["17", "*/6", "*", "*", "*"]
    command = shlex.split(fields[5].replace(r"\%", "%"), comments=True)
    assert command == [*PROGRAM, "--memory", str(MEMORY), "tend"]


def test_two_memories_have_two_timers(tmp_path: Path) -> None:
    other = timer("cron", program=PROGRAM, memory=Path("/other"), home=tmp_path)
    run = FakeSystem()
    install(other, run)
    install(made("cron", tmp_path), run)
    uninstall(other, run)
    assert installed(made("cron", tmp_path), run)


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / ".config").write_text("a file in the way")
    with pytest.raises(MemoryUnwritable):
        install(made("systemd", tmp_path), FakeSystem())


def test_a_path_with_a_line_break_is_refused(tmp_path: Path) -> None:
    for system in ("systemd", "cron"):
        with pytest.raises(ServiceFailed):
            timer(system, program=PROGRAM, memory=Path("/a\nb"), home=tmp_path)


def test_which_system_is_here() -> None:
    has = {"systemctl": "/x"}.get
    assert system_here("darwin", has) == "launchd"
    assert system_here("linux", has) == "systemd"
    assert system_here("linux", {"crontab": "/x"}.get) == "cron"
    with pytest.raises(ExtensionMissing):
        system_here("linux", {}.get)
