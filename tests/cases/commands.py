"""Cases as command lines that print JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.cases.comparing import check_blocks, check_hessian, check_value
from tests.cases.reading import Arrays, Case, array, arrays

Run = Callable[..., Any]


def given(at: Arrays) -> list[str]:
    """`--at NAME=VALUE` for each."""
    return [word for name, numbers in at.items() for word in ("--at", f"{name}={text(numbers)}")]


def text(numbers: Any) -> str:
    """Nested lists; `nan`, `inf` and `-inf` are numbers of the language."""
    return str(np.asarray(numbers).tolist())


def options(wrt: list[str]) -> list[str]:
    return [word for name in wrt for word in ("--wrt", name)]


def check_command(run: Run, case: Case, data_on_stdin: bool = False) -> None:
    """The command that tells most of the case, its values on the command line or as JSON on standard input."""
    command = "jacobian" if case.jacobian is not None else "diff" if case.hessian is None else "hessian"
    stdin = json.dumps({name: numbers.tolist() for name, numbers in case.at.items()}) if data_on_stdin else ""
    values = ["--data", "-"] if data_on_stdin else given(case.at)
    found = run(command, case.text, *values, *options(case.wrt), "--json", stdin=stdin).json
    check_value(case, array(found["value"]))
    if case.gradient is not None:
        check_blocks(case, arrays(found["gradient"]), case.gradient)
    if case.jacobian is not None:
        check_blocks(case, arrays(found["jacobian"]), case.jacobian)
    if case.hessian is not None:
        check_hessian(case, {name: arrays(row) for name, row in found["hessian"].items()})
