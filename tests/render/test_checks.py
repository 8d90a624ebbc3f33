"""What a check looks like on a terminal."""

import re
from dataclasses import replace

import pytest

from gradcli.render.checks import check_table
from gradcli.render.text import Look
from gradcli.results import Check, Note, VariableCheck
from gradcli.span import Span

GOOD = VariableCheck(1.25e-12, (), 0.5, 0.5, 0.5, True)
BAD = VariableCheck(0.75, (1, 0), -2.0, -2.0, 0.123456789, False)
KINK = VariableCheck(0.0, (), 0.0, 0.0, 0.0, True, -1.0, 1.0, "a kink: the sides differ")


def test_scalars_that_agree() -> None:
    assert check_table(Check("x*y", True, {"x": GOOD, "y": GOOD}, None), Look()) == (
        "x*y: all agree\n\n"
        "  variable   reverse   forward   numeric     error   verdict\n"
        "  x              0.5       0.5       0.5   1.2e-12   agrees\n"
        "  y              0.5       0.5       0.5   1.2e-12   agrees\n"
    )


def test_a_culprit_is_underlined() -> None:
    culprit = Note("sin", "sin(x)", Span(2, 8), (), "its derivative differs from its values by 7.5e-01, relatively")
    assert check_table(Check("2*sin(x) + y", False, {"x": BAD, "y": GOOD}, culprit), Look()) == (
        "2*sin(x) + y: disagreement in x\n\n"
        "  variable   worst    reverse   forward    numeric     error   verdict\n"
        "  x          [1, 0]        -2        -2   0.123457      0.75   disagrees\n"
        "  y                       0.5       0.5        0.5   1.2e-12   agrees\n"
        "\n"
        "culprit: sin(x): its derivative differs from its values by 7.5e-01, relatively\n"
        "  | 2*sin(x) + y\n"
        "  |   ^^^^^^\n"
    )


def test_kinks_and_claims() -> None:
    claimed = replace(BAD, claimed=3.0, note="here")
    nothing = VariableCheck(0.0, (), None, None, None, True)
    note = Note("abs", "abs(x)", Span(0, 6), (), "a corner")
    table = check_table(Check("abs(x)", False, {"x": KINK, "y": claimed, "z": nothing}, None, (note,)), Look())
    assert table.splitlines()[2:] == [
        "  variable   worst    claimed   reverse   forward    numeric   error   verdict",
        "  x                         -         0         0          0       0   agrees",
        "  y          [1, 0]         3        -2        -2   0.123457    0.75   disagrees",
        "  z                         -         -         -          -       0   agrees",
        "",
        "  x: a kink: the sides differ, -1 from the left and 1 from the right",
        "  y at [1, 0]: here",
        "",
        "note: abs(x): a corner",
    ]


def test_how_many_entries_were_compared_is_told_where_it_is_not_all() -> None:
    some, all_of_them = replace(GOOD, compared=(8, 100)), replace(GOOD, compared=(100, 100))
    table = check_table(Check("f", True, {"x": some, "y": all_of_them}, None), Look())
    assert table.endswith("\n  x: 8 of 100 entries were compared with difference quotients\n")
    assert "y:" not in table


def test_no_variables() -> None:
    assert check_table(Check("2", True, {}, None), Look()) == "2: no variable to check\n"


@pytest.mark.parametrize("width", [None, 80])
def test_colour_changes_no_character(width: int | None) -> None:
    culprit = Note("sin", "[red]", Span(0, 5), (), "differs")
    result = Check("[red]x", False, {"x": BAD, "y": KINK}, culprit)
    coloured = check_table(result, Look(width=width, color=True))
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == check_table(result, Look(width=width))
