"""Public bug reports about differentiation, as command lines with the right answer."""

import shlex

import pytest

from tests.cases.comparing import mismatch
from tests.cases.reading import array, document

REPORTS = {report["n"]: report for report in document("reports.json")["reports"]}

# What gradcli refuses, and words of its answer. Exit 3: not of the language; exit 4: it cannot be done as asked.
REFUSED = {
    49: (4, "modified by an inplace operation"),
    50: (4, "y = 1*x"),
    77: (4, "not symmetric"),
    135: (3, "`2*(1+2)`"),
    136: (3, "`2*x`"),
    144: (3, "`**2`"),
    145: (3, "decimal point"),
}
# Where the numbers are a matter of taste, the reason has to be told.
NOTED = {
    51: "a tie",
    64: "a tie",
    65: "a corner of the norm",
    68: "a corner of the norm",
    89: "an overflow",
    96: "an overflow",
    111: "a corner of the norm",
}
# Gradients that are accepted with such a note, where the report says so in words.
ACCEPTED = {89: {"x": "Infinity"}, 96: {"x": ["NaN", 0.25]}}
# Told in words in the report; test_reports_by_hand.py has these.
BY_HAND = {109, 125, 141, 150, 154, 157, 158, 159, 162}

NUMBERS = [n for n in REPORTS if n not in REFUSED.keys() | BY_HAND]


def words(report):
    program, *rest = shlex.split(report["call"])
    assert program == "gradcli"
    return rest


def only(blocks):
    (block,) = blocks.values()
    return block


def square(hessian):
    """Blocks of scalars as a matrix; the one block of a vector as it is."""
    first = next(iter(hessian.values()))
    return only(first) if len(first) == 1 else [list(row.values()) for row in hessian.values()]


FOUND = {
    "value": lambda found: found["value"],
    "derivative_order_1": lambda found: found["derivatives"][0],
    "derivative_order_2": lambda found: found["derivatives"][1],
    "derivative_order_4": lambda found: found["derivatives"][3],
    "derivative_order_6": lambda found: found["derivatives"][5],
    "derivatives_1_to_4": lambda found: found["derivatives"],
    "hessian": lambda found: square(found["hessian"]),
    "hessian_xy": lambda found: square(found["hessian"]),
    "hessian_yx_order": lambda found: square(found["hessian"]),
    "jacobian": lambda found: only(found["jacobian"]),
    "jacobian_x": lambda found: only(found["jacobian"]),
    "jacobian_2x2x2": lambda found: only(found["jacobian"]),
}
TOLD_IN_WORDS = {"documented", "grad_shape_v", "slogdet_sign", "vjp_with_ones"}


def close(report, got, want):
    want = array(want)
    return not mismatch(array(got), want, report["rtol"] * abs(want))


def gradients(report):
    """The right gradient and the others that are accepted, each a number or list for every variable."""
    right = report["right"]
    if "grad" in right:
        yield right["grad"]
    yield from (other for other in report.get("accept", []) if not isinstance(other, str))
    if report["n"] in ACCEPTED:
        yield ACCEPTED[report["n"]]


def holds(report, gradient, wanted):
    by_name = wanted if isinstance(wanted, dict) else dict.fromkeys(gradient, wanted)
    return all(close(report, gradient[name], numbers) for name, numbers in by_name.items())


@pytest.mark.parametrize("n", NUMBERS)
def test_answer(run, n):
    report = REPORTS[n]
    found = run(*words(report), "--json").json
    for key, want in report["right"].items():
        if key == "grad" or key in TOLD_IN_WORDS or want == "undefined":
            continue
        assert close(report, FOUND[key](found), want), (key, found)
    wanted = list(gradients(report))
    assert not wanted or any(holds(report, found["gradient"], one) for one in wanted), found
    if n in NOTED:
        assert any(NOTED[n] in note["reason"] for note in found["notes"])


@pytest.mark.parametrize("n", REFUSED)
def test_refusal(run, n):
    code, hint = REFUSED[n]
    done = run(*words(REPORTS[n]), "--json")
    assert done.code == code
    assert hint in done.error["message"] + (done.error["help"] or "")


def test_every_report_is_here():
    assert len(REPORTS) == 81
    assert set(NUMBERS) | set(REFUSED) | BY_HAND == set(REPORTS)
    known = FOUND.keys() | TOLD_IN_WORDS | {"grad"}
    assert all(set(REPORTS[n]["right"]) <= known for n in NUMBERS)
