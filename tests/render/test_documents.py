"""JSON: the samples of the contract, strictness, pieces."""

import json
from dataclasses import replace

import numpy as np
import pytest

from gradcli import errors
from gradcli.render import documents, tables
from gradcli.render.encoding import BLOCK, Encoder
from gradcli.render.text import Look
from gradcli.results import Check, Evaluation, FunctionEntry, Method, Note, Tangent, VariableCheck
from gradcli.span import Source, Span


def test_evaluation() -> None:
    text = "".join(documents.evaluation_json(Evaluation("(x+2)**2+3", np.float64(19))))
    assert text == '{"schema":"gradcli.eval/1","expression":"(x+2)**2+3","value":19.0,"shape":[]}\n'


def test_mask() -> None:
    text = "".join(documents.evaluation_json(Evaluation("x > 0", np.array([True, False]))))
    assert text == '{"schema":"gradcli.eval/1","expression":"x > 0","value":[true,false],"shape":[2]}\n'


def test_gradient(decay) -> None:
    assert "".join(documents.gradient_json(decay)) == (
        '{"schema":"gradcli.diff/1","expression":"a*exp(-b*t)","value":0.44626032029685964,"gradient":'
        '{"a":0.22313016014842982,"b":-1.338780960890579,"t":-0.22313016014842982}}\n'
    )


def test_empty_gradient(decay) -> None:
    text = "".join(documents.gradient_json(replace(decay, gradient={})))
    assert text.endswith('"gradient":{}}\n')


def test_derivatives(decay) -> None:
    result = replace(decay, gradient={"x": np.float64(12)}, derivatives=(np.float64(12), np.float64(np.nan)))
    text = "".join(documents.gradient_json(result))
    assert text.endswith('"gradient":{"x":12.0},"order":2,"derivatives":[12.0,"NaN"],"finite":false}\n')


def test_finite_and_notes_come_last(mixed) -> None:
    result = replace(mixed, value=np.float64(-np.inf), notes=(Note("log", "log(x)", None, (), "pole"),))
    assert "".join(documents.gradient_json(result)) == (
        '{"schema":"gradcli.diff/1","expression":"k*sum(abs(x))","value":"-Infinity","gradient":'
        '{"k":3.0,"x":[[2.0,0.0],[-2.0,0.5]]},"finite":false,"notes":'
        '[{"operation":"log","source":"log(x)","span":null,"index":[],"reason":"pole"}]}\n'
    )


def test_note_with_place(mixed) -> None:
    [note] = json.loads("".join(documents.gradient_json(mixed)))["notes"]
    expected = {"operation": "abs", "source": "abs(x)", "span": [6, 12], "index": [0, 1], "reason": "kink, 0 is used"}
    assert note == expected


def test_jacobian(square) -> None:
    assert "".join(documents.jacobian_json(square)) == (
        '{"schema":"gradcli.jacobian/1","expression":["x**2+3*y","2*x+y**2"],"value":[13.0,13.0],'
        '"shape":{"output":[2],"x":[],"y":[]},"jacobian":{"x":[4.0,2.0],"y":[3.0,6.0]},'
        '"method":{"mode":"stacked","passes":1}}\n'
    )


def test_a_jacobian_in_blocks(square) -> None:
    in_blocks = replace(square, method=Method("stacked", 32, 64))
    assert "".join(documents.jacobian_json(in_blocks)).endswith('"method":{"mode":"stacked","passes":32,"block":64}}\n')
    assert tables.jacobian_table(in_blocks, Look()).endswith("  mode stacked, 32 sweeps of 64\n")


def test_jacobian_rows(stream) -> None:
    assert list("".join(documents.jacobian_jsonl(stream)).splitlines()) == [
        '{"schema":"gradcli.jacobian-row/1","row":[0],"of":[3],"value":13.0,"jacobian":{"x":[[4.0,1.0]],"y":3.0}}',
        '{"schema":"gradcli.jacobian-row/1","row":[1],"of":[3],"value":13.0,"jacobian":{"x":[[2.0,0.0]],"y":6.0}}',
        '{"schema":"gradcli.jacobian-row/1","row":[2],"of":[3],"value":1.0,"jacobian":{"x":[["Infinity",0.0]],"y":1.0}'
        ',"finite":false}',
    ]


def test_notes_of_a_stream_stand_in_its_last_line(stream) -> None:
    late = replace(stream, notes=lambda: (Note("abs", "abs(x)", None, (), "kink"),))
    lines = "".join(documents.jacobian_jsonl(late)).splitlines()
    assert ["notes" in json.loads(line) for line in lines] == [False, False, True]


def test_hessian(curved) -> None:
    assert "".join(documents.hessian_json(curved)) == (
        '{"schema":"gradcli.hessian/1","expression":"x**2*y + x*sum(w)","value":18.0,'
        '"gradient":{"x":15.0,"y":4.0,"w":[2.0,2.0]},"hessian":{"x":{"x":6.0,"y":4.0,"w":[1.0,1.0]},'
        '"y":{"x":4.0,"y":0.0,"w":[0.0,0.0]},"w":{"x":[1.0,1.0],"y":[0.0,0.0],"w":[[0.0,0.0],[0.0,0.0]]}}}\n'
    )


