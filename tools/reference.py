"""Writes docs/cli.md and docs/api.md from the code; with --check it only says whether they are up to date.

Run: python tools/reference.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import reference_api
import reference_cli

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {"cli.md": reference_cli.page, "api.md": reference_api.page}


def stale() -> list[str]:
    """The pages that differ from what the code says."""
    return [
        name
        for name, made in PAGES.items()
        if not (DOCS / name).is_file() or (DOCS / name).read_text("utf-8") != made()
    ]


def main() -> None:
    """Write the pages, or with --check fail where one is stale."""
    if "--check" in sys.argv[1:]:
        found = stale()
        if found:
            sys.exit(f"stale: {', '.join(found)}; run: python tools/reference.py")
        return
    for name, made in PAGES.items():
        (DOCS / name).write_text(made(), "utf-8")


if __name__ == "__main__":
    main()
