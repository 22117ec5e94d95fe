"""Asks a database of known weaknesses about every package in a Python environment, where one can be reached.

`python tools/audit.py PYTHON FOLDER`: PYTHON is that environment's interpreter, FOLDER a place for pip-audit's own
environment. Exit status 1 where a weakness is known, 0 where none is or where no database answers, which is told:
docs/dependencies.md is then what is known.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SERVICES = ("pypi", "osv")
ROOT = Path(__file__).parents[1]
_RECORD = "docs/dependencies.md is what is known"
_NOT_OURS = frozenset(
    {"graphmem", "pip", "setuptools", "wheel"}
)  # what installs is not what is installed
_TIME = 600  # seconds


def installed(python: str) -> list[str]:
    """The packages of an environment as `name==version`, graphmem itself left out."""
    code = (
        "import importlib.metadata as m\n"
        "for one in m.distributions(): print(f\"{one.metadata['Name']}=={one.version}\")"
    )
    found = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603
    return sorted(
        {line for line in found.stdout.splitlines() if line.partition("==")[0] not in _NOT_OURS}
    )


def asked(
    tool: Sequence[str], packages: Sequence[str], service: str
) -> list[dict[str, Any]] | None:
    """What a service says of each package; None where it does not answer."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "packages.txt"
        listed.write_text("\n".join(packages) + "\n")
        command = [*tool, "-s", service, "-r", str(listed), "--no-deps", "--disable-pip"]
        command += ["-f", "json", "--progress-spinner", "off", "--timeout", "10"]
        try:
            done = subprocess.run(  # noqa: S603
                command, check=False, capture_output=True, text=True, timeout=_TIME
            )
        except subprocess.TimeoutExpired:
            return None
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return None
    return found if any("skip_reason" not in one for one in found) else None


def verdict(answers: Sequence[dict[str, Any]]) -> tuple[list[str], int, int]:
    """Weaknesses as lines, how many packages were looked up, and how many the database does not know."""
    lines = [
        f"{one['name']} {one['version']}: {weak['id']}, mended in {', '.join(weak['fix_versions']) or 'no version'}"
        for one in answers
        for weak in one.get("vulns", ())
    ]
    skipped = sum("skip_reason" in one for one in answers)
    return lines, len(answers) - skipped, skipped


def audit_tool(folder: Path) -> list[str] | None:
    """pip-audit in an environment of its own; None where it cannot be had."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    python = folder / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)  # noqa: S603
        pip = [str(python), "-m", "pip", "install", "--quiet", *groups["audit"]]
        subprocess.run(pip, check=True, timeout=_TIME)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return [str(python), "-m", "pip_audit"]


def main(arguments: Sequence[str]) -> int:
    """Ask the first service that answers."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    tool = audit_tool(Path(arguments[1]))
    if tool is None:
        print(f"audit: pip-audit cannot be had here; {_RECORD}")
        return 0
    packages = installed(arguments[0])
    for service in SERVICES:
        if (
            asked(tool, packages[:1], service) is None
            and asked(tool, ["pip==24.0"], service) is None
        ):
            continue
        answers = asked(tool, packages, service)
        if answers is not None:
            lines, looked, skipped = verdict(answers)
            print(
                f"audit: {looked} packages looked up in {service}, {skipped} unknown there, {len(lines)} weaknesses"
            )
            print(*lines, sep="\n")
            return 1 if lines else 0
    print(f"audit: no database of known weaknesses answers ({', '.join(SERVICES)}); {_RECORD}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
