"""backward() and grad(): seeds, freed graphs, accumulation, higher derivatives. Values as PyTorch gives them."""

import numpy as np
import pytest

import gradcli
from gradcli import GradcliError, tensor
from gradcli.autograd import grad


def leaf(data):
    return tensor(data, requires_grad=True)


# Where a sweep starts


def test_a_vector_needs_a_gradient():
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (leaf([1.0, 2.0]) ** 2).backward()


@pytest.mark.parametrize("data", [2.0, [2.0], [[2.0]]], ids=["scalar", "1", "1x1"])
def test_one_element_of_any_shape_needs_none(data):
    x = leaf(data)
    (x**2).backward()
    assert x.grad.tolist() == (tensor(data) * 2).tolist()


def test_no_graph():
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        (tensor(1.0) * 2).backward()


def test_a_leaf_is_its_own_graph():
    x = leaf(2.0)
    x.backward()
    assert x.grad.item() == 1


@pytest.mark.parametrize(
    "v", [tensor([1.0, 0.1, 0.01]), [1.0, 0.1, 0.01], np.array([1, 0.1, 0.01])], ids=["tensor", "list", "array"]
)
def test_backward_with_a_gradient(v):
    x = leaf([1.0, 2.0, 3.0])
    (x**2).backward(v)
    assert x.grad.tolist() == [2, 0.4, 0.06]


@pytest.mark.parametrize("v", [[1.0, 2.0], 1.0, [[1.0, 1.0, 1.0]]], ids=["shorter", "0-d", "one axis more"])
def test_a_gradient_of_the_wrong_shape_is_not_broadcast(v):
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of .* and output\[0\]"):
        (leaf([1.0, 2.0, 3.0]) ** 2).backward(v)


# Freed graphs


def test_a_polynomial_twice_with_retain_graph():
    x = leaf(3.0)
    y = 2 * x + x**2 + 3
    assert y.item() == 18
    y.backward(retain_graph=True)
    assert x.grad.item() == 8
    y.backward()
    assert x.grad.item() == 16


def test_a_square_twice_with_retain_graph():
    x = leaf(2.0)
    z = (x + 2) ** 2
    z.backward(retain_graph=True)
    z.backward(retain_graph=True)
    assert x.grad.item() == 16


def test_a_second_pass_through_a_freed_graph():
    z = leaf(2.0) ** 2
    z.backward()
    with pytest.raises(RuntimeError, match=r"backward through the graph a second time.*Specify retain_graph=True"):
        z.backward()


def test_a_second_pass_where_nothing_was_saved():
    x = leaf(2.0)
    z = x + 2
    z.backward()
    z.backward()
    assert x.grad.item() == 2


def test_two_roots_over_one_freed_part():
    y = leaf(2.0) ** 2
    z, w = 3 * y, 4 * y
    z.backward()
    with pytest.raises(RuntimeError, match="second time"):
        w.backward()


def test_inputs_fills_only_the_named_leaves():
    x, y = leaf(2.0), leaf(3.0)
    (x * y).backward(inputs=[x])
    assert x.grad.item() == 3
    assert y.grad is None


def test_backward_of_several_tensors_at_once():
    x = leaf(2.0)
    gradcli.backward([x**2, x**3], [tensor(1.0), tensor(10.0)])
    assert x.grad.item() == 4 + 120


# grad()


def test_grad_returns_a_tuple_and_leaves_grad_alone():
    x, y = leaf(2.0), leaf(3.0)
    found = grad(x * y, [x, y])
    assert isinstance(found, tuple)
    assert [g.item() for g in found] == [3, 2]
    assert x.grad is None


def test_gradcli_grad_is_the_same_function():
    x = leaf(2.0)
    (g,) = gradcli.grad((x + 2) ** 2 + 3, x)
    assert g.item() == 8


def test_an_unused_input():
    x, unused = leaf(2.0), leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"appears to not have been used in the graph. Set allow_unused=True"):
        grad(x**2, unused)
    assert grad(x**2, unused, allow_unused=True) == (None,)
    (zeros,) = grad(x**2, unused, materialize_grads=True)
    assert zeros.tolist() == [0, 0]


def test_an_input_that_does_not_require_grad():
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors does not require grad"):
        grad(leaf(2.0) ** 2, tensor(1.0))


def test_grad_with_respect_to_a_result():
    x = leaf(2.0)
    y = x**2
    assert grad(y**2, y)[0].item() == 8


def test_as_many_gradients_as_outputs():
    x = leaf(2.0)
    with pytest.raises(GradcliError, match="2 tensors and 1 gradients"):
        grad([x**2, x**3], x, [tensor(1.0)])


def test_derivatives_of_a_cube():
    x = leaf(3.0)
    (first,) = grad(x**3, x, create_graph=True)
    (second,) = grad(first, x, create_graph=True)
    (third,) = grad(second, x)
    assert [g.item() for g in (first, second, third)] == [27, 18, 6]
    assert first.grad_fn.name() == "MulBackward0"


