"""The program in a process of its own, the same whatever the tests themselves were started by."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PROGRAM = (sys.executable, "-m", "gradcli")
SECONDS = 120
"""A child that takes longer hangs, on however busy a machine."""

_CHANGING = tuple(
    "GRADCLI _GRADCLI NO_COLOR FORCE_COLOR TTY_ COLUMNS LINES LC_ LANG PYTHONWARNINGS PYTHONOPTIMIZE PYTHONIOENCODING "
    "PYTHONUTF8 PYTHONDEVMODE PYTHONINSPECT PYTHONVERBOSE".split()
)
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGHUP", "SIGTERM", "SIGXCPU") if hasattr(signal, name)]


def environment(**changes: str) -> dict[str, str]:
    """The variables here, without those that change what the program or its Python does; this checkout comes first."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(_CHANGING)}
    path = os.pathsep.join(filter(None, [str(ROOT), kept.get("PYTHONPATH")]))
    return {**kept, "PYTHONPATH": path, **changes}


def start(words: Sequence[str | bytes], **more: Any) -> subprocess.Popen[Any]:
    """A child; `env` holds changes of its variables."""
    return subprocess.Popen(words, **_settled(**more))


def run(words: Sequence[str | bytes], **more: Any) -> subprocess.CompletedProcess[Any]:
    """A child from its start to its end, which reads and prints text; `input` is what it reads."""
    streams = {} if "input" in more else {"stdin": subprocess.DEVNULL}
    return subprocess.run(words, capture_output=True, encoding="utf-8", timeout=SECONDS, **_settled(**streams, **more))


def _settled(env: Mapping[str, str] | None = None, **more: Any) -> dict[str, Any]:
    return {"env": environment(**(env or {})), "preexec_fn": _heed, **more}


def _heed() -> None:
    """What a background job or nohup ignores, its children would ignore too."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_DFL)
