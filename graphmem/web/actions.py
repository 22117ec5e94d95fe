"""What the page's forms do: each calls one verb of the memory and says where to go next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from urllib.parse import quote

from graphmem.errors import InvalidQuery
from graphmem.model import Message, Receipt
from graphmem.web.site import News, Site
from graphmem.when import parse_moment

Form = Mapping[str, str]
Action = Callable[[Site, Form, Mapping[str, str]], str]

_DELETING = frozenset({"replace_older", "discard_newer"})
_SNOOZES = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}


def add(site: Site, form: Form, _: Mapping[str, str]) -> str:
    """Remember a statement."""
    speaker = form.get("speaker", "").strip() or site.memory.settings.owner or "user"
    _told(
        site,
        "added",
        site.memory.add(
            Message(text=form.get("text", ""), speaker=speaker, said_at=site.memory.now())
        ),
    )
    return "/"


def decide(site: Site, form: Form, path: Mapping[str, str]) -> str:
    """Decide a conflict; the two deletions need their box ticked."""
    decision = form.get("decision", "")
    if decision in _DELETING and form.get("sure") != "yes":
        raise InvalidQuery(
            "a deletion is for good",
            expected="the box for it ticked",
            next_step="tick it and press again, or choose another decision",
        )
    _told(site, "decided", site.memory.resolve(path["id"], decision))
    return "/review"


def change(site: Site, form: Form, path: Mapping[str, str]) -> str:
    """Update, edit, confirm, retire, restore, pin or unpin a fact."""
    id_, what, memory = path["id"], path["action"], site.memory
    verbs: dict[str, Callable[[], Receipt]] = {
        "update": lambda: memory.update(id_, form.get("text", "")),
        "edit": lambda: memory.edit(id_, form.get("text", "")),
        "confirm": lambda: memory.confirm(id_),
        "retire": lambda: memory.retire(id_),
        "restore": lambda: memory.restore(id_),
        "pin": lambda: memory.pin(id_),
        "unpin": lambda: memory.pin(id_, pinned=False),
    }
    if what not in verbs:
        raise InvalidQuery(f"nothing is done by {what!r}", expected=", ".join(verbs))
    receipt = verbs[what]()
    _told(site, "changed", receipt)
    new = [*receipt.facts, *receipt.notes]
    return f"/fact/{quote(new[0].id if new else id_)}"


def delete(site: Site, form: Form, path: Mapping[str, str]) -> str:
    """Delete a fact for good, once the box is ticked."""
    if form.get("sure") != "yes":
        raise InvalidQuery("a deletion is for good", expected="the box for it ticked")
    site.memory.forget(path["id"])
    site.news.append(News("good", "deleted"))
    return "/"


def merge(site: Site, form: Form, path: Mapping[str, str]) -> str:
    """Make two entities one."""
    _told(site, "merged", site.memory.merge_entities(path["id"], form.get("other", "")))
    return f"/entity/{quote(path['id'])}"


def split(site: Site, form: Form, path: Mapping[str, str]) -> str:
    """Give a name an entity of its own."""
    _told(site, "split_done", site.memory.split_entity(path["id"], form.get("alias", "")))
    return f"/entity/{quote(path['id'])}"


def remind(site: Site, form: Form, _: Mapping[str, str]) -> str:
    """A reminder from a sentence, or for a moment that is named beside it."""
    at = form.get("at", "").strip()
    moment = parse_moment(at, site.memory.now().tzinfo) if at else None
    _told(site, "reminder_made", site.memory.remind(form.get("text", ""), at=moment))
    return "/reminders"


def reminder(site: Site, form: Form, path: Mapping[str, str]) -> str:
    """A reminder is done, put off or cancelled."""
    id_, what, memory = path["id"], path["action"], site.memory
    if what == "done":
        memory.reminder_done(id_)
    elif what == "cancel":
        memory.cancel_reminder(id_)
    elif what == "snooze" and form.get("for") in _SNOOZES:
        memory.snooze(id_, memory.now() + _SNOOZES[form["for"]])
    else:
        raise InvalidQuery(f"nothing is done by {what!r}", expected="done, snooze or cancel")
    site.news.append(News("good", "changed"))
    return "/reminders"


def undo(site: Site, _: Form, __: Mapping[str, str]) -> str:
    """Take the last change back."""
    _told(site, "undone", site.memory.undo())
    return "/status"


def tend(site: Site, _: Form, __: Mapping[str, str]) -> str:
    """One round of upkeep."""
    site.memory.tend(budget=20)
    site.news.append(News("good", "tended"))
    return "/status"


def check(site: Site, _: Form, __: Mapping[str, str]) -> str:
    """Prove that graph and indexes agree."""
    findings = site.memory.check().findings
    site.news.append(News("bad" if findings else "good", "unhealthy" if findings else "healthy"))
    return "/status"


def _told(site: Site, text: str, receipt: Receipt) -> None:
    site.news.append(News("good", text, receipt))
