"""What a case states, held against what gradcli finds, within the tolerance of the case."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradcli
from tests.cases.reading import Arrays, Case


def bound(want: Any, tolerance: dict[str, Any]) -> Any:
    """How far each entry may be off: rtol*|want| + atol + atol_rel_to_max*max|want|, missing parts being 0."""
    sizes = np.where(np.isfinite(want), np.abs(want), 0.0)
    largest = sizes.max(initial=0.0)
    rtol, atol, of_largest = (tolerance.get(part, 0.0) for part in ("rtol", "atol", "atol_rel_to_max"))
    return rtol * sizes + atol + of_largest * largest


def mismatch(got: Any, want: Any, allowed: Any) -> str:
    """The worst entry in words, empty when every entry is as wanted. Non-finite numbers have to be the same."""
    got = np.asarray(got, dtype=float)
    if got.shape != want.shape:
        return f"shape {got.shape}, should be {want.shape}"
    with np.errstate(all="ignore"):
        off = np.abs(got - want)
        excess = np.nan_to_num(off / allowed, nan=np.inf)
    same = np.where(np.isfinite(want), off <= allowed, (got == want) | (np.isnan(got) & np.isnan(want)))
    if same.all():
        return ""
    worst = np.unravel_index(int(np.where(same, -1.0, excess).argmax()), want.shape)
    at = "".join(f"[{i}]" for i in worst)
    return f"{np.sum(~same)} of {same.size} wrong, worst{at} is {got[worst]!r}, should be {want[worst]!r}"


def mismatches(got: Arrays, want: Arrays, tolerance: dict[str, Any]) -> list[str]:
    assert list(got) == list(want)
    found = {name: mismatch(got[name], numbers, bound(numbers, tolerance)) for name, numbers in want.items()}
    return [f"{name}: {problem}" for name, problem in found.items() if problem]


def check_value(case: Case, got: Any) -> None:
    tolerance = {**case.tolerance, "atol": case.tolerance.get("value_atol", case.tolerance.get("atol", 0.0))}
    problem = mismatch(got, case.value, bound(case.value, tolerance))
    assert not problem, f"value: {problem}"


def check_blocks(case: Case, got: Arrays, want: Arrays) -> None:
    """The blocks wanted, or one of those that the case accepts besides."""
    problems = mismatches(got, want, case.tolerance)
    if problems and any(not mismatches(got, other, case.tolerance) for other in case.accept):
        return
    assert not problems, "; ".join(problems)


def joined(blocks: dict[str, Arrays], order: list[str], at: Arrays) -> Any:
    """The blocks of a Hessian as one square matrix."""
    sizes = {name: at[name].size for name in order}
    return np.block([[np.reshape(blocks[a][b], (sizes[a], sizes[b])) for b in order] for a in order])


def check_hessian(case: Case, blocks: dict[str, Arrays]) -> None:
    matrix = joined(blocks, case.order, case.at)
    problem = mismatch(matrix, case.hessian, bound(case.hessian, case.tolerance))
    assert not problem, f"hessian: {problem}"


def check_case(case: Case) -> None:
    """All that the case states, through the Python API."""
    f = gradcli.parse(case.text)
    check_value(case, f.evaluate(case.at).value)
    if case.gradient is not None:
        check_blocks(case, f.diff(case.at, wrt=case.wrt).gradient, case.gradient)
    if case.jacobian is not None:
        check_blocks(case, f.jacobian(case.at, wrt=case.wrt).jacobian, case.jacobian)
    if case.hessian is not None:
        check_hessian(case, f.hessian(case.at, wrt=case.order).hessian)
