"""mean(y - x@w) of random matrices, and its gradients beside those found by hand."""

import numpy as np

import gradcli

gradcli.manual_seed(0)
x = gradcli.randn(10, 20, requires_grad=True)
w = gradcli.randn(20, 5, requires_grad=True)
y = gradcli.randn(10, 5, requires_grad=True)
z = (y - x @ w).mean()
z.backward()

share = np.full((10, 5), 1 / 50)
print(np.allclose(x.grad, -share @ w.detach().numpy().T))
print(np.allclose(w.grad, -x.detach().numpy().T @ share))
print(np.allclose(y.grad, share))
