"""Characters that the language does not have, and what is written instead: imported only where an error is made."""

from __future__ import annotations

import re
import unicodedata

from gradcli.errors import SyntaxProblem
from gradcli.span import Span
from gradcli.syntax.characters import code_point

# What to write, and the characters that are typed or pasted in its place.
_SPELLINGS = {
    '"': "“”„«»",
    "'": "‘’‚´",
    "-": "‐‑‒–—",
    "*": "∗∙•⨯⊙",
    "/": "∕⁄",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "==": "≡≃",
    "=": "→≔",
    "...": "…",
    "and": "∧",
    "or": "∨",
    "not": "¬",
    "inf": "∞",
    "sqrt(...)": "√",
    "cbrt(...)": "∛",
    "sum(...)": "∑",
    "prod(...)": "∏",
}
_INSTEAD = {
    "°": "radians(x) turns degrees into radians",
    "∂": "`gradcli diff` gives derivatives",
    "∇": "`gradcli diff` gives the gradient",
    "∫": "trapezoid(y, x) integrates values; there are no integrals of expressions",
    "±": "write both: [a + b, a - b]",
    "≈": "write isclose(a, b)",
    "ᵀ": "the transpose is written x.T",
    "⊤": "the transpose is written x.T",
    "⊗": "write outer(a, b) or kron(a, b)",
    "∈": "there are no sets; comparisons give masks",
}
_INSTEAD |= dict.fromkeys("‖∥", "a norm is written norm(x)")
_INSTEAD |= dict.fromkeys("⌊⌋", "rounding down is written floor(x)")
_INSTEAD |= dict.fromkeys("⌈⌉", "rounding up is written ceil(x)")
_INSTEAD |= dict.fromkeys("′″‴", "`gradcli diff` gives the derivative")

_QUOTED = re.compile(r"[“”„‘’‚]([^\W\d]\w*)[“”‘’]")
_RAISED = re.compile("[⁺⁻]?[⁰¹²³⁴-⁹]+|ⁿ")

_WRITTEN_AS = {character: spelling for spelling, characters in _SPELLINGS.items() for character in characters}

# Cyrillic letters that look like Latin ones.
_WRITTEN_AS |= zip("аеорсухіјѕАВЕКМНОРСТУХІЈЅ", "aeopcyxijsABEKMHOPCTYXIJS", strict=True)


def foreign_character(text: str, at: int, begin: int = 0) -> SyntaxProblem:
    """The error for the character `text[at]`, that no word of the language has; the text itself begins at `begin`."""
    character = text[at]
    visible = character.isprintable() and not unicodedata.combining(character)
    shown = f"`{character}` ({code_point(character)})" if visible else code_point(character)
    return SyntaxProblem(
        f"{shown} is not part of the language",
        span=Span(begin + at, begin + at + 1),
        label=unicodedata.name(character, "no such character").lower(),
        help=_advice(text, at),
    )


def superscripts(text: str, at: int) -> str:
    """The raised number that begins at `at`, or an empty text."""
    found = _RAISED.match(text, at)
    return found[0] if found else ""


def power_of(raised: str) -> str:
    return f"**{_plain(raised)}"


def _advice(text: str, at: int) -> str:
    character = text[at]
    if unicodedata.combining(character):
        return "type the letter and its accent as one character"
    if character.isspace():
        return "type a plain blank"
    if character in _INSTEAD:
        return _INSTEAD[character]
    quoted = _QUOTED.match(text, at)
    if quoted and text[:at].rstrip()[-1:] not in (",", "="):
        return f"a name stands without quotes: {quoted[1]}"
    written = _written_as(character)
    if not written:
        return "names are made of ASCII, Latin and Greek letters, digits and _"
    # Where the two look the same, only the code point tells them apart.
    return f"write `{written}`" + ("" if written.isascii() else f" ({', '.join(map(code_point, written))})")


def _written_as(character: str) -> str:
    """The spelling that was probably meant, or nothing."""
    if character in _WRITTEN_AS:
        return _WRITTEN_AS[character]
    if unicodedata.category(character) == "Nd":
        return str(unicodedata.decimal(character))
    plain = _plain(character)
    return plain if plain != character else ""


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u2044", "/").replace("\u2212", "-")
