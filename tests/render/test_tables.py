"""The look on a terminal."""

import re
from dataclasses import replace

import numpy as np
import pytest

from gradcli.render.blocks import array_block
from gradcli.render.tables import evaluation_table, gradient_table, hessian_table, jacobian_table, tangent_table
from gradcli.render.text import Look, clipped
from gradcli.render.tree import graph_tree
from gradcli.results import Evaluation, Note, Tangent


def test_the_sample_of_the_contract(decay) -> None:
    assert gradient_table(decay, Look()) == (
        "a*exp(-b*t) = 0.44626\n"
        "\n"
        "  variable   value   gradient\n"
        "  a              2    0.22313\n"
        "  b            0.5   -1.33878\n"
        "  t              3   -0.22313\n"
    )


def test_a_zero_has_no_sign() -> None:
    assert evaluation_table(Evaluation("x", np.float64(-0.0)), Look()) == "x = 0\n"
    assert evaluation_table(Evaluation("x", np.array([-0.0, 1])), Look()) == "x  (2)\n  [0 1]\n"
    assert evaluation_table(Evaluation("x", np.float64(-1e-300)), Look()) == "x = -1e-300\n"


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_footers_notes_and_titles_keep_to_the_width(mixed, curved, columns: int) -> None:
    look = Look(width=columns)
    long = "+".join(["word"] * 100)
    note = replace(mixed.notes[0], reason="a corner: the slope is -1 before 0 and 1 after it, as it seems")
    pages = [
        gradient_table(replace(mixed, expression=long, notes=(note,)), look),
        hessian_table(curved, look),
        evaluation_table(Evaluation(long, np.zeros((100, 100))), look),
        tangent_table(Tangent(long, np.float64(-1 / 3), np.float64(-1 / 3)), look),
    ]
    assert max(len(line) for page in pages for line in page.splitlines()) <= columns
    flat = " ".join("".join(pages).split())
    assert "is -1 before 0 and 1 after it, as it seems" in flat
    assert "numbers hidden: --format json, csv or plain and -o FILE write all of them" in flat
    assert "... = -0.333333" in flat
    assert "... (100x100)" in flat


def test_digits(decay) -> None:
    assert "-1.338780960890579" in gradient_table(decay, Look(digits=17))
    assert "-1.3 " not in gradient_table(decay, Look(digits=2))
    assert "-1.3\n" in gradient_table(decay, Look(digits=2))


def test_scalars_arrays_and_notes(mixed) -> None:
    assert gradient_table(mixed, Look()) == (
        "k*sum(abs(x)) = 6\n"
        "\n"
        "  variable   value   gradient\n"
        "  k              2          3\n"
        "\n"
        "gradient of x  (2x2)\n"
        "  [[  2   0]\n"
        "   [ -2 0.5]]\n"
        "\n"
        "note: abs(x) at [0, 1]: kink, 0 is used\n"
    )


@pytest.mark.parametrize(("length", "shown"), [(72, "x" * 72), (73, "x" * 69 + "...")])
def test_a_note_quotes_72_characters(mixed, length: int, shown: str) -> None:
    note = replace(mixed.notes[0], source="x" * length)
    assert f"note: {shown} at [0, 1]: " in gradient_table(replace(mixed, notes=(note,)), Look())


def test_derivatives(decay) -> None:
    result = replace(decay, gradient={"x": np.float64(12)}, derivatives=(np.float64(12), np.float64(6)))
    assert gradient_table(result, Look()).endswith("  derivative   value\n  d/dx            12\n  d2/dx2           6\n")


def test_jacobian(square) -> None:
    assert jacobian_table(square, Look()) == (
        "[x**2+3*y, 2*x+y**2]  (2)\n"
        "  [13 13]\n"
        "\n"
        "jacobian of x  (2)\n"
        "  [4 2]\n"
        "\n"
        "jacobian of y  (2)\n"
        "  [3 6]\n"
        "\n"
        "  mode stacked, 1 sweep\n"
    )


def test_hessian(curved) -> None:
    assert hessian_table(curved, Look()) == (
        "x**2*y + x*sum(w) = 18\n"
        "\n"
        "  variable   value   gradient\n"
        "  x              2         15\n"
        "  y              3          4\n"
        "\n"
        "gradient of w  (2)\n"
        "  [2 2]\n"
        "\n"
        "  hessian   x   y\n"
        "  x         6   4\n"
        "  y         4   0\n"
        "\n"
        "hessian of x, w  (2)\n"
        "  [1 1]\n"
        "\n"
        "hessian of y, w  (2)\n"
        "  [0 0]\n"
        "\n"
        "hessian of w, w  (2x2)\n"
        "  [[0 0]\n"
        "   [0 0]]\n"
        "\n"
        "  a pair of variables is shown once: in the other order, its block is the transpose\n"
    )


