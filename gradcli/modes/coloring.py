"""Colours for compressed Jacobians: columns that share no row can be summed into one direction and told apart again.

Greedy in the given order; A. R. Curtis, M. J. D. Powell and J. K. Reid, J. Inst. Math. Appl. 13 (1974).
"""

from __future__ import annotations

import numpy as np

from gradcli.results import Array


def colors(groups: list[list[int]], members: int) -> Array:
    """A colour for each of the lists, so that lists of one colour have no member in common.

    The colours used by the lists that hold a member are the bits of one integer, so a free one is a bit operation.
    """
    used = [0] * members
    found = np.empty(len(groups), dtype=np.int64)
    for i, group in enumerate(groups):
        taken = 0
        for member in group:
            taken |= used[member]
        free = ~taken & (taken + 1)
        found[i] = free.bit_length() - 1
        for member in group:
            used[member] |= free
    return found
