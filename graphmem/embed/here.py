"""Where a model is on this machine. The libraries that load models ask the hub about a name even when they are told
to use local files only; a folder they just read.
"""

from __future__ import annotations

import os
from pathlib import Path


def folder_of(model: str) -> str:
    """The folder of a model that was fetched earlier; `model` itself where it is one. Nothing is asked of anybody.

    Raises OSError or ValueError where it is not here.
    """
    if Path(model).expanduser().exists():
        return str(Path(model).expanduser())
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - comes with sentence-transformers

    cache = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    names = [model] if "/" in model else [f"sentence-transformers/{model}", model]
    for name in names[:-1]:
        try:
            return snapshot_download(name, local_files_only=True, cache_dir=cache)
        except OSError:
            continue
    return snapshot_download(names[-1], local_files_only=True, cache_dir=cache)
