"""Jacobians by command: modes, sparse output, patterns, streams to files, a progress bar; Hessians in part."""

import io
import itertools
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gradcli.cli import jacobians, streams
from gradcli.cli.options import MODES
from gradcli.modes import jacobian
from gradcli.render.progress import described

POINT = ["--at", "x=[2,3]", "--at", "y=4"]
TEXT = "[x[0]*y, x[1]**2]"
DENSE = [[4.0, 0.0, 2.0], [0.0, 6.0, 0.0]]


def test_the_modes_are_those_of_the_engine() -> None:
    assert MODES == jacobian.MODES


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("form", ["jsonl", "csv", "plain"])
def test_a_stream_has_the_same_rows_in_every_dense_mode(run, mode: str, form: str) -> None:
    words = ["jacobian", TEXT, *POINT, "--format", form, "--mode"]
    if mode != "sparse":
        assert run(*words, mode).out == run(*words, "rows").out


def test_sparse_json(run) -> None:
    assert run("jacobian", TEXT, *POINT, "--mode", "sparse").out == (
        '{"schema":"gradcli.jacobian/1","expression":"[x[0]*y, x[1]**2]","value":[8.0,9.0],'
        '"shape":{"output":[2],"x":[2],"y":[]},"jacobian":{'
        '"x":{"rows":[0,1],"cols":[0,1],"values":[4.0,6.0],"shape":[2,2]},'
        '"y":{"rows":[0],"cols":[0],"values":[2.0],"shape":[2,1]}},"method":{"mode":"sparse","passes":1}}\n'
    )


def test_sparse_rows(run) -> None:
    words = ["jacobian", TEXT, *POINT, "--mode", "sparse"]
    lines = [json.loads(line) for line in run(*words, "--format", "jsonl").out.splitlines()]
    assert lines[1]["jacobian"] == {
        "x": {"cols": [1], "values": [6.0], "shape": [2]},
        "y": {"cols": [], "values": [], "shape": [1]},
    }
    assert run(*words, "--plain").out == "0 0 4.0\n0 2 2.0\n1 1 6.0\n"
    assert run(*words, "--format", "csv").out.splitlines()[:2] == ["row,column,value", "0,0,4.0"]


def test_matrix_market(run) -> None:
    expected = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 4.0\n1 3 2.0\n2 2 6.0\n"
    assert run("jacobian", TEXT, *POINT, "--mode", "sparse", "--format", "mtx").out == expected
    assert run("jacobian", TEXT, *POINT, "-o", "J.mtx") == (0, "", "")
    assert Path("J.mtx").read_text() == expected
    for mode in ("rows", "stacked", "columns"):
        assert run("jacobian", TEXT, *POINT, "--mode", mode, "--format", "mtx").code == 2
    pattern = run("jacobian", TEXT, *POINT, "--pattern", "--format", "mtx").out
    assert pattern == "%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 1\n1 3\n2 2\n"


def test_compressed_rows_as_scipy_lays_them_out(run) -> None:
    assert run("jacobian", TEXT, *POINT, "--mode", "sparse", "-o", "J.npz").code == 0
    with zipfile.ZipFile("J.npz") as archive:
        assert sorted(archive.namelist()) == ["data.npy", "format.npy", "indices.npy", "indptr.npy", "shape.npy"]
    with np.load("J.npz") as loaded:
        assert loaded["format"].item() == b"csr"
        assert loaded["shape"].tolist() == [2, 3]
        assert loaded["data"].tolist() == [4.0, 2.0, 6.0]
        assert loaded["indices"].tolist() == [0, 2, 1]
        assert loaded["indptr"].tolist() == [0, 2, 3]


def test_scipy_reads_it(run) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    run("jacobian", TEXT, *POINT, "--mode", "sparse", "-o", "J.npz")
    assert sparse.load_npz("J.npz").toarray().tolist() == DENSE


