"""The slope of (x+2)**2 + 3 at x = 2."""

import gradcli

x = gradcli.tensor(2.0, requires_grad=True)
z = (x + 2) ** 2 + 3
z.backward()
print(z)
print(x.grad)
