"""The autograd graph as data: nodes depth first from the root, with text, value and gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.node import Node
from gradcli.engine.record import edge_of
from gradcli.engine.reverse import Reverse
from gradcli.engine.state import no_grad
from gradcli.engine.tensor import AccumulateGrad, Tensor
from gradcli.errors import NotDifferentiable
from gradcli.lowering import Plan, Run, located
from gradcli.lowering.plan import Load, Step
from gradcli.modes.diff import seed_for
from gradcli.modes.inputs import Values, leaves, value_of, variables
from gradcli.modes.origins import gradient_origin
from gradcli.modes.session import Session
from gradcli.results import Array, Graph, GraphNode
from gradcli.span import Span


def graph(plan: Plan, at: Values, wrt: Sequence[str] | None, grad_output: Any) -> Graph:
    """Raises NotDifferentiable where the result depends on no variable."""
    tensors = leaves(at)
    names = variables([plan], tensors, wrt)
    values: dict[Node, Array] = {}

    def keep(step: Step, register: Any) -> None:
        # A later write may change the array in place: what the node made is kept as it was.
        if isinstance(register, Tensor) and register.grad_fn is not None:
            values.setdefault(register.grad_fn, register.array.copy())

    run = Run(plan, tensors, on_step=keep)
    session = Session([plan], tensors, names, run.result(), run.awkward)
    root = edge_of(session.output)
    if root is None:
        raise NotDifferentiable(
            "the result depends on no variable: there is no graph", span=plan.result_span, source=plan.source
        )
    order = depth_first(root)
    gradients: dict[Node, Any] = {}
    if grad_output is not None or session.output.array.size == 1:
        seeds = {root: seed_for(session, grad_output)}
        with no_grad(), located(plan.source):
            gradients, _ = Reverse(seeds, set(order)).run()
        session.meet(gradients, undefined=False)
        if not all(np.isfinite(g).all() for g in gradients.values()):
            session.culprit = gradient_origin(seeds, set(order), 0, plan.source)
    return Graph(plan.source.text, session.value, _described(session, order, values, gradients), session.notes())


def depth_first(root: Node) -> dict[Node, int]:
    """Every node below the root with its number, in the order of the first visit."""
    order: dict[Node, int] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node not in order:
            order[node] = len(order)
            stack.extend(edge for edge in reversed(node.edges) if edge is not None)
    return order


def _described(
    session: Session, order: dict[Node, int], values: dict[Node, Array], gradients: dict[Node, Any]
) -> tuple[GraphNode, ...]:
    (plan,) = session.plans
    uses = {step.name: step.span for step in plan.steps if isinstance(step, Load)}
    named = {edge_of(session.at[name]): name for name in session.names}
    nodes = []
    for node, number in order.items():
        name = named.get(node) if isinstance(node, AccumulateGrad) else None
        span: Span | None = uses.get(name) if name is not None else node.span
        value = session.at[name].array.copy() if name is not None else values.get(node)
        gradient = gradients.get(node)
        nodes.append(
            GraphNode(
                number,
                node.name(),
                plan.source.excerpt(span) if span is not None else "",
                span,
                node.shape,
                None if value is None else value_of(value),
                None if gradient is None else value_of(gradient),
                tuple((None if edge is None else order[edge], 0) for edge in node.edges),
                name,
            )
        )
    return tuple(nodes)