@pytest.mark.parametrize("mode", MODES)
def test_a_file_of_rows(run, mode: str) -> None:
    assert run("jacobian", TEXT, *POINT, "--mode", mode, "-o", "J.npy") == (0, "", "")
    assert np.load("J.npy").tolist() == DENSE
    assert run("jacobian", "A*A", "--at", "A=[[1,2,3]]", "--mode", mode, "-o", "A.npy").code == 0
    assert np.load("A.npy").shape == (1, 3, 1, 3)
    assert run("jacobian", "x**2", "--at", "x=3", "--mode", mode, "-o", "x.npy").code == 0
    assert np.load("x.npy").tolist() == 6.0
    assert run("jacobian", "ones(3)", "--mode", mode, "-o", "none.npy").code == 0
    assert np.load("none.npy").shape == (3, 0)


def test_a_file_of_rows_comes_in_blocks_and_whole_or_not_at_all(run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["jacobian", "x*sum(x)", "--at", "x=randn(200)", "--mode", "stacked", "-o", "J.npy"]
    asked: list[int] = []
    monkeypatch.setattr("gradcli.modes.session.Session.rows", _failing_at(2, asked))
    Path("J.npy").write_bytes(b"old")
    assert run(*words).code == 70
    assert asked == [jacobian.STREAMED] * 2
    assert Path("J.npy").read_bytes() == b"old"
    assert [path.name for path in Path().iterdir()] == ["J.npy"]
    monkeypatch.undo()


def _failing_at(call: int, asked: list[int]):
    def rows(session, first: int, count: int):
        asked.append(count)
        if len(asked) == call:
            raise ZeroDivisionError
        return {"x": np.zeros((count, 200))}

    return rows


def test_pattern(run) -> None:
    words = ["jacobian", TEXT, *POINT, "--pattern"]
    assert run(*words).json["pattern"] == {
        "x": {"rows": [0, 1], "cols": [0, 1], "shape": [2, 2]},
        "y": {"rows": [0], "cols": [0], "shape": [2, 1]},
    }
    assert run(*words, "--plain").out == "0 0\n0 2\n1 1\n"
    assert run(*words, "--format", "csv").out == "row,column\n0,0\n0,2\n1,1\n"
    assert "x\n  ● ·\n  · ●\n" in run(*words, "--format", "table").out
    assert run(*words, "--mode", "rows").code == 2
    assert run(*words, "-o", "J.npy").code == 2


def test_sparse_table(run) -> None:
    shown = run("jacobian", TEXT, *POINT, "--mode", "sparse", "--format", "table").out
    assert "  x          2x2            2     50 %\n" in shown
    assert "mode sparse, 1 sweep" in shown


def test_auto_stays_dense(run) -> None:
    document = run("jacobian", "x[1:]*x[:-1]", "--at", "x=randn(600)").json
    assert document["method"] == {"mode": "sparse", "passes": 2}
    assert np.shape(document["jacobian"]["x"]) == (599, 600)


def test_diagonal_of_a_hessian(run) -> None:
    words = ["hessian", "--diag", "x**2*y + sum(w**3)", "--at", "x=2", "--at", "y=3", "--at", "w=[1,2]"]
    assert run(*words).out == (
        '{"schema":"gradcli.hessian/1","expression":"x**2*y + sum(w**3)","value":21.0,'
        '"gradient":{"x":12.0,"y":4.0,"w":[3.0,12.0]},"diagonal":{"x":6.0,"y":0.0,"w":[6.0,12.0]}}\n'
    )
    assert run(*words, "--plain").out == "x 6.0\ny 0.0\nw 6.0 12.0\n"
    assert run(*words, "--format", "csv").out == "x,y,w[0],w[1]\n6.0,0.0,6.0,12.0\n"
    assert run(*words, "-o", "d.npz").code == run(*words, "-o", "d.npy").code == 0
    assert np.load("d.npz")["w"].tolist() == [6.0, 12.0]
    assert np.load("d.npy").tolist() == [[6.0, 0.0, 6.0, 12.0]]
    table = run(*words, "--format", "table").out
    assert "  variable   value   gradient   second derivative\n" in table
    assert table.endswith("second derivative of w  (2)\n  [ 6 12]\n")


def test_product_with_a_hessian(run) -> None:
    words = ["hvp", "x**2*y", "--at", "x=2", "--at", "y=3", "--tangent", "x=1"]
    assert run(*words).out == (
        '{"schema":"gradcli.hvp/1","expression":"x**2*y","value":12.0,"gradient":{"x":12.0,"y":4.0},'
        '"hvp":{"x":6.0,"y":4.0}}\n'
    )
    assert run(*words, "--plain").out == "x 6.0\ny 4.0\n"
    assert run(*words, "--format", "csv").out == "x,y\n6.0,4.0\n"
    assert run(*words, "-o", "p.npy").code == 0
    assert np.load("p.npy").tolist() == [[6.0, 4.0]]
    assert "  x              2         12     6\n" in run(*words, "--format", "table").out
    assert run("hvp", "x**2", "--at", "x=2").code == 2
    assert run("hvp", "[x]", "--at", "x=[1,2]", "--tangent", "x=[1,0]").code == 4


# ---- progress


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_for_who_waits(run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["jacobian", "x*sum(x)", "--at", "x=arange(300)", "--mode", "rows"]
    screen = Screen()
    monkeypatch.setattr(jacobians, "_PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr", screen)
    assert run(*words, "-o", "J.npy").code == 0
    assert "300 of 300 rows" in screen.getvalue()
    x = np.arange(300.0)
    np.testing.assert_array_equal(np.load("J.npy"), np.diag(np.full(300, x.sum())) + x[:, None])


def test_no_bar_before_its_time_or_where_it_would_be_in_the_way(run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["jacobian", "x*sum(x)", "--at", "x=randn(100)", "--mode", "rows"]
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    assert run(*words, "-o", "J.npy").code == 0
    monkeypatch.setattr(jacobians, "_PATIENCE", 0.0)
    assert run(*words, "--format", "jsonl").code == 0  # stdout is no file of the system here
    monkeypatch.setattr(streams, "shared", lambda output: True)
    assert run(*words, "--format", "jsonl").code == 0
    assert screen.getvalue() == ""


def test_a_bar_counts_from_the_first_row(run, monkeypatch: pytest.MonkeyPatch) -> None:
    screen, seconds = Screen(), itertools.count(100.0)
    monkeypatch.setattr(jacobians, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    monkeypatch.setattr(jacobians, "_PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr", screen)
    assert run("jacobian", "x**2", "--at", "x=[1,2,3]", "--mode", "rows", "-o", "J.csv").code == 0
    assert "3 of 3 rows, 0.75 rows/s, 0:00 left" in screen.getvalue()


def test_what_a_bar_says() -> None:
    assert described(512, 2000, 5.0) == "512 of 2,000 rows, 102 rows/s, 0:15 left"
    assert described(0, 10, 1.0) == "0 of 10 rows, 0 rows/s, unknown time left"
    assert described(1, 20_000, 1.0).endswith("5:33:19 left")


def test_sparse_hessians(run, tmp_path):
    words = ["hessian", "sum(x**3) + y*x[0]", "--at", "x=[1, 2]", "--at", "y=3"]
    found = run(*words, "--mode", "sparse").json
    assert found["hessian"]["x"] == {
        "x": {"rows": [0, 1], "cols": [0, 1], "values": [6.0, 12.0], "shape": [2, 2]},
        "y": {"rows": [0], "cols": [0], "values": [1.0], "shape": [2, 1]},
    }
    assert found["gradient"] == {"x": [6.0, 12.0], "y": 1.0}
    assert found["method"] == {"mode": "sparse", "passes": 2}
    head = "%%MatrixMarket matrix coordinate real general\n3 3 4\n"
    assert run(*words, "--format", "mtx").out == head + "1 1 6.0\n1 3 1.0\n2 2 12.0\n3 1 1.0\n"
    assert run(*words, "--mode", "sparse", "--plain").out.splitlines()[0] == "0 0 6.0"
    assert "variables" in run(*words, "--mode", "sparse", "--format", "table").out
    assert run(*words, "-o", str(tmp_path / "H.mtx")).code == 0
    assert run(*words, "--mode", "sparse", "-o", str(tmp_path / "H.npz")).code == 0
    assert sorted(np.load(tmp_path / "H.npz")) == ["data", "format", "indices", "indptr", "shape"]
    assert run(*words, "--mode", "rows").code == run(*words, "--mode", "sparse", "--diag").code == 2
