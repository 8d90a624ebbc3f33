"""Brackets, between the lexer and the parser: newlines inside them are blanks, and they have to pair up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradcli.errors import LimitExceeded, SyntaxProblem
from gradcli.span import Span

if TYPE_CHECKING:
    from lark import Token

MAX_NESTING = 20_000
MAX_LIST_NESTING = 64  # NumPy arrays have at most 64 dimensions

_PARTNER = {"LPAR": ")", "LSQB": "]"}
_ENDS_A_VALUE = frozenset({"NAME", "NUMBER", "STRING", "TRUE", "FALSE", "NONE", "RPAR", "RSQB", "TRANSPOSE"})


class Brackets:
    """A `postlex` filter for Lark. All state is local to `process`, so one instance serves any number of parses."""

    always_accept = ()

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        opened: list[Token] = []
        lists: list[Token] = []  # those of `opened` that begin a list literal
        previous = ""
        for token in stream:
            kind = token.type
            if kind in _PARTNER:
                opened.append(token)
                if kind == "LSQB" and previous not in _ENDS_A_VALUE:
                    lists.append(token)
                if len(opened) > MAX_NESTING or len(lists) > MAX_LIST_NESTING:
                    raise _too_deep(token, len(lists) > MAX_LIST_NESTING)
            elif kind in ("RPAR", "RSQB"):
                partner = opened.pop() if opened else None
                _check_pair(partner, token)
                if lists and lists[-1] is partner:
                    lists.pop()
            elif kind == "_NEWLINE" and opened:
                continue
            previous = kind
            yield token


def span_of(token: Token) -> Span:
    start = token.start_pos
    assert start is not None
    return Span(start, start + len(token))


def _check_pair(opener: Token | None, closer: Token) -> None:
    if opener is None:
        message = f"`{closer}` closes nothing"
        raise SyntaxProblem(
            message, span=span_of(closer), label="no bracket is open here", help=f"remove this `{closer}`"
        )
    wanted = _PARTNER[opener.type]
    if wanted != closer:
        raise SyntaxProblem(
            f"`{closer}` cannot close `{opener}`",
            span=span_of(closer),
            label=f"expected `{wanted}`",
            related=((span_of(opener), "opened here"),),
        )


def _too_deep(token: Token, lists: bool) -> LimitExceeded:
    what, limit = ("list literals", MAX_LIST_NESTING) if lists else ("brackets", MAX_NESTING)
    return LimitExceeded(f"{what} nest more than {limit:,} deep", span=span_of(token), label="one level too many")