def test_products(decay) -> None:
    note = Note("abs", "abs(x)", None, (), "a corner")
    assert "".join(documents.tangent_json(Tangent("x", np.float64(1), np.array([1.0, np.nan]), (note,)))) == (
        '{"schema":"gradcli.jvp/1","expression":"x","value":1.0,"tangent":[1.0,"NaN"],"finite":false,"notes":'
        '[{"operation":"abs","source":"abs(x)","span":null,"index":[],"reason":"a corner"}]}\n'
    )
    text = "".join(documents.vjp_json(decay))
    assert text == "".join(documents.gradient_json(decay)).replace("gradcli.diff/1", "gradcli.vjp/1")


def test_check() -> None:
    x = VariableCheck(1.2e-10, (0,), 1.0, 1.0, 1.0, True)
    y = VariableCheck(0.0, (), 0.0, 0.0, None, False, -1.0, 1.0, "a kink", 2.0, (8, 100))
    culprit = Note("sin", "sin(x)", Span(0, 6), (), "wrong")
    assert "".join(documents.check_json(Check("f", False, {"x": x, "y": y}, culprit))) == (
        '{"schema":"gradcli.check/1","expression":"f","passed":false,"variables":{'
        '"x":{"max_error":1.2e-10,"worst":[0],"reverse":1.0,"forward":1.0,"numeric":1.0,"passed":true},'
        '"y":{"max_error":0.0,"worst":[],"reverse":0.0,"forward":0.0,"numeric":null,"passed":false,'
        '"left":-1.0,"right":1.0,"note":"a kink","claimed":2.0,"compared":[8,100]}},'
        '"culprit":{"operation":"sin","source":"sin(x)","span":[0,6],"index":[],"reason":"wrong"}}\n'
    )


def test_graph(residual) -> None:
    document = json.loads("".join(documents.graph_json(residual)))
    assert list(document) == ["schema", "expression", "value", "nodes"]
    root, _, leaf, matmul, *_ = document["nodes"]
    assert root == {
        "id": 0,
        "name": "MeanBackward0",
        "source": "mean(y - x@w)",
        "span": [0, 13],
        "shape": [],
        "value": 0.0283,
        "gradient": 1.0,
        "next": [[1, 0]],
    }
    assert list(leaf)[:3] == ["id", "name", "variable"]
    assert matmul["gradient"] is None
    assert document["nodes"][5]["next"] == [[4, 0], [None, 0]]


def test_functions() -> None:
    entry = FunctionEntry("sin", (), "elementwise", "sin(x)", "sine", "cos(x)", "", "sin(0)")
    document = json.loads("".join(documents.functions_json([entry])))
    assert document["schema"] == "gradcli.functions/1"
    assert document["functions"][0]["signature"] == "sin(x)"
    assert "result" not in document["functions"][0]
    document = json.loads("".join(documents.functions_json([replace(entry, result=np.array([0.0, np.nan]))])))
    assert list(document["functions"][0])[-2:] == ["example", "result"]
    assert document["functions"][0]["result"] == [0.0, "NaN"]


def test_error() -> None:
    error = errors.ShapeMismatch(
        "inner sizes differ", span=Span(9, 12), source=Source("mean(y - x@w)"), label="here", help="x@w.T"
    )
    assert documents.error_json(error) == (
        '{"schema":"gradcli.error/1","kind":"shape","message":"inner sizes differ","in":"expression",'
        '"line":1,"column":10,"span":[9,12],"help":"x@w.T","exit":4}\n'
    )


def test_warning() -> None:
    caution = errors.Caution("not held", span=Span(0, 2), source=Source("1\n2", "--at x"))
    assert documents.error_json(caution) == (
        '{"schema":"gradcli.warning/1","kind":"warning","message":"not held","in":"--at x",'
        '"line":1,"column":1,"span":[0,2],"help":null}\n'
    )


def test_error_without_place() -> None:
    document = json.loads(documents.error_json(errors.UsageProblem("nothing to do")))
    assert document["in"] is document["line"] is document["column"] is document["span"] is document["help"] is None


@pytest.mark.parametrize(
    "shape", [(BLOCK + 3,), (3, BLOCK), (2, 3, BLOCK // 2), (BLOCK + 1, 1), (1, 1, BLOCK + 1), (0, 5), (5, 0), ()]
)
def test_big_arrays_in_pieces(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int), dtype=float).reshape(shape)
    pieces = list(Encoder().array(array))
    assert json.loads("".join(pieces)) == array.tolist()
    assert max(map(len, pieces)) < 16 * BLOCK


def test_numbers_round_trip() -> None:
    numbers = [0.1, 5e-324, 1.7976931348623157e308, -0.0, 2**53 + 0.0, 1 / 3]
    text = Encoder().text(numbers)
    assert [number.hex() for number in json.loads(text)] == [number.hex() for number in numbers]


def test_ascii_only() -> None:
    assert Encoder().text("\u2202\x1b\u202e").isascii()
