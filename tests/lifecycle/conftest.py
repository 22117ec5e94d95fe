import sys
from pathlib import Path

import pytest

from graphmem.lexicon import Lexicon

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def lexicon():
    return Lexicon.load()
