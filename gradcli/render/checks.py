"""The answer of a check on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.errors import Caution
from gradcli.render.diagnostics import diagnostic
from gradcli.render.page import Page
from gradcli.render.text import Look, note_line, number, place_words
from gradcli.span import Source

if TYPE_CHECKING:
    from gradcli.results import Check, VariableCheck

_ERROR_DIGITS = 2


def check_table(result: Check, look: Look) -> str:
    """One row for each variable, then kinks and the like, then the culprit in the source."""
    page = Page(look)
    page.headline(result.expression, f": {_summary(result)}")
    _answers(page, result)
    _remarks(page, result)
    if result.culprit is not None:
        page.drawn(_culprit(result, look))
    return page.text(result.notes)


def _summary(result: Check) -> str:
    if not result.variables:
        return "no variable to check"
    wrong = [name for name, one in result.variables.items() if not one.passed]
    return f"disagreement in {', '.join(wrong)}" if wrong else "all agree"


def _answers(page: Page, result: Check) -> None:
    """Places and claims have a column only where there are any."""
    checks = result.variables.items()
    claims = any(one.claimed is not None for _, one in checks)
    numbers = [*(["claimed"] if claims else []), "reverse", "forward", "numeric"]
    columns = {"variable": [name for name, _ in checks]}
    if any(one.worst for _, one in checks):
        columns["worst"] = [place_words(one.worst) for _, one in checks]
    for column in numbers:
        columns[column] = [_answer(getattr(one, column), page.look.digits) for _, one in checks]
    columns["error"] = [number(one.max_error, _ERROR_DIGITS) for _, one in checks]
    columns["verdict"] = ["agrees" if one.passed else "disagrees" for _, one in checks]
    header = list(columns)
    words = [header.index(column) for column in ("variable", "worst", "verdict") if column in columns]
    page.table(header, list(zip(*columns.values(), strict=True)), words)


def _answer(value: float | None, digits: int) -> str:
    return "-" if value is None else number(value, digits)


def _remarks(page: Page, result: Check) -> None:
    lines = []
    for name, one in result.variables.items():
        if one.note:
            place = f" at {place_words(one.worst)}" if one.worst else ""
            lines.append(f"{name}{place}: {one.note}{_sides(one, page.look.digits)}")
        count, entries = one.compared
        if count < entries:
            lines.append(f"{name}: {count} of {entries} entries were compared with difference quotients")
    if lines:
        page.remark(*lines)


def _sides(one: VariableCheck, digits: int) -> str:
    if one.left is None or one.right is None:
        return ""
    return f", {number(one.left, digits)} from the left and {number(one.right, digits)} from the right"


def _culprit(result: Check, look: Look) -> str:
    assert result.culprit is not None
    where = Caution(note_line(result.culprit), span=result.culprit.span, source=Source(result.expression))
    return diagnostic(where, columns=look.width, color=look.color, word="culprit").rstrip("\n")