def test_without_create_graph_there_is_no_second_derivative():
    x = leaf(3.0)
    (g,) = grad(x**3, x)
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        grad(g, x)


def test_a_constant_derivative_has_no_graph():
    x = leaf(3.0)
    (g,) = grad(2 * x, x, create_graph=True)
    assert g.item() == 2
    with pytest.raises(RuntimeError, match="does not require grad"):
        grad(g, x)


def test_backward_with_create_graph_warns_of_a_cycle_and_gives_a_differentiable_grad():
    x = leaf(3.0)
    with pytest.warns(UserWarning, match="reference cycle"):
        (x**3).backward(create_graph=True)
    assert x.grad.item() == 27
    (second,) = grad(x.grad, x)
    assert second.item() == 18
    x.grad = None  # breaks the cycle


def test_a_gradient_that_is_part_of_a_loss():
    x = leaf(2.0)
    (g,) = grad(x**3, x, create_graph=True)
    (g**2 + x).backward()  # d/dx (9 x**4 + x)
    assert x.grad.item() == 36 * 8 + 1


def test_batched_grads_are_the_rows_of_the_jacobian():
    x = leaf([1.0, 2.0, 3.0])
    (rows,) = grad(x**2, x, tensor(np.eye(3)), is_grads_batched=True)
    assert rows.tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]


# Larger programs


def test_broadcast_operands_get_summed_gradients():
    a, b = leaf([[1.0], [2.0], [3.0]]), leaf([1.0, 1.0, 1.0, 1.0])
    product = a * b
    assert [edge.name() for edge, _ in product.grad_fn.next_functions] == ["AccumulateGrad", "AccumulateGrad"]
    (product * 2).sum().backward()
    assert a.grad.tolist() == [[8], [8], [8]]
    assert b.grad.tolist() == [12, 12, 12, 12]


def test_broadcast_by_ones():
    a, b = gradcli.ones(3, 1, requires_grad=True), gradcli.ones(4, requires_grad=True)
    (a * b * 2).sum().backward()
    assert a.grad.tolist() == [[8], [8], [8]]
    assert b.grad.tolist() == [6, 6, 6, 6]


def test_mean_residual_of_a_linear_model():
    gradcli.manual_seed(0)
    x, w, y = (gradcli.randn(*shape, requires_grad=True) for shape in ((10, 20), (20, 5), (10, 5)))
    z = (y - x @ w).mean()
    (subtraction, _), *_ = z.grad_fn.next_functions
    assert [z.grad_fn.name(), subtraction.name()] == ["MeanBackward0", "SubBackward0"]
    assert [edge.name() for edge, _ in subtraction.next_functions] == ["AccumulateGrad", "MatmulBackward0"]
    z.backward()
    spread = np.full((10, 5), -1 / 50)
    np.testing.assert_allclose(x.grad.numpy(), spread @ w.detach().numpy().T, rtol=1e-13)
    np.testing.assert_allclose(w.grad.numpy(), x.detach().numpy().T @ spread, rtol=1e-13)
    np.testing.assert_allclose(y.grad.numpy(), -spread, rtol=1e-15)


def test_mean_residual_by_hand():
    x, w, y = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([[0.5], [-1.0]]), leaf([[1.0], [2.0]])
    z = (y - x @ w).mean()
    z.backward()
    assert z.item() == 3.5
    assert w.grad.tolist() == [[-2], [-3]]


def test_the_sixty_minute_program():
    a, b = leaf([2.0, 3.0]), leaf([6.0, 4.0])
    q = 3 * a**3 - b**2
    assert q.tolist() == [-12, 65]
    q.backward(gradient=tensor([1.0, 1.0]))
    assert a.grad.tolist() == [36, 81]
    assert b.grad.tolist() == [-12, -8]


def test_a_matrix_transposed_and_pulled_back_twice():
    inp = gradcli.eye(4, 5, requires_grad=True)
    out = ((inp + 1) ** 2).T
    out.backward(gradcli.ones_like(out), retain_graph=True)
    assert inp.grad[0].tolist() == [4, 2, 2, 2, 2]
    out.backward(gradcli.ones_like(out))
    assert inp.grad[0].tolist() == [8, 4, 4, 4, 4]


def test_control_flow_of_the_host_language():
    x = gradcli.ones(3, requires_grad=True)
    y = x * 2
    doublings = 0
    while y.data.norm() < 1000:
        y = y * 2
        doublings += 1
    assert doublings == 9
    assert y.tolist() == [1024, 1024, 1024]
    y.backward(tensor([0.1, 1.0, 0.0001]))
    np.testing.assert_allclose(x.grad.numpy(), [102.4, 1024, 0.1024], rtol=1e-15)


def test_errors_are_data():
    with pytest.raises(GradcliError) as caught:
        (leaf([1.0, 2.0]) ** 2).backward()
    assert caught.value.help == "give the gradient of the output"
    assert caught.value.span is None
    assert caught.value.exit_code == 4
