"""gradcli: gradients and Jacobians of expressions, in the shell and in Python."""

__version__ = "0.1.0"