def test_hessian_of_many_scalars_says_what_it_hides(curved) -> None:
    names = [f"x{i}" for i in range(40)]
    one = np.float64(1)
    many = replace(
        curved,
        point=dict.fromkeys(names, one),
        gradient=dict.fromkeys(names, one),
        hessian={name: dict.fromkeys(names, one) for name in names},
    )
    assert "1,564 numbers hidden" in hessian_table(many, Look(width=80))


def test_tangent() -> None:
    assert (
        tangent_table(Tangent("x*y", np.float64(6), np.float64(-1 / 3)), Look()) == "x*y = 6\n\ntangent = -0.333333\n"
    )
    table = tangent_table(Tangent("x*y", np.ones(2), np.ones(2)), Look())
    assert table == "x*y  (2)\n  [1 1]\n\ntangent  (2)\n  [1 1]\n"


@pytest.mark.parametrize("color", [False, True])
def test_no_line_ends_in_blanks(decay, mixed, square, curved, residual, color: bool) -> None:
    look = Look(color=color)
    pages = [gradient_table(decay, look), gradient_table(mixed, look), jacobian_table(square, look)]
    pages += [hessian_table(curved, look), graph_tree(residual, look)]
    for line in "".join(pages).splitlines():
        plain = re.sub(r"\x1b\[[0-9;]*m", "", line)
        assert plain == plain.rstrip()
        assert len(line) < 200


@pytest.mark.parametrize("text", ["x[red]", "x[/a]", "y[:x:2]", "a[:smile:]", "[link=http://e]x[/link]"])
def test_user_text_is_not_markup(text: str) -> None:
    assert evaluation_table(Evaluation(text, np.float64(1)), Look()) == f"{text} = 1\n"
    assert text in evaluation_table(Evaluation(text, np.ones(2)), Look(color=True))


def test_control_characters_are_spelled() -> None:
    table = evaluation_table(Evaluation("x\x1b[2J\u202e\x9b\x7f", np.float64(1)), Look())
    assert table == "x\\x1b[2J\\u202e\\x9b\\x7f = 1\n"


def test_colour_only_when_asked(mixed) -> None:
    assert "\x1b" not in gradient_table(mixed, Look())
    coloured = gradient_table(mixed, Look(color=True))
    assert "\x1b[" in coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert plain == gradient_table(mixed, Look())


def test_long_expressions_are_clipped_and_numbers_are_not() -> None:
    table = evaluation_table(Evaluation("+".join(["x"] * 1000), np.float64(-1 / 3)), Look(digits=17))
    assert re.fullmatch(r"(x\+)+x\.\.\. = -0\.33333333333333331\n", table)


def test_programs_stand_on_one_line() -> None:
    assert evaluation_table(Evaluation("y = x\ny + 1", np.float64(1)), Look()) == "y = x y + 1 = 1\n"


def test_no_number_is_lost_in_a_narrow_window() -> None:
    values = np.random.default_rng(0).normal(size=(4, 40))
    block = array_block(values, Look(width=60))
    shown = [word.strip("[]") for word in " ".join(block.lines).split()]
    numbers = {format(value, ".6g") for value in values.reshape(-1)}
    assert {word for word in shown if word and word != "..."} <= numbers
    assert max(map(len, block.lines)) <= 60
    assert block.hidden + len([word for word in shown if word and word != "..."]) == values.size


def test_vectors_wrap() -> None:
    block = array_block(np.arange(100.0), Look(width=40))
    assert block.hidden == 0
    assert max(map(len, block.lines)) <= 40
    assert " ".join(block.lines).strip("[]").split() == [str(i) for i in range(100)]


def test_the_table_says_what_it_hides() -> None:
    table = evaluation_table(Evaluation("x", np.zeros((100, 100))), Look())
    assert "9,964 numbers hidden: --format json, csv or plain and -o FILE write all of them" in table
    assert table.splitlines()[1] == "  [[0 0 0 ... 0 0 0]"


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (1, 1, 1), (2,) * 12, (1,) * 64, (1001,), (7, 1, 200)])
def test_every_shape(shape: tuple[int, ...]) -> None:
    block = array_block(np.zeros(shape), Look(width=80))
    assert 0 <= block.hidden <= np.prod(shape)
    text = "\n".join(block.lines)
    assert text.count("[") == text.count("]")


def test_matches_numpy_where_numpy_pads_alike() -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    with np.printoptions(formatter={"float_kind": lambda value: format(value, ".6g").rjust(2)}):
        assert "\n".join(array_block(array, Look()).lines) == str(array)


def test_many_scalars_are_elided(decay) -> None:
    names = {f"x{i}": np.float64(i) for i in range(1500)}
    table = gradient_table(replace(decay, gradient=names, point=names), Look())
    assert "1,494 rows hidden" in table
    assert "x1499" in table


def test_notes_are_printable() -> None:
    note = Note("f", "f(\x1b)", None, (), "tie")
    assert evaluation_table(Evaluation("x", np.float64(1), (note,)), Look()).endswith("note: f(\\x1b): tie\n")


def test_blanks_of_one_line_are_kept() -> None:
    assert clipped("a  b", 10) == "a  b"
    assert clipped("a\r  b\n", 10) == "a b"
