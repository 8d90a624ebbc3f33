"""What can be done with an expression: evaluate, differentiate, build its Jacobian, show its graph."""

from gradcli.modes.expression import Expression, parse
from gradcli.modes.functions import function, function_names, functions

__all__ = ["Expression", "function", "function_names", "functions", "parse"]
