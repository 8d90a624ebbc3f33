"""The other libraries, where they are installed, each held to one thread and to double precision."""

from __future__ import annotations

import importlib
from types import ModuleType


def _found(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


torch = _found("torch")
jax = _found("jax")
autograd = _found("autograd")

if torch is not None:
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
if jax is not None:
    jax.config.update("jax_enable_x64", True)


def versions() -> str:
    from importlib.metadata import version

    present = {"torch": torch, "jax": jax, "autograd": autograd}
    return ", ".join(f"{name} {version(name)}" for name in ["numpy", *present] if present.get(name, True))
