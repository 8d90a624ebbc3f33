"""Cotangents on their way to where they are wanted."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from gradcli.engine.onehot import dense


class Pending:
    """What has arrived, by destination. The first to arrive is kept as it came; sums are our own and grow in place."""

    def __init__(self, seeds: Mapping[Any, Any]) -> None:
        self._flows: dict[Hashable, Any] = dict(seeds)
        self._sums: set[Hashable] = set()

    def __contains__(self, place: Hashable) -> bool:
        return place in self._flows

    def take(self, place: Hashable) -> Any:
        """What has arrived there, None if nothing has; it is no longer pending then."""
        return self._flows.pop(place, None)

    def rest(self) -> dict[Any, Any]:
        return self._flows

    def add(self, place: Hashable, flow: Any) -> None:
        before = self._flows.get(place)
        if before is None:
            self._flows[place] = flow
        elif place in self._sums and before.shape == flow.shape:
            before += dense(flow)
        else:
            total = self._flows[place] = dense(before) + dense(flow)
            if type(total) is np.ndarray:  # NumPy's scalars cannot grow in place, tensors must not
                self._sums.add(place)
