"""Which formats a command has, who renders them, and which one is meant."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from gradcli.cli import reporting, streams
from gradcli.errors import Caution, UsageProblem

if TYPE_CHECKING:
    from gradcli.cli.options import Output

VARIABLE = "GRADCLI_FORMAT"
# command -> format -> module and function in gradcli.render. Names, so that only what is asked for is imported.
RENDERERS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "eval": {
        "table": ("tables", "evaluation_table"),
        "json": ("documents", "evaluation_json"),
        "jsonl": ("documents", "evaluation_json"),
        "csv": ("rows", "evaluation_csv"),
        "plain": ("rows", "evaluation_plain"),
        "npy": ("arrays", "evaluation_arrays"),
        "npz": ("arrays", "evaluation_arrays"),
    },
    "diff": {
        "table": ("tables", "gradient_table"),
        "json": ("documents", "gradient_json"),
        "jsonl": ("documents", "gradient_json"),
        "csv": ("rows", "gradient_csv"),
        "plain": ("rows", "gradient_plain"),
        "npy": ("arrays", "gradient_arrays"),
        "npz": ("arrays", "gradient_arrays"),
    },
    "jacobian": {
        "table": ("tables", "jacobian_table"),
        "json": ("documents", "jacobian_json"),
        "jsonl": ("documents", "jacobian_jsonl"),
        "csv": ("rows", "jacobian_csv"),
        "plain": ("rows", "jacobian_plain"),
        "npy": ("arrays", "jacobian_rows"),
        "npz": ("arrays", "jacobian_arrays"),
    },
    "jacobian --mode sparse": {
        "table": ("dots", "sparse_table"),
        "json": ("sparse", "sparse_json"),
        "jsonl": ("sparse", "sparse_jsonl"),
        "csv": ("sparse", "sparse_csv"),
        "plain": ("sparse", "sparse_plain"),
        "mtx": ("sparse", "sparse_mtx"),
        "npy": ("arrays", "jacobian_rows"),
        "npz": ("sparse", "sparse_arrays"),
    },
    "jacobian --pattern": {
        "table": ("dots", "pattern_table"),
        "json": ("sparse", "pattern_json"),
        "jsonl": ("sparse", "pattern_json"),
        "csv": ("sparse", "pattern_csv"),
        "plain": ("sparse", "pattern_plain"),
        "mtx": ("sparse", "pattern_mtx"),
        "npz": ("sparse", "pattern_arrays"),
    },
    "hessian": {
        "table": ("tables", "hessian_table"),
        "json": ("documents", "hessian_json"),
        "jsonl": ("documents", "hessian_json"),
        "csv": ("rows", "hessian_csv"),
        "plain": ("rows", "hessian_plain"),
        "npy": ("arrays", "hessian_arrays"),
        "npz": ("arrays", "hessian_arrays"),
    },
    "hessian --mode sparse": {
        "table": ("dots", "sparse_hessian_table"),
        "json": ("sparse", "sparse_hessian_json"),
        "jsonl": ("sparse", "sparse_hessian_json"),
        "csv": ("sparse", "sparse_csv"),
        "plain": ("sparse", "sparse_plain"),
        "mtx": ("sparse", "sparse_mtx"),
        "npz": ("sparse", "sparse_arrays"),
    },
    "hessian --diag": {
        "table": ("tables", "diagonal_table"),
        "json": ("documents", "diagonal_json"),
        "jsonl": ("documents", "diagonal_json"),
        "csv": ("rows", "diagonal_csv"),
        "plain": ("rows", "diagonal_plain"),
        "npy": ("arrays", "diagonal_arrays"),
        "npz": ("arrays", "diagonal_arrays"),
    },
    "hvp": {
        "table": ("tables", "product_table"),
        "json": ("documents", "product_json"),
        "jsonl": ("documents", "product_json"),
        "csv": ("rows", "product_csv"),
        "plain": ("rows", "product_plain"),
        "npy": ("arrays", "product_arrays"),
        "npz": ("arrays", "product_arrays"),
    },
    "jvp": {
        "table": ("tables", "tangent_table"),
        "json": ("documents", "tangent_json"),
        "jsonl": ("documents", "tangent_json"),
        "csv": ("rows", "tangent_csv"),
        "plain": ("rows", "tangent_plain"),
        "npy": ("arrays", "tangent_arrays"),
        "npz": ("arrays", "tangent_arrays"),
    },
    "vjp": {
        "table": ("tables", "gradient_table"),
        "json": ("documents", "vjp_json"),
        "jsonl": ("documents", "vjp_json"),
        "csv": ("rows", "gradient_csv"),
        "plain": ("rows", "gradient_plain"),
        "npy": ("arrays", "gradient_arrays"),
        "npz": ("arrays", "gradient_arrays"),
    },
    "check": {
        "table": ("checks", "check_table"),
        "json": ("documents", "check_json"),
        "jsonl": ("documents", "check_json"),
        "csv": ("rows", "check_csv"),
        "plain": ("rows", "check_plain"),
    },
    "graph": {
        "tree": ("tree", "graph_tree"),
        "json": ("documents", "graph_json"),
        "jsonl": ("documents", "graph_json"),
        "dot": ("diagrams", "graph_dot"),
        "mermaid": ("diagrams", "graph_mermaid"),
    },
    "functions": {"table": ("catalogue", "function_text"), "json": ("documents", "functions_json")},
    "help": {"table": ("catalogue", "topic_text"), "json": ("documents", "topic_json")},
}
SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".npy": "npy",
    ".npz": "npz",
    ".mtx": "mtx",
    ".dot": "dot",
    ".mmd": "mermaid",
}
# Drawn to the measures of a terminal: their renderers take a Look.
DRAWN = (
    "evaluation_table",
    "gradient_table",
    "jacobian_table",
    "hessian_table",
    "sparse_table",
    "sparse_hessian_table",
    "pattern_table",
    "diagonal_table",
    "product_table",
    "tangent_table",
    "check_table",
    "graph_tree",
    "function_text",
    "topic_text",
)
# Arrays rather than text: these need a file.
BINARY = ("npy", "npz")
# Written block by block, from a JacobianStream.
STREAMED = {"jacobian": ("jsonl", "csv", "plain", "npy"), "jacobian --mode sparse": ("npy",)}
# Hold their notes themselves; with any other format, notes go to stderr.
_ANNOTATED = ("table", "tree", "json", "jsonl")


def chosen(command: str, output: Output, environment: str | None, terminal: bool) -> str:
    """The format: option, then suffix of the file, then environment, then table on a terminal and JSON elsewhere."""
    known = RENDERERS[command]
    asked = _asked(output)
    if asked is not None:
        asked = _own(command, asked)
        if asked not in known or asked in BINARY:
            raise UsageProblem(f"{command} has no format {asked}", help=f"it has {_listed(command)}")
        return asked
    if output.output not in (None, "-"):
        return _by_suffix(command, output.output or "")
    if environment and environment not in ("auto", *chain.from_iterable(RENDERERS.values())):
        reporting.warn(
            Caution(f"{VARIABLE}: no such format: {environment}", help="`gradcli help formats` lists what there is")
        )
    preferred = _own(command, environment or "auto")
    if preferred in known and preferred not in BINARY:
        return preferred
    return _own(command, "table") if terminal else "json"


def named(output: Output) -> str | None:
    """The format that an option or else the suffix of the file names, known or not."""
    return _asked(output) or (SUFFIXES.get(_suffix(output.output)) if output.output else None)


def render(command: str, form: str, result: Any, output: Output) -> Any:
    """The text of a result, whole or in pieces; for a binary format its Arrays."""
    from importlib import import_module

    module, name = RENDERERS[command][form]
    function = getattr(import_module(f"gradcli.render.{module}"), name)
    return function(result, streams.look(output)) if name in DRAWN else function(result)


def says_notes(form: str) -> bool:
    return form in _ANNOTATED


def _asked(output: Output) -> str | None:
    asked = {"json"} if output.json else set()
    asked |= {"plain"} if output.plain else set()
    asked |= {output.format} if output.format not in (None, "auto") else set()
    if len(asked) > 1:
        raise UsageProblem(f"two formats at once: {' and '.join(sorted(map(str, asked)))}")
    return next(iter(asked), None)


def _own(command: str, form: str) -> str:
    """A graph's table is its tree."""
    return "tree" if form == "table" and "tree" in RENDERERS[command] else form


def _by_suffix(command: str, path: str) -> str:
    suffix = _suffix(path)
    form = SUFFIXES.get(suffix)
    if form is None or form not in RENDERERS[command]:
        suffixes = [known for known, form in SUFFIXES.items() if form in RENDERERS[command]]
        what = f"{command} cannot write a {suffix} file" if suffix else f"no suffix in -o {path}"
        raise UsageProblem(what, help=f"it writes {' '.join(suffixes)}; --format says it otherwise")
    return form


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    return "." + name.rpartition(".")[2].lower() if "." in name else ""


def _listed(command: str) -> str:
    return ", ".join(["auto", *(form for form in RENDERERS[command] if form not in BINARY)])
