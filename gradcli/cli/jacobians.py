"""Which kind of Jacobian or Hessian a command line asks for, how it is taken, and what one sees meanwhile."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gradcli.cli import formats, streams
from gradcli.cli.options import HESSIAN_MODES, MODES
from gradcli.errors import UsageProblem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gradcli.cli.inputs import Problem
    from gradcli.cli.options import Output
    from gradcli.results import JacobianBlock, JacobianStream

WHOLE, SPARSE, PATTERN = "jacobian", "jacobian --mode sparse", "jacobian --pattern"
"""The kinds, as `formats.RENDERERS` calls them."""

HESSIANS = {"hessian": "hessian", "hessian --diag": "hessian_diagonal", "hessian --mode sparse": "sparse_hessian"}
"""The kinds of Hessians, and the methods that give them."""

_PATIENCE = 1.0
"""Seconds of work before a progress bar appears."""


def kind(mode: str, pattern: bool, output: Output) -> str:
    """Raises UsageProblem. A format that only a sparse Jacobian has makes `auto` sparse."""
    if mode not in MODES:
        raise UsageProblem(f"no such mode: {mode}", help=f"the modes are {', '.join(MODES)}")
    if pattern:
        if mode not in ("auto", "sparse"):
            raise UsageProblem(f"--pattern is of mode sparse, not {mode}")
        return PATTERN
    return SPARSE if mode == "sparse" or (mode == "auto" and formats.named(output) == "mtx") else WHOLE


def hessian_kind(mode: str, diag: bool, output: Output) -> str:
    """Raises UsageProblem. A format that only a sparse Hessian has makes `auto` sparse."""
    if mode not in HESSIAN_MODES:
        raise UsageProblem(f"no such mode: {mode}", help=f"the modes are {', '.join(HESSIAN_MODES)}")
    if diag and mode == "sparse":
        raise UsageProblem("--diag gives all of the diagonal, --mode sparse the entries that are not 0: choose one")
    if diag:
        return "hessian --diag"
    return "hessian --mode sparse" if mode == "sparse" or formats.named(output) == "mtx" else "hessian"


def taken(kind: str, form: str, task: Problem, wrt: Sequence[str] | None, mode: str, output: Output) -> Any:
    """The result that the renderer of this kind and format takes."""
    expression = task.expression
    if kind == PATTERN:
        return expression.jacobian_pattern(task.at, wrt=wrt)
    if form in formats.STREAMED[kind]:
        return _watched(expression.jacobian_stream(task.at, wrt=wrt, mode=mode), output)
    if kind == SPARSE:
        return expression.sparse_jacobian(task.at, wrt=wrt)
    return expression.jacobian(task.at, wrt=wrt, mode=mode)


def _watched(result: JacobianStream, output: Output) -> JacobianStream:
    """With a progress bar, where a person looks at stderr and the rows go elsewhere than to a terminal or a pipe."""
    if not streams.on_terminal(sys.stderr) or streams.shared(output):
        return result
    return replace(result, blocks=_reported(result.blocks, result.value.size, output))


def _reported(blocks: Iterator[JacobianBlock], total: int, output: Output) -> Iterator[JacobianBlock]:
    started = time.monotonic()
    bar = None
    try:
        for block in blocks:
            yield block
            done = block.first + min(map(len, block.rows.values()), default=0)
            if bar is None and time.monotonic() - started > _PATIENCE:
                from gradcli.render.progress import Bar

                bar = Bar(total, sys.stderr, streams.colored(output.color, sys.stderr))
            if bar is not None:
                bar.show(done, time.monotonic() - started)
    finally:
        if bar is not None:
            bar.close()
