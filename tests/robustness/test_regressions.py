"""What the fuzzer found, each as one line: it was a bug, and is now this exit code."""

import shlex

import pytest

FOUND = [
    ("eval 'f(x) = 1'", 3),
    ("check t --at 't=[]'", 0),
    ("check '-B' --at 'B=[]'", 0),
    ("check 'm[0:0:1]' --at 'm=[]'", 0),
    ("check 'hardtanh(B, min_val=z[B > 0])' --at 'B=[0.193, inf]' --at 'z=[[1e-300, 100], [7, 1]]'", None),
    ("eval 'expm(0.1)'", 4),
    ("eval 'matrix_exp([1])'", 4),
    ("eval 'expand_dims(1, None)'", 4),
    ("eval 'split([1, 2], None)'", 4),
    ("eval 'roll([1, 2], None)'", 4),
    ("eval 'quantile([1, 2], None)'", 4),
    ("eval 'huber_loss(1, 2, delta=None)'", 4),
    ("eval 'transpose([1, 2], axes=0)'", 0),
    ("eval 'transpose(1, axes=-1)'", 4),
    ("eval 'transpose([[1, 2]], axes=-1)'", 4),
    ("eval 'searchsorted([[1, 2]], 1)'", 4),
    ("eval 'searchsorted(1, 0)'", 4),
    ("eval 'trapezoid([[1, 2], [3, 4]], x=2)'", 4),
    ("eval 'trapezoid([1, 2, 3], x=[1, 2])'", 4),
    ("eval 'pad(1, 1)'", 4),
    ("eval 'repeat_interleave([[1]], (0, 1), axis=(0, 1))'", 4),
    ("eval 'partition([1, 2], 1, axis=(1, 0))'", 4),
    ("eval 'z[..., ...]' --at 'z=[[1]]'", 4),
    ("eval 's[None, [0], ::0]' --at 's=[[1]]'", 4),
    (f"eval '1{'[None]' * 70}'", 4),
    ("eval 'v = meshgrid(1, 2); v /= 3; 1'", 4),
    ("eval 'v = meshgrid(1, 2); v[0] = 3; 1'", 4),
    ("eval 'v = 1*[1, 2]; v[0] = meshgrid(1, 2); v'", 4),
    ("eval 'spectral_norm(B)' --at 'B=[[], []]'", 0),
    ("jacobian 'j1([0, 1])' --mode rows --format jsonl", 0),
    ("jacobian z --at 'z=[]'", 0),
    ("jacobian z --at 'z=[]' --mode columns", 0),
    ("jacobian '[z, z]' --at 'z=[]' --mode stacked --plain", 0),
    ("jacobian 'z*z' --at 'z=[]' --mode rows --plain", 0),
    ("jacobian 'erfc(w.T)' --at 'w=[[1, 2], [3, nan]]' --mode sparse --format csv", 0),
    ("check 'vander(s)' --at 's=[0.1, inf]'", None),
    ("eval 'corrcoef([1, 2, 4], [3, [1, 1]])'", 4),
    ("eval 'unbind([1, 2], [3, [4]])'", 4),
    ("eval 'pad(7, x, [1, 2, 3])' --at 'x=[1, 0.5]'", 4),
    ("jvp 'std(x, ddof=5)' --at 'x=[]' --tangent 'x=[]'", 0),
    ("hessian 'quantile(cond(x), 0.5)' --at 'x=[[], []]'", 4),
    ("check 'cosine_similarity(B, s)' --at 'B=[nan, e, 1e300]' --at 's=randn(3, 3)'", None),
    ("jacobian 'cosine_similarity(s, B)' --at 'B=[nan, 2]' --at 's=randn(3, 2)' --mode columns", 0),
    ("jacobian 'outer([nan, inf, 0], x)' --at x=2 --mode sparse", 0),
    ("jacobian '[[nan, 0], [0, 1]]@[x, x]' --at x=2 --mode sparse --format csv", 0),
    ("eval 'arange(0, 1e300, 5e-324)'", 4),
    ("eval 'arange(0, 1, 0)'", 4),
    ("eval 'index_select(1e-3, -1, None)'", 4),
    ("eval 'take([1, 2], None)'", 4),
    ("eval 'diagonal([[1, 2], [3, 4]], offset=-2**31)'", 0),
    ("eval 'diagonal([[1, 2], [3, 4]], offset=2**31)'", 0),
    ("eval 'diagonal([[1, 2], [3, 4]], axis1=2**31)'", 4),
    ("eval 'roll([1, 2], 1, axis=2**31)'", 4),
    ("eval 'roll([1, 2], (1, 1), axis=(0, 0))'", 0),
    ("jacobian '-xlogy(zeros(1e6), inf - m)' --at 'm=[1e-3]' --mode stacked --max-memory 200M", 4),
    ("eval 'broadcast_to([[1, 2, 3], [4, 5, 6]], 2)'", 4),
    ("eval 'full(shape=2, value=[[1, 2, 3], [4, 5, 6]])'", 4),
]


@pytest.mark.parametrize(("words", "code"), FOUND, ids=lambda value: str(value)[:60])
def test_answer(run, words, code):
    done = run(*shlex.split(words))
    assert done.code == code if code is not None else done.code in (0, 1, 4), done.err
    assert ("error: " in done.err) == (done.code > 1)
