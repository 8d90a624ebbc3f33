"""Nothing is allocated past --max-memory: refused beforehand, with the operation, the shape and the limit."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

import gradcli

LIMIT = 200 * 2**20
# What Python, the parser and one more array of the largest size may take besides.
SLACK = 60 * 2**20


@pytest.fixture
def bounded(run):
    """Run with the limit, and watch it."""

    def call(*words, **more):
        tracemalloc.start()
        try:
            return run(*words, "--max-memory", "200M", **more)
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < LIMIT + SLACK

    return call


X = "x=arange(100000)"

BOMBS = [
    ("zeros((1000000000,1000000000))", "", "zeros: an array of shape 1000000000x1000000000"),
    ("ones((40000,40000))", "", "ones: an array of shape 40000x40000 needs 11.9 GiB, the limit is 200 MiB"),
    ("eye(100000)", "", "eye: an array of shape 100000x100000"),
    ("linspace(0,1,1000000000)", "", "linspace: an array of shape 1000000000"),
    ("arange(1e9)", "", "arange: an array of shape 1000000000"),
    ("arange(0, 1, 1e-300)", "", "arange: an array of shape 1e+300 needs 8e+300 bytes"),
    ("rand(100000,10000)", "", "rand: an array of shape 100000x10000"),
    ("full((100000, 10000), x[0])", X, "full: an array of shape"),
    ("zeros((2**62,4))", "", "at most 2**31"),
    ("zeros((-1,3))", "", "cannot be negative"),
    ("zeros((1,)*100)", "", "a tuple is no value"),
    (f"zeros({','.join('1' * 100)})", "", "100 axes are more than the 64"),
    ("x[:,None]+x[None,:]", X, "add: an array of shape 100000x100000"),
    ("outer(x,x)", X, "outer: an array of shape 100000x100000"),
    ("broadcast_to(0,(100000,100000))+1", "", "broadcast_to: an array of shape"),
    ("reshape(x,(0,-1))", X, "is invalid for input of size"),
    ("tile(x,1000000000)", X, "tile: an array of shape"),
    ("repeat(x,1000000000)", X, "an array of shape"),
    ("einsum('i,j,k,l->ijkl',x,x,x,x)", X, "an array of shape"),
    ("kron(x,x)", X, "kron: an array of shape"),
    ("vander(x,100000)", X, "vander: an array of shape"),
    ("diag(x)", X, "diag: an array of shape"),
    ("x[zeros(100000000)]", X, "zeros: an array of shape"),
    ("x[[x, x, x, x]][:, :, None] + x", X, "an array of shape"),
    ("pad(x, 1000000000)", X, "pad: an array of shape"),
    ("meshgrid(x, x)[0]", X, "meshgrid: an array of shape"),
    ("x=[1]\n" + "x=concatenate([x,x])\n" * 40 + "x", "", "concatenate: an array of shape"),
    ("x=ones(1000000)\n" + "x=[x,x]\n" * 40 + "x", "", "an array of shape"),
    ("a=ones(4000000)\n" + "b=a+1; c=b+a\nd=c+b\ne=d+c\nf=e+d\ng=f+e\nh=g+f\nh[0]", "", "besides 183 MiB in use"),
    ("A@B@C", "A=ones(10000,10000)", "ones: an array of shape 10000x10000"),
    ("tril_indices(0, 0, 2**31)[0]", "", "tril_indices: an array of shape 0x2147483648 needs 16 GiB"),
    ("softmax(zeros(0, 2**31), axis=0)", "", "zeros: an array of shape 0x2147483648"),
    ("svd(rand(5000,5000))[1]", "", "operations, the limit is"),
    ("inv(eye(20000))", "", "eye: an array of shape 20000x20000"),
    ("inv(eye(5000))", "", "operations, the limit is"),
    ("matrix_power(eye(4000),1000000000)", "", "operations, the limit is"),
]


@pytest.mark.parametrize(("text", "at", "says"), BOMBS, ids=lambda value: str(value)[:30])
def test_expression(bounded, text, at, says):
    done = bounded("eval", text, *(["--at", at] if at else []))
    # A VALUE that does not fit is still a limit, not bad input.
    assert done.code == 4, done.err
    assert says in done.err
    assert done.err.count("\n") <= 10


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["jacobian", "x"], "jacobian: an array of shape 100000x100000"),
        (["hessian", "sum(x**2)"], "hessian: an array of shape 100000x100000"),
        (["check", "x**2"], "check: an array of shape 100000x100000"),
    ],
)
def test_derivatives(bounded, words, says):
    done = bounded(*words, "--at", "x=rand(100000)")
    assert done.code == 4
    assert says in done.err


def test_what_a_program_holds_counts_together(bounded):
    """Each array fits, all of them do not."""
    program = "a = ones(2000000)\n" + "\n".join(f"{b} = {a} + 1" for a, b in pairwise("abcdfghijklmnop"))
    done = bounded("diff", f"{program}\nsum(x*p)", "--at", "x=2")
    assert done.code == 4
    assert "in use, the limit is 200 MiB" in done.err


def test_what_fits_is_done(bounded):
    assert bounded("eval", "sum(ones(5000000))").json["value"] == 5e6
    assert bounded("eval", "cumsum(ones(1000000))[-1]").json["value"] == 1e6
    assert bounded("eval", "svd(rand(50,50))[1].shape()").code == 0


def test_a_smaller_limit(run):
    done = run("eval", "sum(ones(1000))", "--max-memory", "1K")
    assert "needs 7.81 KiB, the limit is 1 KiB" in done.err
    assert run("eval", "sum(ones(1000))", "--max-memory", "64K").code == 0


def test_a_sweep_needs_room_beside_the_values(bounded):
    for command in (["diff", "exp(x)[0]"], ["jvp", "exp(x)", "--tangent", "x=ones(8000000)"]):
        done = bounded(*command, "--at", "x=ones(8000000)", *(["--format", "plain"]))
        assert done.code == 4
        assert "the derivative needs 122 MiB besides 122 MiB in use, the limit is 200 MiB" in done.err


def test_linear_algebra_counts_together(bounded):
    """Each decomposition could be done, all of them would take too long; so would one for each row of a Jacobian."""
    done = bounded("eval", "a = eye(900); " + "a = inv(a); " * 10 + "a[0, 0]")
    assert done.code == 4
    assert "done, the limit is 4e+10" in done.err
    done = bounded("jacobian", "inv(eye(300) + x)", "--at", "x=0.5", "--mode", "rows")
    assert done.code == 4
    assert "90000 sweeps: this takes some 5e+13 operations" in done.err
    assert bounded("jacobian", "inv(eye(30) + x)", "--at", "x=0.5").code == 0


def test_tangents_that_nobody_reads_any_more_are_freed():
    f = gradcli.parse("y = x\n" + "y = sin(y)\n" * 200 + "y")
    x = np.linspace(0, 1, 20_000)
    values = 200 * x.nbytes
    tracemalloc.start()
    f.jvp({"x": x}, {"x": x})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.2 * values + 10 * x.nbytes
