"""A result that is no scalar needs weights: here ones, so the gradient is that of the sum of all elements."""

import gradcli

x = gradcli.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = gradcli.tensor([[1.0, 1.0], [2.0, 2.0]], requires_grad=True)
z = x**2 + y**3
z.backward(gradcli.ones_like(z))
print(x.grad)
print(y.grad)
