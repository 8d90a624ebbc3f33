"""Tensor: an array, and what is needed to differentiate with respect to it or through it."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.data import real_array
from gradcli.engine.holder import Holder
from gradcli.engine.node import HookHandle, Hooks, Node, Version
from gradcli.engine.state import state
from gradcli.errors import BadArgument, NotDifferentiable, ShapeMismatch
from gradcli.primitives.signature import flag
from gradcli.primitives.table import Primitive
from gradcli.results import Array


class Tensor(Holder):
    """float64 data (or a mask) with PyTorch's attributes: `requires_grad`, `grad`, `grad_fn`, `is_leaf`.

    Operators and most methods come from the table of primitives (see `functions`), in-place writes from `inplace`.
    """

    __slots__ = (
        "__weakref__",
        "_accumulator",
        "_grad",
        "_leaf_hooks",
        "_leaf_requires",
        "_retains",
        "array",
        "grad_fn",
        "version",
    )

    # NumPy must leave `ndarray * Tensor` to Tensor.__rmul__ instead of making an array of objects.
    __array_ufunc__ = None

    grad_fn: Node | None
    version: Version
    _leaf_requires: bool
    _grad: Tensor | None
    _retains: HookHandle | None
    _accumulator: weakref.ref[AccumulateGrad] | None
    _leaf_hooks: tuple[Hooks | None, Hooks | None] | None

    def __init__(self, data: Any, *, requires_grad: bool = False) -> None:
        """A leaf with a copy of `data`. Complex, text and object data raise BadInput, NotDifferentiable a mask that
        shall require grad."""
        _fill(self, real_array(data))
        self.requires_grad = requires_grad

    # What it is

    @property
    def is_leaf(self) -> bool:
        return self.grad_fn is None

    @property
    def _version(self) -> int:
        return self.version.value

    @property
    def data(self) -> Tensor:
        """A detached tensor on the same storage, without a share in its version counter: use with care."""
        return wrap(self.array)

    @data.setter
    def data(self, value: Any) -> None:
        self.array = real_array(value)

    def numpy(self) -> Array:
        """The array itself. Raises NotDifferentiable for a tensor that requires grad, but not within `no_grad`, as
        PyTorch does."""
        if self.requires_grad and state.recording:
            raise NotDifferentiable(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        return self.array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    # Differentiation

    @property
    def requires_grad(self) -> bool:
        return self.grad_fn is not None or self._leaf_requires

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        value = flag(value, "requires_grad")
        if self.grad_fn is not None:
            if not value:
                raise NotDifferentiable(
                    "you can only change requires_grad flags of leaf variables.", help="use detach()"
                )
            return
        if value and self.array.dtype == bool:
            raise NotDifferentiable("only tensors of numbers can require gradients, this one is a mask")
        self._leaf_requires = value

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Tensor | None:
        """What backward passes have added up; None before the first."""
        if self.grad_fn is not None and self._retains is None and self._grad is None:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf is being accessed; it is only filled after "
                "retain_grad()",
                UserWarning,
                stacklevel=2,
            )
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise BadArgument(f"assigned grad expected to be a Tensor or None but got {type(value).__name__}")
        if value is not None and value.shape != self.shape:
            raise ShapeMismatch(f"assigned grad has shape {value.shape}, the tensor has shape {self.shape}")
        self._grad = value

    @property
    def retains_grad(self) -> bool:
        return self._retains is not None

    def retain_grad(self) -> None:
        """Keep the gradient of a non-leaf as well, after all of its hooks."""
        if not self.requires_grad:
            raise NotDifferentiable("can't retain_grad on Tensor that has requires_grad=False")
        if self._retains is None:
            self._retain_from(self.grad_fn)

    def _retain_from(self, node: Node | None) -> None:
        """Have `node` hand its finished cotangent to this tensor, as long as that lives, and no other node any more."""
        if self._retains is not None:
            self._retains.remove()
        tensor = weakref.ref(self)

        def keep(gradient: Tensor) -> None:
            alive = tensor()
            if alive is not None:
                before = alive._grad
                alive._grad = wrap(np.array(gradient.array if before is None else before.array + gradient.array))

        self._retains = None if node is None else node.add_retain_hook(keep)

    def register_hook(self, hook: Callable[[Tensor], Any]) -> HookHandle:
        """`hook(gradient)` whenever this tensor's gradient is computed; what it returns takes its place."""
        if not self.requires_grad:
            raise NotDifferentiable("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            return self.grad_fn.add_gradient_hook(hook)
        node = accumulator(self)
        handle = node.add_gradient_hook(hook)
        self._leaf_hooks = (node.gradient_hooks, node.post_hooks)
        return handle

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], Any]) -> HookHandle:
        """`hook(leaf)` after a backward pass has added to the leaf's `grad`."""
        if self.grad_fn is not None or not self._leaf_requires:
            raise NotDifferentiable("post accumulate grad hooks cannot be registered on non-leaf tensors")
        node = accumulator(self)
        handle = node.register_hook(hook)
        self._leaf_hooks = (node.gradient_hooks, node.post_hooks)
        return handle

    def detach(self) -> Tensor:
        """The same storage, and the same version counter, outside of the graph."""
        result = wrap(self.array)
        result.version = self.version
        return result

    # As a Python object

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if self.grad_fn is not None:
            raise NotDifferentiable("Only Tensors created explicitly by the user support the deepcopy protocol")
        result = Tensor(self.array, requires_grad=self._leaf_requires)
        memo[id(self)] = result
        result._grad = deepcopy(self._grad, memo)
        return result

    def __copy__(self) -> Tensor:
        """A leaf on the same storage, with the same version counter."""
        return self.detach().requires_grad_(self.requires_grad)

    def __reduce__(self) -> tuple[Any, ...]:
        """What is unpickled is a leaf, as in PyTorch: a graph stays in its process, and so do `grad` and hooks."""
        return _unpickled, (self.array, self.requires_grad)

    if TYPE_CHECKING:
        # Attached by `functions`, from the table.
        def backward(self, *args: Any, **keywords: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...


def _fill(tensor: Tensor, array: Array) -> None:
    tensor.array = array
    tensor.grad_fn = None
    tensor.version = Version()
    tensor._leaf_requires = False
    tensor._grad = None
    tensor._retains = None
    tensor._accumulator = None
    tensor._leaf_hooks = None


def wrap(array: Array) -> Tensor:
    """A tensor on `array` itself, without a copy: float64 or bool, an ndarray."""
    tensor = Tensor.__new__(Tensor)
    _fill(tensor, array)
    return tensor


def _unpickled(array: Array, requires_grad: bool) -> Tensor:
    return Tensor(array, requires_grad=requires_grad)


def as_tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else wrap(real_array(value, copy=False))


class AccumulateGrad(Node):
    """The end of a path: adds what arrives to the `grad` of the leaf `variable`."""

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor) -> None:
        super().__init__(_LEAF, {}, ())
        self.variable = variable
        self.shape = self.core_shape = variable.shape
        self.sequence = 0


_LEAF = Primitive(name="leaf", kind="constant", text="", forward=lambda: None)


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The one AccumulateGrad node of a leaf. The leaf knows it weakly: the graph keeps it alive, and it the leaf.

    The hooks of a leaf outlive its node.
    """
    known = leaf._accumulator() if leaf._accumulator is not None else None
    if known is None:
        known = AccumulateGrad(leaf)
        leaf._accumulator = weakref.ref(known)
        if leaf._leaf_hooks is not None:
            known.gradient_hooks, known.post_hooks = leaf._leaf_hooks
    return known
