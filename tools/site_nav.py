"""The site: its navigation from the pages that there are, in a known order; one not named here comes last.

A hook of MkDocs (see mkdocs.yml): so that a new page is on the site from the moment it exists.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

# What a browser fetches by itself; plain links are the reader's own decision.
OUTSIDE = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"'](?:https?:)?//[^>]*>")
UPWARD = re.compile(r"\[(?P<words>[^\]\n]+)\]\((?P<target>\.\./[^)#\s]+)(?:#[^)\s]*)?\)")
ORDER: dict[str, tuple[str, ...]] = {
    "Start": ("index.md", "tutorial.md", "concepts.md", "glossary.md"),
    "How to": (
        "howto/person.md",
        "howto/agents.md",
        "howto/analyst.md",
        "chat-logs.md",
        "importing.md",
        "configuration.md",
        "reminders.md",
        "pictures.md",
        "web.md",
        "async.md",
        "mcp.md",
        "compat-mem0.md",
        "integrations.md",
        "backup.md",
        "sync.md",
        "readers.md",
    ),
    "How it works": (
        "architecture.md",
        "extraction.md",
        "times.md",
        "chinese.md",
        "entities.md",
        "change.md",
        "recall.md",
        "forgetting.md",
        "embedders.md",
        "models.md",
        "judge.md",
        "reliability.md",
        "dependencies.md",
        "security.md",
        "benchmarks.md",
        "simulation.md",
    ),
    "Reference": ("cli.md", "api.md", "schema.md", "cypher.md", "backup-format.md"),
}


def nav(folder: Path) -> list[dict[str, list[str]]]:
    """Sections with their pages; decisions and pages that nobody named at the end."""
    there = {page.relative_to(folder).as_posix() for page in folder.rglob("*.md")}
    sections = {title: [page for page in pages if page in there] for title, pages in ORDER.items()}
    rest = there - {page for pages in sections.values() for page in pages}
    sections["Decisions"] = sorted(page for page in rest if page.startswith("decisions/"))
    sections["More"] = sorted(page for page in rest if not page.startswith("decisions/"))
    return [{title: pages} for title, pages in sections.items() if pages]


def on_config(config: Any) -> Any:
    """Called by MkDocs once its configuration is read."""
    config["nav"] = nav(Path(config["docs_dir"]))
    return config


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Called by MkDocs for each page: a link to a file of the repository beside the documentation is its
    words alone, for on the site that file is not there.
    """
    docs = Path(config["docs_dir"]).resolve()
    folder = (docs / page.file.src_uri).parent

    def words_or_link(found: re.Match[str]) -> str:
        inside = (folder / found["target"]).resolve().is_relative_to(docs)
        return found[0] if inside else found["words"]

    return UPWARD.sub(words_or_link, markdown)


def on_post_build(config: Any) -> None:
    """Called by MkDocs at the end: a page that would ask another machine for something is a fault."""
    asking = [
        f"{page.name}: {found[0]}"
        for page in sorted(Path(config["site_dir"]).rglob("*.html"))
        for found in OUTSIDE.finditer(page.read_text("utf-8"))
    ]
    if asking:
        raise SystemExit("pages that ask other machines:\n" + "\n".join(asking))
