"""A sparse Jacobian or Hessian on a terminal: how much of it there is, and a small picture of its pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.render.page import Page
from gradcli.render.text import Look, joined, method_words, shape_words

if TYPE_CHECKING:
    from gradcli.results import JacobianPattern, Sparse, SparseHessian, SparseJacobian

# The picture: at most so many dots either way.
_ACROSS = 38
_DOWN = 24
_ENTRIES = "--json, --format mtx, csv or plain, and -o J.npz or J.mtx give the entries"
_DOT, _NONE = "●", "·"
_ASCII_DOT, _ASCII_NONE = "x", "."


def sparse_table(result: SparseJacobian, look: Look) -> str:
    page = Page(look)
    page.value(joined(result.expression), result.value)
    _sizes(page, result.jacobian)
    page.remark(method_words(result.method), _ENTRIES)
    return page.text(result.notes)


def sparse_hessian_table(result: SparseHessian, look: Look) -> str:
    page = Page(look)
    page.value(result.expression, result.value)
    pairs = {f"{a}, {b}": part for a, row in result.hessian.items() for b, part in row.items()}
    _sizes(page, pairs, "variables")
    page.remark(method_words(result.method), _ENTRIES)
    return page.text(result.notes)


def pattern_table(result: JacobianPattern, look: Look) -> str:
    page = Page(look)
    page.headline(joined(result.expression))
    _sizes(page, result.pattern)
    for name, part in result.pattern.items():
        lines, side = picture(part, look)
        if lines and len(part.values):
            page.drawn(f"{name}\n" + "\n".join("  " + line for line in lines))
        if side > 1 and len(part.values):
            page.remark(f"a dot stands for {side}x{side} entries")
    page.remark(method_words(result.method))
    return page.text(result.notes)


def picture(part: Sparse, look: Look) -> tuple[list[str], int]:
    """Lines of dots, and how many rows and columns one dot stands for."""
    height, width = part.shape
    room = _ACROSS if look.width is None else min(_ACROSS, max(1, (look.width - 2) // 2))
    side = max(1, -(-height // _DOWN), -(-width // room))
    filled = set(zip((part.rows // side).tolist(), (part.columns // side).tolist(), strict=True))
    dot, none = (_ASCII_DOT, _ASCII_NONE) if look.ascii else (_DOT, _NONE)
    rows, columns = range(-(-height // side)), range(-(-width // side))
    return [" ".join(dot if (i, j) in filled else none for j in columns) for i in rows], side


def _sizes(page: Page, parts: dict[str, Sparse], names: str = "variable") -> None:
    rows = [
        (name, shape_words(part.shape), f"{len(part.values):,}", _share(len(part.values), part.shape))
        for name, part in parts.items()
    ]
    page.table((names, "matrix", "entries", "filled"), rows, words=(0, 1))


def _share(entries: int, shape: tuple[int, int]) -> str:
    size = shape[0] * shape[1]
    return f"{100 * entries / size:.3g} %" if size else "-"
