"""What a tensor is without derivatives: the holder of an array, with the manners of a Python number and sequence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gradcli.errors import BadArgument, BadIndex
from gradcli.primitives.signature import integer
from gradcli.results import Array


class Holder:
    """Base of Tensor; its subclass has the slot `array`."""

    __slots__ = ()

    array: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def ndim(self) -> int:
        return self.array.ndim

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else repr(self)

    def item(self) -> float | bool:
        if self.array.size != 1:
            raise BadArgument(f"only one-element tensors can be converted to Python scalars, not {list(self.shape)}")
        number: float | bool = self.array.item()
        return number

    def tolist(self) -> Any:
        return self.array.tolist()

    def size(self, axis: int | None = None) -> Any:
        """Raises BadArgument, BadIndex."""
        if axis is None:
            return self.shape
        number = integer(axis, "the axis")
        if not -self.ndim <= number < self.ndim:
            raise BadIndex(f"there is no axis {number}, the shape is {list(self.shape)}")
        return self.shape[number]

    def dim(self) -> int:
        return self.ndim

    def numel(self) -> int:
        return self.array.size

    def __len__(self) -> int:
        if self.ndim == 0:
            raise BadArgument("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    if TYPE_CHECKING:

        def __getitem__(self, index: Any) -> Any: ...
