"""Two backward passes through one graph: it must be retained, and the gradients add up."""

import gradcli

x = gradcli.tensor(3.0, requires_grad=True)
y = 2 * x + x**2 + 3
y.backward(retain_graph=True)
print(x.grad)
y.backward()
print(x.grad)
try:
    y.backward()
except gradcli.GradcliError as error:
    print(type(error).__name__)
