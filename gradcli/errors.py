"""The errors of gradcli: data, raised by the layer that finds the fault.

    GradcliError
    |-- UsageProblem           2   the command line asks for something that does not exist
    |-- SyntaxProblem          3   the expression does not parse
    |-- EvaluationError        4   it cannot be evaluated or differentiated as asked
    |   |-- UnknownName            no such function, or a name that cannot be differentiated
    |   |-- MissingValue           names without a value
    |   |-- BadArgument            an argument of a call is not what the function takes
    |   |-- ShapeMismatch          shapes do not fit together
    |   |-- BadIndex               an index outside of its axis, or not an index
    |   |-- NonFinite              a result that is not finite where one was demanded
    |   |-- NotDifferentiable      no derivative exists, or the graph holds none
    |   |-- GraphFreed             a second backward pass without retain_graph
    |   |-- InplaceWrite           a write that the recorded graph cannot allow
    |   `-- LimitExceeded          memory, nodes, nesting
    |-- BadInput               5   a VALUE, a file or stdin is not what it should be
    |-- OutputFailed          74   the result cannot be written
    |-- InternalError         70   a bug in gradcli
    `-- Caution                    a warning, drawn like an error; in Python a UserWarning

Every error holds a message, and where they are known the span of the text at fault, the source of
that text, a label to stand beside the caret, a help line, and related places with labels of their own.
Python's own RuntimeError, IndexError, ValueError and TypeError are mixed in where PyTorch or NumPy
raise those, so that programs that catch them keep working.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from gradcli.span import Source, Span


class GradcliError(Exception):
    """The root: `message`, `span`, `source`, `label`, `help`, `related`, and the class's `kind` and `exit_code`."""

    kind: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 4

    def __init__(
        self,
        message: str,
        *,
        span: Span | None = None,
        source: Source | None = None,
        label: str = "",
        help: str = "",
        related: tuple[tuple[Span, str], ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.source = source
        self.label = label
        self.help = help
        self.related = related


class UsageProblem(GradcliError):
    kind = "usage"
    exit_code = 2


class SyntaxProblem(GradcliError):
    kind = "syntax"
    exit_code = 3


class EvaluationError(GradcliError):
    kind = "evaluation"


class UnknownName(EvaluationError):
    kind = "name"


class MissingValue(EvaluationError):
    kind = "missing"


class BadArgument(EvaluationError, TypeError):
    kind = "argument"


class ShapeMismatch(EvaluationError, RuntimeError):
    """`remedy` is a help line with `{0}` and `{1}` for the operands' texts, for those who know them."""

    kind = "shape"

    def __init__(self, message: str, *, remedy: str = "", **facts: Any) -> None:
        super().__init__(message, **facts)
        self.remedy = remedy
        self.help = self.help or remedy.format("a", "b")


class BadIndex(EvaluationError, IndexError):
    kind = "index"


class NonFinite(EvaluationError):
    kind = "nonfinite"


class NotDifferentiable(EvaluationError, RuntimeError):
    kind = "not-differentiable"


class GraphFreed(EvaluationError, RuntimeError):
    kind = "freed"


class InplaceWrite(EvaluationError, RuntimeError):
    kind = "inplace"


class LimitExceeded(EvaluationError, MemoryError):
    kind = "limit"


class BadInput(GradcliError, ValueError):
    kind = "input"
    exit_code = 5


class OutputFailed(GradcliError, OSError):
    kind = "output"
    exit_code = 74


class InternalError(GradcliError):
    kind = "internal"
    exit_code = 70


class Caution(GradcliError, UserWarning):
    kind = "warning"
    exit_code = 0


def closest(name: str, known: Collection[str]) -> str:
    """What `name` was probably meant to be, for the help of an error: `tanh or tan`, or an empty text."""
    from gradcli.likeness import nearest  # only ever needed for an error

    found = nearest(name, known)
    return " or ".join([", ".join(found[:-1]), found[-1]]) if len(found) > 1 else "".join(found)
