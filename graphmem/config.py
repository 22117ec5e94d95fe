"""One settings object. Each value comes from the last of: defaults, TOML file, environment, arguments.

The file is `config.toml` in the memory's directory, else in the platform's configuration folder. An
environment variable is `GRAPHMEM_` and the setting's name in capitals (`GRAPHMEM_EMBEDDER`).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args
from zoneinfo import ZoneInfo

from graphmem.errors import InvalidSettings, UnreadableFile
from graphmem.ranges import is_amount

ENVIRONMENT_PREFIX = "GRAPHMEM_"
FILE_NAME = "config.toml"
EngineName = Literal["kuzu", "ladybug"]

LONGEST_WAIT = 86_400.0  # seconds
_MOST_HOURS = 1_000_000.0  # over a hundred years: never
LARGEST_BATCH = 10_000  # messages
# the numbers' largest values; the smallest is 0, for `batch` 1
RANGES: Mapping[str, float] = {
    "min_confidence": 1.0,
    "reranker_budget": LONGEST_WAIT,
    "lock_wait": LONGEST_WAIT,
    "upkeep_hours": _MOST_HOURS,
    "batch": LARGEST_BATCH,
}

_KINDS = {
    bool: "true or false",
    int: "an int",
    float: "a number",
    str: "a text",
    tuple: "a list",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything an owner can set; docs/configuration.md explains each.

    Durations are seconds. `lexicon` holds the owner's additions to the shipped words, see
    graphmem.lexicon. `judge` and `model` configure the optional model check and extraction; both are
    off while empty.
    """

    engine: EngineName = "kuzu"
    embedder: str = "use-multilingual"
    allow_download: bool = False
    reranker: str = ""
    reranker_budget: float = 0.5
    extractors: tuple[str, ...] = ("english", "chinese")
    min_confidence: float = 0.5
    review: bool = True
    lock_wait: float = 10.0
    batch: int = 64
    read_ahead: bool = True
    upkeep_hours: float = 6.0
    timezone: str = ""
    owner: str = ""
    lexicon: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    judge: Mapping[str, Any] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises InvalidSettings for a number out of its range."""
        for name in RANGES:
            _in_range(name, getattr(self, name), "the arguments")


def default_home() -> Path:
    """Where the memory is when nobody says otherwise: GRAPHMEM_HOME, else the platform's data folder."""
    home = os.environ.get("GRAPHMEM_HOME")
    if home:
        return Path(home).expanduser()
    import platformdirs  # noqa: PLC0415 - only needed where no home is named

    return Path(platformdirs.user_data_dir("graphmem", appauthor=False)) / "memory"


def load(
    memory: Path,
    *,
    environment: Mapping[str, str] | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Settings:
    """The settings for the memory at `memory`. Raises InvalidSettings naming the value and its place."""
    settings = Settings()
    file = file_for(memory)
    if file is not None:
        settings = _with(settings, _read(file), str(file))
    source = os.environ if environment is None else environment
    known = {item.name for item in fields(Settings)}
    from_environment = {
        name: _parsed(name, source[ENVIRONMENT_PREFIX + name.upper()])
        for name in known
        if ENVIRONMENT_PREFIX + name.upper() in source
    }
    settings = _with(settings, from_environment, "the environment")
    return _with(settings, arguments or {}, "the arguments")


def file_for(memory: Path) -> Path | None:
    """The file that the settings of the memory at `memory` come from, None where there is none."""
    for file in (memory / FILE_NAME, shared_file()):
        try:
            if file.is_file():
                return file
        except OSError as cause:
            raise UnreadableFile(
                f"{file} cannot be looked for: {cause.strerror}",
                next_step="check the permissions of the folder, or choose another one",
            ) from cause
    return None


def shared_file() -> Path:
    """The file in the platform's configuration folder, for memories that have none of their own."""
    import platformdirs  # noqa: PLC0415 - see default_home

    return Path(platformdirs.user_config_dir("graphmem", appauthor=False)) / FILE_NAME


def checked(values: Mapping[str, Any], where: str) -> Settings:
    """Settings with these values over the defaults. Raises InvalidSettings naming the value and `where`."""
    return _with(Settings(), values, where)


def _read(file: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as cause:
        raise InvalidSettings(
            f"{file}: {cause}", expected="a TOML file", next_step="mend or remove the file"
        ) from cause
    except OSError as cause:
        raise UnreadableFile(f"{file}: {cause.strerror}") from cause


def _parsed(name: str, text: str) -> Any:
    default = _default(name)
    if isinstance(default, (bool, int, float, tuple, Mapping)):
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            return (
                [part.strip() for part in text.split(",")] if isinstance(default, tuple) else text
            )
        return value
    return text


def _default(name: str) -> Any:
    item = next(item for item in fields(Settings) if item.name == name)
    return item.default if item.default is not MISSING else {}


def _with(settings: Settings, values: Mapping[str, Any], where: str) -> Settings:
    known = {item.name for item in fields(Settings)}
    changed: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise InvalidSettings(
                f"{name} (in {where}) is not a setting",
                expected="one of " + ", ".join(sorted(known)),
            )
        changed[name] = _known(name, _fitted(name, value, where), where)
    return replace(settings, **changed)


def _fitted(name: str, value: Any, where: str) -> Any:
    default = _default(name)
    if isinstance(default, tuple) and isinstance(value, (list, tuple)):
        return tuple(value)
    if isinstance(default, bool) is not isinstance(value, bool):
        pass
    elif isinstance(default, float) and isinstance(value, (int, float)):
        return float(value)
    elif isinstance(value, type(default)) or (
        isinstance(default, Mapping) and isinstance(value, Mapping)
    ):
        return value
    raise InvalidSettings(
        f"{name} = {value!r} (in {where})", expected=_KINDS.get(type(default), "a table")
    )


def _known(name: str, value: Any, where: str) -> Any:
    """`value`, where it is one of those that there are: engines and zones are told by name."""
    if name in RANGES:
        _in_range(name, value, where)
    expected = ""
    if name == "engine" and value not in get_args(EngineName):
        expected = "one of " + ", ".join(get_args(EngineName))
    elif name == "timezone" and value and not _is_zone(value):
        expected = 'an IANA name such as "Europe/Lisbon" or "Asia/Shanghai"'
    if expected:
        raise InvalidSettings(f"{name} = {value!r} (in {where})", expected=expected)
    return value


def _in_range(name: str, value: Any, where: str) -> None:
    most, least = RANGES[name], 1 if name == "batch" else 0
    fits = is_amount(value, most=most) and value >= least
    if not fits or (name == "batch" and not isinstance(value, int)):
        kind = "a whole number" if name == "batch" else "a number"
        raise InvalidSettings(
            f"{name} = {value!r} (in {where})", expected=f"{kind} from {least} to {most:,.0f}"
        )


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True
