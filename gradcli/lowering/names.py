"""The constants of the language."""

from __future__ import annotations

import numpy as np

CONSTANTS = {"pi": np.pi, "π": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan}
"""Names with a value until an assignment or an input takes them."""

WORDS = frozenset(("True", "False", "None", "and", "or", "not"))
"""Words of the grammar: no name can be one."""
