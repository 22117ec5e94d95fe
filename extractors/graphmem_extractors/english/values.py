"""Facts that hold a value: numbers, codes, passwords, addresses, prices, birthdays, by their labels."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmem_extractors.english.dates import DateReader
from graphmem_extractors.english.owners import Owners
from graphmem_extractors.english.prices import PriceReader
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named
from graphmem_extractors.numbers import ValueSpan

_LABELS = (
    ("phones", "phone_is"), ("emails", "email_is"), ("secrets", "password_is"), ("codes", "code_is"),
    ("numbers", "number_is"), ("accounts", "account_is"), ("addresses", "address_is"), ("prices", "costs"),
)  # fmt: skip
_KINDS = {
    "phone_is": {"phone", "number"},
    "email_is": {"email"},
    "password_is": {"password", "code", "number", "account", "card", "phone"},
    "code_is": {"code", "number", "account", "password", "phone"},
    "number_is": {"number", "code", "account", "plate", "measure", "phone"},
    "account_is": {"account", "card", "code", "url", "email", "number"},
    "address_is": {"ip", "url", "address"},
    "costs": {"money", "number"},
}
_PERSONAL = frozenset({"phone_is", "email_is", "password_is", "code_is", "account_is"})
_IDENTITY = re.compile(
    r"^(?:employee|member|membership|customer|student|policy|insurance|tax|id|ssn|badge|staff|patient|client)\b"
)
_TOPIC = re.compile(
    r"^\W*(?:(?:the|our|my|and) )?(?P<t>(?:[\w-]+ ){0,2}?[\w-]+?)(?:'s)? (?:is|moved|listens|runs|answers|sits|lives|has|got|works|switched|now)\b",
    re.IGNORECASE,
)
_OWN_LABEL = frozenset({"port", "room", "seat", "extension", "height", "weight", "row", "platform", "gate", "size"})  # fmt: skip
_LINK = r"(?:[^\w\n]|\b(?:is|are|was|now|to|no|nr|number|has|have|changed|been|will|be|exactly|currently|costs?|it's|its|there|here|again|up|down|goes|went|gone|switched|under|on|at|at the moment|around|about|only)\b|'s\b)*"
_OF = r"(?: (?:for|of|at|to|on|in) (?:the |my |our |his |her |this )?(?!is\b|the\b)[\w'&.-]+(?: (?!is\b|are\b|was\b|now\b|costs\b)[\w'&.-]+){0,2}?)?"
_BLOOD = re.compile(
    r"\bblood (?:type|group)\b[^\w\n]*(?:is |'s )?(?P<v>(?:AB|A|B|O|0)(?: ?(?:\+|-|positive|negative|pos|neg|rh[+-]|rhesus \w+))?(?!\w))",
    re.IGNORECASE,
)
_HANDLE = re.compile(
    r"\b(?:user ?name|user|login|handle|insta(?:gram)?|twitter|github|discord|telegram|steam|skype|tiktok|reddit|gamertag|psn|nick)\b"
    r"(?: (?:name|id|handle|account))?(?: is|'s|:| =)?\s+(?P<v>@[\w.]{2,}|(?=[\w.#-]*[\d_#]|[\w-]*\.\w)[A-Za-z][\w.#-]{2,}[\w])",
    re.IGNORECASE,
)
_SIZE = re.compile(r"\b(?P<label>(?:\w+ )?size)s?\b", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"\s*(?P<v>[^\s,;\"']*[^\s,;.!?\"')])")
_NETWORK = re.compile(r"\b(?:network|ssid)\b(?: name)?(?: is|:|=)? (?P<v>[\w-]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Label:
    word: str
    predicate: str
    before: str
    of: str


class ValueReader:
    """Reads "LABEL is VALUE", "LABEL: VALUE", "X's LABEL VALUE" and prices."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._predicates: dict[str, str] = {}
        for name, predicate in _LABELS:
            for word in vocabulary.words(name):
                self._predicates.setdefault(word, predicate)
        words = "|".join(re.escape(w) for w in sorted(self._predicates, key=len, reverse=True))
        self._label = re.compile(
            rf"(?P<before>.*?)(?<![\w-])(?P<label>{words})s?(?![\w-])(?P<of>{_OF})(?P<link>{_LINK})$",
            re.IGNORECASE | re.DOTALL,
        )
        secrets = "|".join(re.escape(w) for w in sorted(vocabulary.words("secrets"), key=len, reverse=True))  # fmt: skip
        self._secret = re.compile(
            rf"(?<![\w-])(?P<label>{secrets})(?![\w-])(?P<of>{_OF})(?P<link>\s*(?:is now|is|are|was|changed to|has changed to|=|:|->|to)\s*:?\s+|\s+(?=\S*\d)|\s*[:=]\s*)",
            re.IGNORECASE,
        )
        self._owners = Owners(vocabulary)
        self._prices = PriceReader(vocabulary)
        self._dates = DateReader(self._owners)

    def read(self, reading: Reading) -> None:
        """Add the labelled values of the sentence."""
        text = reading.said
        start = reading.sentence.start
        self._blood(reading, text)
        self._handles(reading, text)
        self._dates.read(reading, text)
        taken = self._secrets(reading, text)
        heading = self._heading(text)
        last = 0
        for value in reading.values:
            at, end = value.start - start, value.end - start
            if any(a < end and at < b for a, b in taken):
                last = end
                continue
            if not self._overlaps_time(reading, value):
                self._value(reading, text, (last, at), value, heading)
            last = end

    def _overlaps_time(self, reading: Reading, value: ValueSpan) -> bool:
        return value.kind in {"number", "measure"} and any(
            span.start <= value.start and value.end <= span.end for span in reading.spans
        )

    def _value(
        self, reading: Reading, text: str, left: tuple[int, int], value: ValueSpan, heading: str
    ) -> None:
        before = text[left[0] : left[1]]
        label = self._labelled(before, value)
        shown_text = value.text
        if label is not None and label.word in {"number", "phone number"} and value.kind != "phone":
            thing = reading.namer.context.thing()
            if thing is not None and not re.search(
                r"\b(?:my|his|her|their|'s)\s+(?:new )?$", label.before
            ):
                reading.add(Named(*thing), "number_is", shown_text, rule="value.number_is", confidence=0.85, kind="value")  # fmt: skip
                return
        if label is not None:
            if label.predicate == "password_is":
                return
            subject = self._subject(reading, label, heading)
            predicate = label.predicate
            if predicate == "number_is" and (
                label.word in _OWN_LABEL or label.word.endswith("size")
            ):
                predicate = label.word.replace(" ", "_") + "_is"
            if (
                predicate == "costs"
                and value.kind == "number"
                and not re.fullmatch(r"\d[\d.,]*", shown_text)
            ):
                return
            reading.add(subject, predicate, shown_text, rule=f"value.{predicate}", confidence=0.9, kind="value", times=reading.spans if predicate == "costs" else ())  # fmt: skip
        elif value.kind == "email":
            reading.add(self._owners.owner(reading, before) or reading.speaker, "email_is", shown_text, rule="value.email", confidence=0.85, kind="value")  # fmt: skip
        elif value.kind == "phone" and re.search(
            r"\b(?:reach|call|text|ring|phone|whatsapp)\b|\bon\s*$", before, re.IGNORECASE
        ):
            owner = self._reached(reading, before)
            if owner is not None:
                reading.add(owner, "phone_is", shown_text, rule="value.phone", confidence=0.85, kind="value")  # fmt: skip
        elif value.kind in {"ip", "url"}:
            self._prices.place_of(reading, before, value)
        elif value.kind in {"money", "number"} and self._prices.paid(reading, before, value):
            pass
        elif value.kind == "money":
            self._prices.price(reading, before, value)

    def _reached(self, reading: Reading, before: str) -> Named | None:
        if re.search(r"\bme\b|\bI'?m\b|\bus\b", before):
            return reading.speaker
        return self._owners.owner(reading, before)

    def _labelled(self, before: str, value: ValueSpan) -> _Label | None:
        found = None
        search = before[-120:]
        for hit in re.finditer(r"(?<![\w-])[A-Za-z]", search):
            match = self._label.match(search, hit.start())
            if match and not match.group("before").strip():
                found = match
                break
        if found is None:
            return None
        word = re.sub(r"\s+", " ", found.group("label").lower())
        predicate = self._predicates[word]
        if (
            predicate == "phone_is"
            and value.kind == "number"
            and sum(c.isdigit() for c in value.text) < 5
        ):
            return None
        if predicate == "phone_is" and value.kind in {"account", "code"} and word == "number":
            predicate = "account_is"
        if value.kind not in _KINDS[predicate]:
            if value.kind == "phone" and predicate == "number_is":
                pass
            elif value.kind == "email":
                predicate = "email_is"
            else:
                return None
        return _Label(word, predicate, search[: found.start("label")], found.group("of").strip())

    def _subject(self, reading: Reading, label: _Label, heading: str) -> Named:
        """Whose value it is: an owner for phones and mails, the thing it belongs to for the rest."""
        owner = self._owners.owner(reading, label.before)
        if label.predicate in {"phone_is", "email_is"}:
            return owner or self._of(reading, label) or reading.speaker
        thing = self._of(reading, label)
        modifiers = self._owners.modifiers(label.before)
        if label.predicate == "costs":
            words = " ".join(w for w in (modifiers, label.word, label.of) if w)
            return Named(words, "thing")
        if thing is not None:
            return thing
        if label.predicate in {"number_is", "account_is"} and _IDENTITY.match(
            f"{modifiers} {label.word}".strip()
        ):
            return owner or reading.speaker
        if (
            label.predicate == "address_is"
            and label.word
            in {
                "address",
                "home address",
                "website",
                "blog",
            }
            and owner is not None
            and not modifiers
        ):
            return owner
        if modifiers:
            prefix = f"{owner.name}'s " if owner is not None and not owner.speaker else ""
            return Named(prefix + modifiers, "thing")
        if heading:
            return Named(heading, "thing")
        if label.predicate == "costs" or (
            label.predicate == "number_is"
            and label.word not in _OWN_LABEL
            and not label.word.endswith("size")
        ):
            base = re.sub(r" (?:number|no|id)$", "", label.word)
            if label.word == "number" or base == "":
                thing_before = reading.namer.context.thing()
                return Named(*thing_before) if thing_before else reading.speaker
            return Named(f"{owner.name}'s {base}" if owner is not None else base, "thing")
        topic = _TOPIC.match(reading.said)
        if (
            owner is None
            and topic
            and label.word in {"port", "address", "ip", "ip address", "url", "host"}
        ):
            return Named(topic.group("t"), "thing")
        if owner is None and label.word in {"room", "row", "seat", "gate", "platform", "size"}:
            return self._event_or_speaker(reading)
        if label.word in {"server", "site", "host", "hostname", "ip", "ip address", "url", "port"}:
            return Named(label.word, "thing")
        return owner or reading.speaker

    def _event_or_speaker(self, reading: Reading) -> Named:
        """The event told beside a room or seat, else the speaker."""
        known = [c for c in reading.candidates if c.predicate in {"scheduled_at", "attends"}]
        return Named(known[-1].entity if known[-1].predicate == "scheduled_at" else known[-1].object, "event") if known else reading.speaker  # fmt: skip

    def _of(self, reading: Reading, label: _Label) -> Named | None:
        if not label.of:
            return None
        if not label.of.lower().startswith(("for ", "of ")) and label.predicate != "password_is":
            return None
        words = re.sub(
            r"^(?:for|of|at|to|on|in) (?:the |my |our |this )?", "", label.of, flags=re.IGNORECASE
        )
        words = words.strip(" .'")
        if words.lower() in {"me", "you", "us", ""}:
            return reading.speaker
        if words.lower() in {"work", "home", "here", "there"}:
            return None
        low = words.lower()
        if low in self._vocabulary.kin:
            return Named(f"{reading.message.speaker}'s {low}", "person")
        return Named(words, "thing")

    def _heading(self, text: str) -> str:
        """The words before a colon that opens a list of values: "router login: user ..."."""
        found = re.match(r"\s*((?:[\w'&.-]{1,40} ){0,3}[\w'&.-]{1,40}):\s", text)
        label = self._label.match(found.group(1).strip()) if found else None
        if not found or (label and self._predicates.get(label.group("label").lower()) in _PERSONAL):
            return ""
        words = re.sub(
            r"\b(?:settings?|details?|info|login|data|access|credentials|new|my|our|the)\b",
            "",
            found.group(1),
            flags=re.IGNORECASE,
        )
        return re.sub(r"\s+", " ", words).strip()

    def _secrets(self, reading: Reading, text: str) -> list[tuple[int, int]]:
        """Add passwords, pins and keys: whatever token follows the label."""
        taken = []
        heading = self._heading(text)
        for found in self._secret.finditer(text):
            value = _SECRET_VALUE.match(text, found.end())
            word = found.group("label").lower()
            if value is None or not self._secret_like(value.group("v"), word):
                continue
            label = _Label(
                word, "password_is", text[: found.start()][-60:], found.group("of").strip()
            )
            subject = self._subject(reading, label, heading)
            reading.add(subject, "password_is", value.group("v"), rule="value.secret", confidence=0.9, kind="value", sensitive=True)  # fmt: skip
            taken.append(value.span("v"))
        return taken

    def _secret_like(self, value: str, label: str) -> bool:
        low = value.lower()
        if low in _NOT_SECRET or len(value) < 3:
            return False
        plain_word = value.isalpha() and value.islower()
        return not (plain_word and label in {"key", "token", "secret", "login", "pass", "pin"})

    def _blood(self, reading: Reading, text: str) -> None:
        found = _BLOOD.search(text)
        if found:
            owner = self._owners.owner(reading, text[: found.start()]) or reading.speaker
            reading.add(owner, "blood_type_is", found.group("v"), rule="value.blood", confidence=0.95, kind="value")  # fmt: skip

    def _handles(self, reading: Reading, text: str) -> None:
        """User names and handles: a token that no common word can be."""
        for found in _HANDLE.finditer(text):
            owner = self._owners.owner(reading, text[: found.start()]) or reading.speaker
            reading.add(owner, "account_is", found.group("v"), rule="value.account_is", confidence=0.88, kind="value")  # fmt: skip


_NOT_SECRET = frozenset(
    [
        "is",
        "the",
        "a",
        "an",
        "my",
        "for",
        "to",
        "in",
        "on",
        "at",
        "and",
        "or",
        "was",
        "not",
        "that",
        "it",
        "with",
        "by",
        "of",
        "wrong",
        "expired",
        "the",
        "changed",
        "working",
        "safe",
        "long",
        "short",
        "required",
        "manager",
        "again",
        "please",
        "never",
        "always",
        "since",
        "now",
        "under",
        "card",
        "code",
        "word",
        "machine",
    ]
)
