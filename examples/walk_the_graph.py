"""From grad_fn down to the leaves, as the backward pass goes."""

import gradcli

x = gradcli.tensor(2.0, requires_grad=True)
y = gradcli.tensor(1.0, requires_grad=True)
z = (x + 2) ** 2 + 3 * y

waiting = [(z.grad_fn, 0)]
while waiting:
    node, depth = waiting.pop()
    leaf = f" of {node.variable}" if node.name() == "AccumulateGrad" else ""
    print("  " * depth + node.name() + leaf)
    waiting += [(edge, depth + 1) for edge, _ in reversed(node.next_functions) if edge is not None]
