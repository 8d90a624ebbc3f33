"""PyTorch's `torch.autograd`, as far as there is one: `from gradcli.autograd import Variable`, `autograd.grad`."""

from __future__ import annotations

from gradcli.engine import backward, enable_grad, grad, no_grad, set_grad_enabled
from gradcli.python import Variable

__all__ = ["Variable", "backward", "enable_grad", "grad", "no_grad", "set_grad_enabled"]
