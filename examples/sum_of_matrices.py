"""The gradient of sum(x + y) is 1 for every element, whatever the random matrices are."""

import gradcli

x = gradcli.rand(5, 5, requires_grad=True)
y = gradcli.rand(5, 5, requires_grad=True)
z = gradcli.sum(x + y)
z.backward()
print(x.grad)
print(y.grad)
