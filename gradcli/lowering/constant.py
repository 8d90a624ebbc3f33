"""VALUEs: constant expressions of the language, as given to `--at`."""

from __future__ import annotations

from gradcli.errors import BadInput, GradcliError, LimitExceeded
from gradcli.lowering.lower import lower
from gradcli.lowering.names import CONSTANTS
from gradcli.lowering.plan import Load
from gradcli.lowering.run import Run
from gradcli.primitives import TABLE
from gradcli.results import Array
from gradcli.span import Source
from gradcli.syntax import nodes, parse


def constant(text: str, name: str = "value") -> Array:
    """The array that a constant expression stands for; random functions draw from the seeded generator.

    Raises BadInput for whatever does not parse or is not constant, LimitExceeded as it comes.
    """
    source = Source(text, name)
    # No line stands before a value that its sign could continue.
    signed = text.lstrip().startswith("+")
    try:
        program = parse(Source(text.replace("+", " ", 1), name) if signed else source, TABLE)
        plan = lower(program)
        if not isinstance(program.statements[0], nodes.Result):
            raise BadInput("a value is one expression", span=program.statements[0].span)
        for step in plan.steps:
            if isinstance(step, Load) and step.name not in CONSTANTS:
                raise BadInput(f"a value must be constant, {step.name} is not", span=step.span)
        return Run(plan, {}).result().array
    except LimitExceeded:
        raise
    except GradcliError as error:
        raise BadInput(
            error.message, span=error.span, source=source, label=error.label, help=error.help, related=error.related
        ) from None
