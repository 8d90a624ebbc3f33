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
            from gradcli.syntax.foreign import foreign_character  # only ever needed for an error

            raise foreign_character(name, offset, start)


def code_point(character: str) -> str:
    return f"U+{ord(character):04X}"


def _is_plain_letter(letter: str) -> bool:
    return (
        unicodedata.category(letter) in ("Lu", "Ll", "Lt")
        and unicodedata.normalize("NFKC", letter) == letter
        and unicodedata.name(letter).startswith(("LATIN ", "GREEK "))  # the Greek block holds Coptic letters too
    )
