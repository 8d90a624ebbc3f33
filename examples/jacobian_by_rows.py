"""A Jacobian row by row: one backward pass for each output, the gradient zeroed in between."""

import gradcli

m = gradcli.tensor([[2.0, 3.0]], requires_grad=True)
k = gradcli.zeros(1, 2)
k[0, 0] = m[0, 0] ** 2 + 3 * m[0, 1]
k[0, 1] = m[0, 1] ** 2 + 2 * m[0, 0]
print(k)

jacobian = gradcli.zeros(2, 2)
k.backward(gradcli.tensor([[1.0, 0.0]]), retain_graph=True)
jacobian[0] = m.grad[0]
m.grad.zero_()
k.backward(gradcli.tensor([[0.0, 1.0]]))
jacobian[1] = m.grad[0]
print(jacobian)
