"""What functions are called elsewhere: imported only where an error is made."""

from __future__ import annotations

_NAMES = {
    "abs": "modulus magnitude",
    "acos": "acs arcos arccosine",
    "acot": "arcctg arcctn actg",
    "acosh": "arcosh arch areacosh",
    "asin": "asn arcsine arcsinus",
    "asinh": "arsinh arsh areasinh",
    "atanh": "artanh arth areatanh",
    "arctan": "arctg arctangent atg",
    "cbrt": "cuberoot curt",
    "ceil": "ceiling roundup",
    "cos": "cosine cosinus cosin",
    "cosh": "ch",
    "cot": "ctg cotan cotangent cotg ctn",
    "coth": "cth",
    "csc": "cosec cosecant",
    "csch": "cosech",
    "cumsum": "accumulate",
    "det": "determinant",
    "exp": "exponential",
    "eye": "identity",
    "floor": "rounddown",
    "gamma": "Γ",
    "inv": "invert",
    "log": "Log logarithm",
    "log10": "lg log_10 logten",
    "log2": "lb ld log_2",
    "logsumexp": "lse",
    "maximum": "pmax",
    "mean": "avg",
    "minimum": "pmin",
    "mod": "modulo",
    "ndtr": "Phi Φ pnorm normalcdf",
    "prod": "product Π",
    "rand": "random rnd",
    "relu": "ramp",
    "remainder": "rem",
    "sec": "secans secant",
    "sigmoid": "sig sigm sgm logistic logistic_sigmoid",
    "sign": "signum",
    "sin": "sine sinus",
    "sinh": "sh sinhyp",
    "sqrt": "squareroot square_root",
    "square": "sqr squared",
    "std": "stdev stddev sd",
    "sum": "Σ total summation",
    "tan": "tg tangens tangent",
    "tanh": "th tgh",
    "trace": "tr",
    "trunc": "int truncate",
    "var": "variance",
}

# What Python and other languages have, and a calculator does not need or writes in another way.
_PHRASES = {
    "and": "a and b",
    "array": "a list is an array: [1, 2]",
    "asarray": "a list is an array: [1, 2]",
    "backward": "`gradcli diff` gives the gradient",
    "comb": "gamma(n + 1)/(gamma(k + 1)*gamma(n - k + 1))",
    "conj": "every number is real",
    "d": "`gradcli diff` gives the derivative",
    "deriv": "`gradcli diff` gives the derivative",
    "derivative": "`gradcli diff` gives the derivative",
    "dx": "`gradcli diff` gives the derivative",
    "factorial": "gamma(n + 1)",
    "fact": "gamma(n + 1)",
    "float": "every number is one",
    "grad": "`gradcli diff` gives the gradient",
    "hessian": "`gradcli hessian` gives the second derivatives",
    "if": "where(condition, a, b)",
    "ifelse": "where(condition, a, b)",
    "iif": "where(condition, a, b)",
    "imag": "every number is real",
    "integral": "trapezoid(y, x) integrates values; there are no integrals of expressions",
    "integrate": "trapezoid(y, x) integrates values; there are no integrals of expressions",
    "jacobian": "`gradcli jacobian` gives it",
    "len": "size(x) counts elements, shape(x) those of each axis",
    "log3": "log(x)/log(3)",
    "logb": "log(x)/log(b)",
    "logn": "log(x)/log(b)",
    "lognormal": "exp(normal(...))",
    "map": "operations apply to whole arrays",
    "mode": "there is no most frequent value; median(x) is the middle one",
    "nroot": "x**(1/n)",
    "not": "not a",
    "or": "a or b",
    "print": "the result is shown by itself",
    "range": "arange(n) counts from 0",
    "real": "every number is real",
    "root": "x**(1/n)",
    "tensor": "a list is an array: [1, 2]",
    "xor": "masks differ where a != b",
}

_KNOWN = {other: name for name, others in _NAMES.items() for other in others.split()}

_SURPLUS = {
    ("log", "10"): "log10({x})",
    ("log", "2"): "log2({x})",
    ("log", "e"): "log({x})",
    ("log", ""): "log({x})/log({n})",
    ("sqrt", ""): "{base}**(1/{number})",
}
"""What is meant by a second argument that a function does not take; an empty text stands for any."""

_MOST_DECIMALS = 15


def synonym(name: str) -> str:
    """The help for a function that is called otherwise here, or an empty text."""
    for word in (name, name.lower()):
        if word in _PHRASES:
            return _PHRASES[word]
        if word in _KNOWN:
            return f"did you mean {_KNOWN[word]}?"
    return ""


def surplus(function: str, texts: tuple[str, str], operands: tuple[str, str]) -> str:
    """The help for a call with two arguments where one is taken: their texts, alone and as operands."""
    x, n = texts
    if function == "round" and n.isdecimal() and int(n) <= _MOST_DECIMALS:
        return f"round({10 ** int(n)}*{operands[0]})/{10 ** int(n)}"
    form = _SURPLUS.get((function, n)) or _SURPLUS.get((function, ""), "")
    return form.format(x=x, n=n, base=operands[0], number=operands[1])
