"""Sparse Jacobians as text, and pictures of their patterns."""

import json

import numpy as np
import pytest

from gradcli.render import dots, sparse
from gradcli.render.text import Look
from gradcli.results import JacobianPattern, Method, Note, Sparse, SparseJacobian, side_by_side


def part(rows: list[int], columns: list[int], values: list[float], shape: tuple[int, int]) -> Sparse:
    return Sparse(np.array(rows, dtype=int), np.array(columns, dtype=int), np.array(values), shape)


X = part([0, 1, 2], [0, 0, 1], [1.5, np.inf, -2.0], (3, 2))
Y = part([2], [0], [4.0], (3, 1))
NOTES = (Note("abs", "abs(x)", None, (), "a corner"),)


@pytest.fixture
def found() -> SparseJacobian:
    shape = {"output": (3,), "x": (2,), "y": ()}
    return SparseJacobian(("f", "g", "h"), np.arange(3.0), shape, {"x": X, "y": Y}, Method("sparse", 2), NOTES)


def test_side_by_side() -> None:
    matrix = side_by_side([X, Y], 3)
    assert matrix.shape == (3, 3)
    assert matrix.dense().tolist() == [[1.5, 0, 0], [np.inf, 0, 0], [0, -2.0, 4.0]]
    assert matrix.starts().tolist() == [0, 1, 2, 4]
    nothing = side_by_side([], 2)
    assert (nothing.shape, nothing.starts().tolist()) == ((2, 0), [0, 0, 0])


def test_json_says_what_is_not_finite_and_ends_with_the_notes(found: SparseJacobian) -> None:
    document = json.loads("".join(sparse.sparse_json(found)))
    assert document["jacobian"]["x"]["values"] == [1.5, "Infinity", -2.0]
    assert list(document)[-3:] == ["method", "finite", "notes"]


def test_lines_of_json(found: SparseJacobian) -> None:
    lines = [json.loads(line) for line in "".join(sparse.sparse_jsonl(found)).splitlines()]
    assert [line["row"] for line in lines] == [[0], [1], [2]]
    assert ["finite" in line for line in lines] == [False, True, False]
    assert ["notes" in line for line in lines] == [False, False, True]


def test_matrix_market(found: SparseJacobian) -> None:
    lines = "".join(sparse.sparse_mtx(found)).splitlines()
    assert lines[0] == "%%MatrixMarket matrix coordinate real general"
    assert lines[1:] == ["3 3 4", "1 1 1.5", "2 1 inf", "3 2 -2.0", "3 3 4.0"]


def test_table(found: SparseJacobian) -> None:
    text = dots.sparse_table(found, Look())
    assert text.startswith("[f, g, h]  (3)\n  [0 1 2]\n\n  variable   matrix   entries   filled\n")
    assert "  x          3x2            3     50 %\n" in text
    assert text.endswith("\n\nnote: abs(x): a corner\n")


def test_picture() -> None:
    assert dots.picture(X, Look()) == (["● ·", "● ·", "· ●"], 1)
    assert dots.picture(X, Look(ascii=True)) == (["x .", "x .", ". x"], 1)
    n = np.arange(480)
    lines, side = dots.picture(Sparse(n, n, np.ones(480), (480, 480)), Look(ascii=True, width=40))
    assert side == 26
    assert len(lines) == 19
    assert max(map(len, lines)) <= 38
    assert all(line.split()[i] == "x" and line.count("x") == 1 for i, line in enumerate(lines))


def test_pattern_without_entries_has_no_picture() -> None:
    empty = part([], [], [], (3, 2))
    shape = {"output": (3,), "x": (2,)}
    text = dots.pattern_table(JacobianPattern("f", np.zeros(3), shape, {"x": empty}, Method("sparse", 1)), Look())
    table = "  variable   matrix   entries   filled\n  x          3x2            0      0 %\n"
    assert text == f"f\n\n{table}\n  mode sparse, 1 sweep\n"
