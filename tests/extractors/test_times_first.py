from __future__ import annotations

from datetime import datetime

import pytest

from graphmem_extractors.numbers import find_values
from graphmem_extractors.times import Grammar

SAID = "2025-05-14T10:30:00+02:00"  # a Wednesday


@pytest.mark.parametrize(
    ("text", "language", "iso"),
    [
        ("call me tomorrow 3 pm", "en", "2025-05-15T15:00:00+02:00"),
        ("明天下午3点开会", "zh", "2025-05-15T15:00:00+02:00"),
        ("since March", "en", "2025-03"),
        ("从去年起", "zh", "2024"),
    ],
)
def test_a_time_is_resolved(text, language, iso):
    (span,) = Grammar().find(text, said_at=datetime.fromisoformat(SAID), language=language)
    assert span.when is not None
    assert span.when.iso == iso


def test_a_value_is_given_exactly_as_said():
    (value,) = find_values("my number is 555-0193", "en")
    assert (value.text, value.kind, value.normal) == ("555-0193", "phone", "5550193")
