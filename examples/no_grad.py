"""Within no_grad nothing is recorded; a few steps of gradient descent on (x - 3)**2."""

import gradcli

x = gradcli.tensor(0.0, requires_grad=True)
print((x * 2).requires_grad)
with gradcli.no_grad():
    print((x * 2).requires_grad)

for _ in range(4):
    loss = (x - 3) ** 2
    loss.backward()
    with gradcli.no_grad():
        x -= 0.25 * x.grad
    x.grad.zero_()
    print(f"x = {x.item()}, loss was {loss.item()}")
