"""What every page needs: the memory, the templates, the words, and one line of news for the next page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from graphmem.memory import Memory
from graphmem.model import Fact, Receipt, Snapshot
from graphmem.plain import MASK
from graphmem.secrecy.masking import without_secrets
from graphmem.web.gate import Keys
from graphmem.web.jobs import Jobs
from graphmem.web.words import LANGUAGES, chosen, words

LANGUAGE, THEME = "graphmem_language", "graphmem_theme"
THEMES = ("auto", "light", "dark")
_STEERING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0x200E, 0x2010), 0x061C}

Kind = Literal["good", "bad"]


@dataclass(slots=True)
class News:
    """What an action has to say on the next page: a line, and the receipt of what it did."""

    kind: Kind
    text: str
    receipt: Receipt | None = None


@dataclass(slots=True)
class Site:
    """One memory and what serves it."""

    memory: Memory
    keys: Keys
    jobs: Jobs
    news: list[News] = field(default_factory=list)
    templates: Environment = field(init=False)

    def __post_init__(self) -> None:
        self.templates = Environment(
            loader=PackageLoader("graphmem.web"),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.templates.filters |= {
            "day": day,
            "moment": moment,
            "safe_text": safe,
            "shown": shown,
            "told": told,
        }

    def page(
        self, request: Request, template: str, *, code: int = 200, **values: Any
    ) -> HTMLResponse:
        """A page in the visitor's language."""
        language = language_of(request)
        told, self.news = self.news, []
        text = self.templates.get_template(template).render(
            t=partial(word, words(language)),
            language=language,
            languages=LANGUAGES,
            theme=theme_of(request),
            themes=THEMES,
            here=request.url.path,
            form=self.keys.form,
            waiting=len(self.memory.conflicts()),
            owner=self.memory.settings.owner or "user",
            news=told,
            mask=MASK,
            **values,
        )
        return HTMLResponse(text, status_code=code)


def language_of(request: Request) -> str:
    """The visitor's language."""
    return chosen(request.cookies.get(LANGUAGE), request.headers.get("accept-language", ""))


def theme_of(request: Request) -> str:
    """The visitor's theme."""
    asked = request.cookies.get(THEME)
    return asked if asked in THEMES else THEMES[0]


def word(catalogue: Mapping[str, str], name: str, /, **values: object) -> str:
    """A word of the catalogue, with values put in; one that is missing is a fault of ours."""
    return catalogue[name].format(**values)


def safe(text: object) -> str:
    """Text without control characters and direction marks, which could turn the line around."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if ord(one) in _STEERING or _is_control(one) else one
        for one in str(text)
    )


def _is_control(one: str) -> bool:
    return (ord(one) < 0x20 and one not in "\n\t") or 0x7F <= ord(one) < 0xA0


def shown(value: Fact | Snapshot, *, reveal: bool = False) -> str:
    """The text of a fact or message; a secret one is masked unless it is to be shown."""
    return MASK if value.sensitive and not reveal else safe(value.text)


def told(text: str) -> str:
    """The words of a reminder, without a secret in them."""
    return safe(without_secrets(text))


def day(when: datetime) -> str:
    """A date."""
    return f"{when:%Y-%m-%d}"


def moment(when: datetime) -> str:
    """A date and time."""
    return f"{when:%Y-%m-%d %H:%M}"
