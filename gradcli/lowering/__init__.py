"""Names and values resolved: from a syntax tree to a plan, and a plan run on tensors."""

from gradcli.lowering.awkward import Awkward
from gradcli.lowering.constant import constant
from gradcli.lowering.lower import lower
from gradcli.lowering.names import CONSTANTS, WORDS
from gradcli.lowering.plan import Plan
from gradcli.lowering.run import Draws, Run, located

__all__ = ["CONSTANTS", "WORDS", "Awkward", "Draws", "Plan", "Run", "constant", "located", "lower"]
