"""What can be done with an expression: evaluate, differentiate, build its Jacobian, show its graph."""

from gradcli.modes.expression import Expression, parse

__all__ = ["Expression", "parse"]
