"""What can be done with an expression: evaluate, differentiate, build its Jacobian, show its graph."""

from gradcli.modes.expression import Expression, parse
from gradcli.modes.functions import functions

__all__ = ["Expression", "functions", "parse"]
