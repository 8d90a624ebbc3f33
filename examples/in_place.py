"""Elements written one by one: each write is a node of the graph."""

import gradcli

m = gradcli.tensor([[2.0, 3.0]], requires_grad=True)
n = gradcli.zeros(1, 2)
n[0, 0] = m[0, 0] ** 2
n[0, 1] = m[0, 1] ** 3
print(n)
n.backward(gradcli.tensor([[1.0, 1.0]]))
print(m.grad)
