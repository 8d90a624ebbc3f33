"""Characters the language does not have, refused by code point and with what was probably meant.

Two texts that look alike must not mean different things. So names keep to letters of the ASCII, Latin and
Greek blocks that are their own compatibility form, and nothing invisible is let through, comments included.
"""

from __future__ import annotations

import re
import unicodedata

from gradcli.errors import SyntaxProblem
from gradcli.span import Span

# C0 and C1 controls but tab and newline, a carriage return without its newline, and the formatting characters
# that are invisible or turn the direction of text; lone surrogates are what bad UTF-8 on a command line becomes.
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]|\r(?!\n)"
)

# What to write, and the characters that are typed or pasted in its place.
_SPELLINGS = {
    '"': "“”„«»",
    "'": "‘’‚′´",
    "-": "‐‑‒–—",
    "*": "∗∙•⨯",
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
_WRITTEN_AS = {character: spelling for spelling, characters in _SPELLINGS.items() for character in characters}

# Cyrillic letters that look like Latin ones.
_WRITTEN_AS |= zip("аеорсухіјѕАВЕКМНОРСТУХІЈЅ", "aeopcyxijsABEKMHOPCTYXIJS", strict=True)


def refuse_invisible(text: str) -> None:
    """Refuse the first character of `text` that cannot be seen. A byte order mark at the start is none."""
    found = _INVISIBLE.search(text, 1 if text.startswith("\ufeff") else 0)
    if found:
        at = found.start()
        raise SyntaxProblem(
            f"the text holds an invisible character, {code_point(text[at])}",
            span=Span(at, at + 1),
            label="here",
            help="remove it; it may have come with a copied text",
        )


def refuse_in_name(name: str, start: int) -> None:
    """Refuse a letter that passes for another one, such as the micro sign for the Greek letter."""
    for offset, letter in enumerate(name):
        if not letter.isascii() and not _is_plain_letter(letter):
            raise foreign_character(letter, start + offset)


def foreign_character(character: str, at: int) -> SyntaxProblem:
    """The error for a character that no word of the language begins with."""
    visible = character.isprintable() and not unicodedata.combining(character)
    shown = f"`{character}` ({code_point(character)})" if visible else code_point(character)
    return SyntaxProblem(
        f"{shown} is not part of the language",
        span=Span(at, at + 1),
        label=unicodedata.name(character, "no such character").lower(),
        help=_advice(character),
    )


def code_point(character: str) -> str:
    return f"U+{ord(character):04X}"


def _is_plain_letter(letter: str) -> bool:
    return (
        unicodedata.category(letter) in ("Lu", "Ll", "Lt")
        and unicodedata.normalize("NFKC", letter) == letter
        and unicodedata.name(letter).startswith(("LATIN ", "GREEK "))  # the Greek block holds Coptic letters too
    )


def _advice(character: str) -> str:
    if unicodedata.combining(character):
        return "type the letter and its accent as one character"
    if character.isspace():
        return "type a plain blank"
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
    plain = unicodedata.normalize("NFKC", character)
    if plain == character:
        return ""
    if "<super>" in unicodedata.decomposition(character) and plain.isdigit():
        return f"**{plain}"
    return plain.replace("\u2044", "/").replace("\u2212", "-")
