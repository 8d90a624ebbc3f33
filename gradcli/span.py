"""Where a piece of text stands: half-open character ranges in a named source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

MAX_EXCERPT = 400


class Span(NamedTuple):
    """Characters `start` (counted from 0) up to, not including, `stop`."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name that messages give it: `expression`, `--at x`, or a file.

    Messages draw the line at fault, unless the text is not to be `quoted`: what stands in a file of data may be secret.
    """

    text: str
    name: str = "expression"
    quoted: bool = True

    def cut(self, span: Span) -> str:
        return self.text[span.start : span.stop]

    def excerpt(self, span: Span) -> str:
        """The text of the span, its end replaced by dots where it is long: many excerpts of one text may be kept."""
        text = self.text[span.start : min(span.stop, span.start + MAX_EXCERPT + 1)]
        return text if len(text) <= MAX_EXCERPT else text[: MAX_EXCERPT - 3] + "..."

    def place(self, span: Span) -> tuple[int, int]:
        """Line and column of the span's start, both counted from 1."""
        before = self.text[: span.start]
        return before.count("\n") + 1, span.start - (before.rfind("\n") + 1) + 1
