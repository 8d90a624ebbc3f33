"""Scalars in a square table, cut where it does not fit."""

import numpy as np
import pytest

from gradcli.render.squares import square
from gradcli.render.text import Look


def whole(count: int) -> dict[str, dict[str, np.float64]]:
    names = [f"x{i}" for i in range(count)]
    return {a: {b: np.float64(i * count + j) for j, b in enumerate(names)} for i, a in enumerate(names)}


def test_small() -> None:
    assert square(whole(2), Look(width=80)) == (["hessian", "x0", "x1"], [["x0", "0", "1"], ["x1", "2", "3"]], 0)


def test_none() -> None:
    assert square({}, Look(width=80)) == (["hessian"], [], 0)


@pytest.mark.parametrize("count", [20, 31, 32, 50, 400])
@pytest.mark.parametrize("width", [40, 80, None])
def test_elided_as_numpy_does(count: int, width: int | None) -> None:
    header, rows, hidden = square(whole(count), Look(width=width), 2)
    numbers = [word for row in rows for word in row[1:] if word != "..."]
    assert hidden + len(numbers) == count**2
    assert set(numbers) <= {f"{i:.6g}" for i in range(count**2)}
    assert header[1] == "x0"
    assert header[-1] == f"x{count - 1}"
    assert all(len(row) in (1, len(header)) for row in rows)
    if count**2 <= 1000 and width is None:
        assert hidden == 0
    size = max(len(word) for row in [header[1:], *(row[1:] for row in rows)] for word in row)
    assert width is None or 2 + 7 + (size + 3) * (len(header) - 1) <= width


@pytest.mark.parametrize(
    ("width", "header"),
    [
        (7 + 10 * 6, "x0 x1 x2 x3 x4 x5 x6 x7 x8 x9"),
        (7 + 10 * 6 - 1, "x0 x1 x2 x3 ... x6 x7 x8 x9"),
        (7 + 7 * 6, "x0 x1 x2 ... x7 x8 x9"),
        (7 + 7 * 6 - 1, "x0 x1 ... x8 x9"),
        (0, "x0 ... x9"),
    ],
)
def test_columns_are_left_out_where_the_last_does_not_fit(width: int, header: str) -> None:
    """The label takes seven characters, each column three and a gap of three."""
    found, _, hidden = square(whole(10), Look(width=2 + width), 2)
    assert found == ["hessian", *header.split()]
    assert hidden == 10 * (10 - header.count("x"))
