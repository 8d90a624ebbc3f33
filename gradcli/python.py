"""The Python interface: the engine in PyTorch's words, and expressions.

    import gradcli as torch                # a tutorial of PyTorch's autograd runs on this
    f = gradcli.parse("mean((y - x@w)**2)")

Every function of the language is here under each of its names.
"""

from __future__ import annotations

from typing import Any

from gradcli import autograd
from gradcli.autograd import Variable
from gradcli.engine import (
    Tensor,
    backward,
    enable_grad,
    function,
    grad,
    is_grad_enabled,
    manual_seed,
    no_grad,
    set_grad_enabled,
)
from gradcli.errors import GradcliError
from gradcli.modes import Expression, parse
from gradcli.primitives import TABLE

FloatTensor = Tensor


def tensor(data: Any, *, requires_grad: bool = False) -> Tensor:
    """A leaf with a copy of `data`: numbers, nested lists, arrays. float64, or a mask. Raises BadInput."""
    return Tensor(data, requires_grad=requires_grad)


def is_tensor(value: object) -> bool:
    return isinstance(value, Tensor)


__all__ = [
    "Expression",
    "FloatTensor",
    "GradcliError",
    "Tensor",
    "Variable",
    "autograd",
    "backward",
    "enable_grad",
    "grad",
    "is_grad_enabled",
    "is_tensor",
    "manual_seed",
    "no_grad",
    "parse",
    "set_grad_enabled",
    "tensor",
]

FUNCTIONS = {name: function(entry) for name, entry in TABLE.items() if not entry.hidden}

NAMES: dict[str, Any] = {**{name: globals()[name] for name in __all__}, "DoubleTensor": Tensor, **FUNCTIONS}
"""Everything that `gradcli.NAME` finds."""
