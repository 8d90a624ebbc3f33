"""Layouts read shapes alone, or the entry says that its layout reads values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.errors import GradcliError
from gradcli.primitives.table import Layout, Primitive
from tests.primitives.samples import ENTRIES, SAMPLES

LAID_OUT = [entry for entry in ENTRIES if entry.prepare is not None]


class Shaped:
    """An operand that tells its shape and kind; whoever reads its values fails."""

    def __init__(self, x: Any) -> None:
        self.shape, self.ndim, self.size, self.dtype = x.shape, x.ndim, x.size, x.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise AssertionError("a layout reads values")


def laid_out(entry: Primitive, monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[Any], dict[str, Any], Layout]]:
    """The calls of an entry's samples and of its example, as its layout gets them, and what it makes of them."""
    seen: list[tuple[list[Any], dict[str, Any], Layout]] = []
    prepare = entry.prepare
    assert prepare is not None

    def watched(name: str, operands: Any, **params: Any) -> Layout:
        arrays = list(operands)
        layout = prepare(name, arrays if entry.by_values else [Shaped(x) for x in arrays], **params)
        seen.append((arrays, params, layout))
        return layout

    monkeypatch.setattr(entry, "prepare", watched)
    for sample in SAMPLES:
        if sample.name == entry.name:
            sample(*sample.operands)
    if entry.example:
        gradcli.parse(entry.example).evaluate({})
    monkeypatch.undo()
    return seen


@pytest.mark.parametrize("entry", [e for e in LAID_OUT if not e.by_values], ids=lambda entry: entry.name)
def test_a_layout_reads_shapes_alone(entry: Primitive, monkeypatch: pytest.MonkeyPatch) -> None:
    assert laid_out(entry, monkeypatch)


def changes(entry: Primitive, arrays: list[Any], params: dict[str, Any], layout: Layout) -> bool:
    """Whether some other values of the same shapes are laid out in another way, or not at all."""
    assert entry.prepare is not None
    for new in (lambda x: np.sort(x.ravel())[::-1], lambda x: np.arange(x.size), np.zeros_like):
        others = [new(x).reshape(x.shape).astype(x.dtype) for x in arrays]
        try:
            with np.errstate(all="ignore"):
                found = entry.prepare(entry.name, others, **params)
            np.testing.assert_equal(found._asdict(), layout._asdict())
        except (AssertionError, GradcliError):
            return True
    return False


@pytest.mark.parametrize("entry", [e for e in LAID_OUT if e.by_values], ids=lambda entry: entry.name)
def test_a_layout_that_is_said_to_read_values_does(entry: Primitive, monkeypatch: pytest.MonkeyPatch) -> None:
    assert any(changes(entry, *call) for call in laid_out(entry, monkeypatch))


def test_an_entry_without_a_layout_of_its_own_reads_no_values() -> None:
    assert not [entry.name for entry in ENTRIES if entry.by_values and entry.prepare is None]
