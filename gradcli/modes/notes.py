"""What a result must be read with: the kinks, ties, poles and undefined points that it was taken at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.node import Node
from gradcli.lowering import Awkward
from gradcli.results import Note
from gradcli.span import Source

MOST_NOTES = 50
"""A long program may meet thousands of awkward points; the first ones tell."""


def notes_on(points: Sequence[Awkward], source: Source, cotangents: Mapping[Node, Any]) -> tuple[Note, ...]:
    """A note for each awkward point that has a part in the result.

    `cotangents` holds what arrived at the points' nodes, perhaps with stack axes in front. Where that is 0 a point has
    no part: `abs(x)**3` is smooth at 0. An operand's core shape and the cotangent's broadcast, in reductions too.
    """
    notes: list[Note] = []
    for point in points:
        g = cotangents.get(point.node)
        if g is None or len(notes) == MOST_NOTES:
            continue
        core = point.node.core_shape
        felt = (np.reshape(g, (-1, *core)) != 0).any(axis=0)
        hits = np.argwhere(point.where & felt)
        if len(hits):
            span = point.node.span
            text = source.excerpt(span) if span is not None else ""
            index = tuple(int(i) for i in hits[0])
            notes.append(Note(point.node.primitive.name, text, span, index, point.kink.reason))
    return tuple(dict.fromkeys(notes))
