"""Variables, gradients and their accumulation, in the style of older PyTorch tutorials.

The program runs on PyTorch as well: change the imports to `import torch` and `from torch.autograd import Variable`.
"""

import gradcli as torch
from gradcli.autograd import Variable

# A Variable wraps a tensor and remembers what was done with it.
x = Variable(torch.FloatTensor([[1, 2], [3, 4]]), requires_grad=True)
print(x.data)
print(x.grad)

y = x + 2
z = y * y * 3
out = z.mean()
print(out.data)
print([type(t.grad_fn).__name__ for t in (y, z, out)])

out.backward()
print(x.grad)

# A second backward pass adds to the first one, so the gradient is zeroed in between.
x.grad.data.zero_()
out = torch.sum(x * x)
out.backward()
print(x.grad)

# A result with more than one element needs the gradient that comes from further on.
v = Variable(torch.Tensor([2, 3, 4]), requires_grad=True)
w = v * v
w.backward(torch.FloatTensor([1, 0.5, 0.25]))
print(v.grad)

# Through a graph once more: it has to be retained.
a = Variable(torch.Tensor([3]), requires_grad=True)
b = 2 * a + a**2 + 3
b.backward(retain_graph=True)
print(a.grad)
b.backward()
print(a.grad)

# torch.autograd.grad gives a gradient without storing it.
(slope,) = torch.autograd.grad(a**3, a)
print(slope.data, a.grad.data)

# What does not require grad is a constant.
c = Variable(torch.ones(2))
d = Variable(torch.ones(2), requires_grad=True)
print((c + c).requires_grad, (c + d).requires_grad, (c + d).detach().requires_grad)
print([name for name in dir(d) if name in ("backward", "data", "grad", "is_leaf", "requires_grad")])
