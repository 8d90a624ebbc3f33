"""What entries say of themselves, seen in what they do."""

from typing import Any

import numpy as np
import pytest

from gradcli.engine import Tensor, function
from gradcli.primitives import TABLE
from gradcli.primitives.table import Primitive
from tests.primitives.samples import ENTRIES, Sample, samples


def first_with_numbers(entry: Primitive) -> Sample | None:
    """A sample all of whose operands are arrays of numbers, and none is made symmetric."""
    for sample in samples(entry):
        arrays = [np.asarray(x) for x in sample.operands]
        plain = all(x.dtype.kind == "f" and x.size and np.isfinite(x).all() for x in arrays)
        if arrays and plain and not entry.symmetric:
            return sample
    return None


def masks_of(sample: Sample) -> list[Any]:
    return [np.asarray(x) > np.median(x) if np.size(x) > 1 else np.asarray(x) > 0 for x in sample.operands]


TRIED = [(entry, sample) for entry in ENTRIES if (sample := first_with_numbers(entry)) is not None]
COUNTING = [(entry, sample) for entry, sample in TRIED if not entry.masks and not entry.hidden]
KEEPING = [(entry, sample) for entry, sample in TRIED if entry.masks and entry.kind == "linear" and not entry.hidden]


def named(value: Any) -> str:
    return value.name if isinstance(value, Primitive) else ""


def outcome(sample: Sample, operands: list[Any]) -> Any:
    try:
        return sample(*operands).array
    except ValueError as error:
        return type(error)


@pytest.mark.parametrize(("entry", "sample"), COUNTING, ids=named)
def test_truths_count_as_numbers(entry: Primitive, sample: Sample) -> None:
    masks = masks_of(sample)
    expected = outcome(sample, [mask.astype(float) for mask in masks])
    found = outcome(sample, masks)
    if isinstance(expected, type):
        assert found is expected
    else:
        np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize(("entry", "sample"), KEEPING, ids=named)
def test_truths_that_are_moved_stay_truths(entry: Primitive, sample: Sample) -> None:
    assert outcome(sample, masks_of(sample)).dtype == bool


@pytest.mark.parametrize("sample", [s for e in ENTRIES if e.multilinear for s in samples(e)], ids=str)
def test_a_multilinear_entry_is_linear_in_each_operand(sample: Sample) -> None:
    value = sample(*sample.operands).array
    for i in range(len(sample.operands)):
        for factor in (2.0, 0.0):
            scaled = [x * factor if k == i else x for k, x in enumerate(sample.operands)]
            np.testing.assert_allclose(sample(*scaled).array, factor * value, rtol=1e-14, atol=1e-15)


DISCRETE = {"all", "any", "argmax", "argmin", "argsort", "count_nonzero", "matrix_rank"}


def test_in_python_positions_and_counts_alone_do_not_require_grad() -> None:
    for name in DISCRETE:
        assert not function(TABLE[name])(Tensor(np.eye(2), requires_grad=True)).requires_grad, name
    for name in ("sort", "cummin", "cummax", "max", "median", "topk", "sign", "floor", "round", "trunc", "heaviside"):
        given = {"topk": [1], "heaviside": [0.5]}.get(name, [])
        assert function(TABLE[name])(Tensor(np.eye(2), requires_grad=True), *given).requires_grad, name
    assert {entry.name for entry in TABLE.values() if entry.discrete} == DISCRETE
