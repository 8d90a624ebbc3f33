"""A straight line fitted by gradient descent, in the style of PyTorch's tutorials.

The program runs on PyTorch as well: change the first import to `import torch`.
"""

import gradcli as torch

torch.manual_seed(0)

# Points on the line y = 2*x - 1. What is given needs no gradient, what is sought does.
x = torch.rand(20, 1)
y = 2 * x - 1
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
print(x.requires_grad, w.requires_grad, w.is_leaf)

# One step by hand: forward, then backward.
prediction = torch.matmul(x, w) + b
loss = torch.mean((prediction - y) ** 2)
print(prediction.is_leaf, type(loss.grad_fn).__name__)
loss.backward()
print(w.grad.shape == w.shape, b.grad.shape == b.shape)

# Gradients add up until they are zeroed.
first = w.grad.clone()
loss = torch.mean((torch.matmul(x, w) + b - y) ** 2)
loss.backward()
print(bool(torch.sum((w.grad - 2 * first) ** 2) < 1e-12))
w.grad.zero_()
b.grad.zero_()

# Many steps; the updates themselves are not recorded.
for _ in range(800):
    loss = torch.mean((torch.matmul(x, w) + b - y) ** 2)
    loss.backward()
    with torch.no_grad():
        w -= 0.5 * w.grad
        b -= 0.5 * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(f"w = {w.item():.3f}, b = {b.item():.3f}")

# What the graph knows, and what a tensor can do.
print(loss.grad_fn.next_functions[0][0].name())
print("backward" in dir(loss), "grad_fn" in dir(loss))
print(torch.ones_like(w))
noise = torch.randn(3, 4)
print(noise.shape == torch.ones(3, 4).shape, noise.requires_grad)
