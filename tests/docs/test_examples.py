"""Every Python block of the README and of the documentation runs, and every linked file exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")

BLOCKS = [
    pytest.param(page, place, code, id=f"{page.relative_to(ROOT)}-{place}")
    for page in PAGES
    for place, code in enumerate(BLOCK.findall(page.read_text("utf-8")))
]


@pytest.mark.parametrize(("page", "place", "code"), BLOCKS)
def test_python_blocks_run(
    page: Path, place: int, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPHMEM_HOME", str(tmp_path / "home" / "memory"))
    namespace: dict[str, object] = {"__name__": f"{page.stem}_{place}"}
    exec(compile(code, str(page), "exec"), namespace)  # noqa: S102 - it is our own documentation
    assert len(namespace) > 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    dead = [
        link for link in LINK.findall(page.read_text("utf-8")) if not (page.parent / link).exists()
    ]
    assert dead == []
