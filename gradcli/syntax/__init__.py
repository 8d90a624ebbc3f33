"""From text to a syntax tree with the place of every part. Lark is imported here only, and by `parse` only."""

from gradcli.syntax.parser import parse

__all__ = ["parse"]
