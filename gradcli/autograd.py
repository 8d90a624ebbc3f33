"""PyTorch's `torch.autograd`, as far as there is one: `from gradcli.autograd import Variable`, `autograd.grad`."""

from __future__ import annotations

from typing import Any

from gradcli.engine import Tensor, backward, enable_grad, grad, no_grad, set_grad_enabled

__all__ = ["Variable", "backward", "enable_grad", "grad", "no_grad", "set_grad_enabled"]


def Variable(data: Any, requires_grad: bool = False) -> Tensor:
    """What older tutorials wrap a tensor in: a leaf that shares the tensor's storage."""
    leaf = data.detach() if isinstance(data, Tensor) else Tensor(data)
    return leaf.requires_grad_(requires_grad)
