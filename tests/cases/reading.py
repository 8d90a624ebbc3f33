"""Cases as they lie in `data`, read into arrays. Their syntax is gradcli's own: texts are taken as they are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

DATA = Path(__file__).parent / "data"

Arrays = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Case:
    """One case: `value` and what is stated of `gradient` (of a scalar), `jacobian` (of an array) and `hessian`.

    `hessian` is the square matrix over the variables of `order`, flattened and joined. `accept` are other gradients
    that are fine too. `more` holds the fields that one family alone has.
    """

    id: str
    text: str
    at: Arrays
    wrt: list[str]
    value: Any
    tolerance: dict[str, Any]
    gradient: Arrays | None
    jacobian: Arrays | None
    hessian: Any
    order: list[str]
    accept: list[Arrays]
    more: dict[str, Any]


def document(path: str) -> Any:
    return json.loads((DATA / path).read_text(encoding="utf-8"))


def family(pattern: str) -> list[Any]:
    """The cases of the files that match, one parameter each."""
    return [
        pytest.param(case, id=case.id.partition("/")[2])
        for path in sorted(DATA.glob(pattern))
        for case in map(read, document(path.relative_to(DATA).as_posix())["cases"])
    ]


def sample(cases: list[Any], step: int) -> list[Any]:
    """Every `step`-th of them, for what is too slow or too much alike to be done with each."""
    return cases[::step]


def read(fields: dict[str, Any]) -> Case:
    hessian = fields.get("hessian", {})
    return Case(
        id=fields["id"],
        text=fields["expr"] if "expr" in fields else "\n".join(fields["program"]),
        at=arrays(fields["at"]),
        wrt=fields["wrt"],
        value=array(fields["value"]),
        tolerance=fields["tolerance"],
        gradient=arrays(fields["gradient"]) if "gradient" in fields else None,
        jacobian=arrays(fields["jacobian"]) if "jacobian" in fields else None,
        hessian=array(hessian["matrix"]) if hessian else None,
        order=hessian.get("order", []),
        accept=[arrays(other) for other in fields.get("accept", [])],
        more=fields,
    )


def array(numbers: Any) -> Any:
    """Nested lists as an array; strings are the numbers that JSON does not have."""
    return np.array(numbers, dtype=float)


def arrays(by_name: dict[str, Any]) -> Arrays:
    return {name: array(numbers) for name, numbers in by_name.items()}
