"""Values and derivatives to a few ulp, and the README's figures for them.

`pytest -rP tests/primitives/test_accuracy_table.py` prints the worst figures of each function.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gradcli.primitives import TABLE
from tests.primitives import test_accuracy, test_elementary
from tests.primitives.accuracy import NAMES, measured

BAR = 4.0
FLOOR = 1.5
"""Stated figures below this need not be near the measured ones: NumPy's kernels for one processor and another differ by
as much, for log10 for instance."""

ELEMENTARY = {**test_accuracy.DERIVATIVES, **test_accuracy.PARTIALS, **test_elementary.DERIVATIVES}
ROW = re.compile(r"^\| ((?:`\w+` ?)+)\| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)


def stated() -> list[tuple[list[str], tuple[float, float]]]:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    section = text.split("\n## Accuracy\n")[1].split("\n## ")[0]
    return [(re.findall(r"\w+", names), (float(v), float(d))) for names, v, d in ROW.findall(section)]


@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary_functions_to_4_ulp(name: str) -> None:
    value, slope = measured(name)
    print(f"{name:12} {value:5.2f} {slope:5.2f} ulp")
    assert max(value, slope) <= BAR


def test_every_measured_function_stands_in_one_row() -> None:
    names = [name for row, _ in stated() for name in row]
    assert sorted(names) == sorted(name for name in NAMES if not TABLE[name].hidden)


@pytest.mark.parametrize(("names", "figures"), stated())
def test_the_figures_of_the_readme_are_those_measured(names: list[str], figures: tuple[float, float]) -> None:
    for order in (0, 1):
        worst = max(measured(name)[order] for name in names)
        assert worst <= figures[order] <= max(2 * worst, FLOOR), (names, order, worst)
