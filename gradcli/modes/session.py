"""One evaluation made ready for derivatives: the leaves, the recorded value, and sweeps over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcli.engine.node import Node
from gradcli.engine.onehot import OneHot
from gradcli.engine.record import call, edge_of
from gradcli.engine.reverse import Reverse, has_nan
from gradcli.engine.rules import distinct
from gradcli.engine.state import enable_grad, no_grad
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeMismatch
from gradcli.lowering import Awkward, Draws, Plan, Run, located
from gradcli.modes.inputs import Values, leaves, value_of, variables
from gradcli.modes.notes import felt, notes_on
from gradcli.modes.origins import gradient_origin, origin
from gradcli.primitives import TABLE, budget
from gradcli.primitives.budget import shape_text
from gradcli.results import Array, Note, Value

FLOWS = 2
"""A sweep holds some flows at a time: the one that enters an operation and those that come out."""


@dataclass(slots=True)
class Session:
    """`output` is the value of the program, or the stack of several; `at` holds a leaf for each given value.

    `draws` are the random values of the first program, for those who run it again. `held`, `largest` and `work` are
    what its evaluation took (see Run). `pushable`: the derivative along a sum of directions is the sum of those along
    each, which it is not where a direction decides between equal eigenvalues or singular values.
    """

    plans: Sequence[Plan]
    at: dict[str, Tensor]
    names: tuple[str, ...]
    output: Tensor
    awkward: list[Awkward]
    draws: Draws = field(default_factory=dict)
    held: int = 0
    largest: int = 0
    work: int = 0
    met: dict[int, Array] = field(default_factory=dict)
    finite: bool = True
    pushable: bool = True
    culprit: Note | None = None
    order: int = 1
    """The highest order of derivative that is asked for: what is awkward for higher ones only is passed over."""

    @property
    def point(self) -> dict[str, Value]:
        return {name: value_of(self.at[name].array.copy()) for name in self.names}

    @property
    def value(self) -> Value:
        # A program that only names an input has that input's array for a value.
        return value_of(self.output.array.copy() if self.output.is_leaf else self.output.array)

    def rows(self, first: int, count: int) -> dict[str, Array]:
        """Rows of the Jacobian of the flattened output, each with the shape of its variable."""
        return self.pull(OneHot(first, np.ones(count), self.output.shape), lead=1)

    def pull(self, seeds: Array | OneHot, lead: int = 0) -> dict[str, Array]:
        """Cotangents of the variables, lead + shape, when `seeds` (lead + shape of the output) enter at the output."""
        root = edge_of(self.output)
        targets = {name: edge_of(self.at[name]) for name in self.names}
        found: dict[Node, Any] = {}
        if root is not None:
            self.require_room(lead)
            wanted = {node for node in targets.values() if node is not None}
            watched = {point.node for point in self.awkward}
            with no_grad(), located(self.plans[0].source), budget.held(self.held):
                found, _ = Reverse({root: seeds}, wanted | watched, lead).run()
            undefined = any(has_nan(found[node]) for node in wanted & found.keys())
            self.meet(found, undefined)
            if self.finite and not all(np.isfinite(found[node]).all() for node in wanted & found.keys()):
                self.finite = False
                self.culprit = gradient_origin({root: seeds}, wanted, lead, self.plans[0].source)
        stack = seeds.shape[:lead]
        flows = [
            found[node] if node is not None and node in found else np.zeros(stack + self.at[name].shape)
            for name, node in targets.items()
        ]
        return dict(zip(targets, distinct(flows), strict=True))

    def require_room(self, lead: int) -> None:
        """Refuse a sweep whose flows do not fit beside the values. Stacks (`lead` > 0) are cut to fit beforehand."""
        if not lead:
            with budget.held(self.held):
                budget.require_room("the derivative", FLOWS * self.largest)

    def meet(self, found: Mapping[Node, Any], undefined: bool) -> None:
        """Keep which awkward points felt a cotangent; where a gradient is nan, each of them may be the cause."""
        for number, point in enumerate(self.awkward):
            if point.node in found:
                here = felt(point, found[point.node]) | undefined
                self.met[number] = here | self.met.get(number, False)

    @property
    def tied(self) -> bool:
        """Whether the sweeps that were made so far told tied elements apart."""
        points = ((point, self.met.get(number)) for number, point in enumerate(self.awkward))
        return any(met is not None and point.ties is not None and np.any(point.where & met) for point, met in points)

    def notes(self) -> tuple[Note, ...]:
        """About the sweeps that were made so far, and what made values or gradients that are not finite."""
        met = {number: lanes for number, lanes in self.met.items() if self.awkward[number].kink.order <= self.order}
        found = list(notes_on(self.awkward, self.plans[0].source, met))
        sound = bool(np.isfinite(self.output.array).all())
        if not sound or not (self.finite or found):
            found += next(filter(None, (origin(plan, self.at, self.draws) for plan in self.plans)), ())
        if self.culprit is not None:
            found.append(self.culprit)
        return tuple({note.span: note for note in reversed(found)}.values())[::-1]


def _rows(plans: Sequence[Plan], outputs: Sequence[Tensor]) -> Tensor:
    """The one output, or the stack of several. Raises ShapeMismatch at one whose shape is not that of the first."""
    if len(outputs) == 1:
        return outputs[0]
    first = outputs[0].shape
    for plan, output in zip(plans, outputs, strict=True):
        if output.shape != first:
            shapes = f"{shape_text(first)} and {shape_text(output.shape)}"
            raise ShapeMismatch(
                f"the expressions are the rows of one result, and their shapes differ: {shapes}",
                span=plan.result_span,
                source=plan.source,
                label=f"shape {shape_text(output.shape)}, the first is {shape_text(first)}",
                help="one expression can join them: concatenate([ravel(a), ravel(b)])",
            )
    with enable_grad():
        stacked: Tensor = call(TABLE["stack"], outputs)
    return stacked


def open_session(
    plans: Sequence[Plan], at: Values, wrt: Sequence[str] | None, draws: Draws | None = None, **how: Any
) -> Session:
    """Evaluate and record, with the random values of an earlier evaluation where `draws` holds them; `how`: see Run.

    Raises EvaluationErrors, UnknownName for a `wrt` that cannot be.
    """
    tensors = leaves(at)
    names = variables(plans, tensors, wrt)
    runs = [Run(plan, tensors, draws if draws is not None else {}, **how) for plan in plans]
    outputs = [run.result() for run in runs]
    return Session(
        plans,
        tensors,
        names,
        _rows(plans, outputs),
        awkward := [point for run in runs for point in run.awkward],
        runs[0].draws,
        held=sum(run.held for run in runs),
        largest=max(run.largest for run in runs),
        work=sum(run.work for run in runs),
        pushable=all(point.node.primitive.group != "linear algebra" for point in awkward),
    )
