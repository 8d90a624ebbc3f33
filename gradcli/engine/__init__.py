"""The autograd engine: tensors, the graph they leave, and the sweeps over it."""

from gradcli.engine.backward import backward, grad
from gradcli.engine.functions import function
from gradcli.engine.state import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.primitives.random import manual_seed

__all__ = [
    "Tensor",
    "backward",
    "enable_grad",
    "function",
    "grad",
    "is_grad_enabled",
    "manual_seed",
    "no_grad",
    "set_grad_enabled",
]
