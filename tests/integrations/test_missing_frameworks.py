"""Where a framework is not installed, the error names the command that installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import sys
for name in {gone!r}:
    sys.modules[name] = None
from graphmem.errors import ExtensionMissing
try:
    {act}
except ExtensionMissing as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("gone", "act", "extra"),
    [
        (("langgraph",), "import graphmem.integrations.langgraph", "langgraph"),
        (("langchain_core",), "import graphmem.integrations.langchain", "langchain"),
        (("agents",), "import graphmem.integrations.openai_agents", "openai-agents"),
        (
            ("mcp",),
            "sys.argv = ['graphmem', 'mcp']; from graphmem.cli.app import app; app()",
            "mcp",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_the_install_command_is_named(
    tmp_path: Path, gone: tuple[str, ...], act: str, extra: str
) -> None:
    told = subprocess.run(
        [sys.executable, "-c", CODE.format(gone=gone, act=act)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert f'pip install "graphmem[{extra}]"' in told.stdout
