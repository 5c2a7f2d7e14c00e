"""``python -m jaxeager show``: show the content of a model written by ``jit.save``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from jaxeager.errors import JaxEagerError
from jaxeager.jit.saved_model.files import SIGNATURE, prefix_of, read_model, read_signature
from jaxeager.jit.saved_model.graph import derivative_of, graph_of
from jaxeager.jit.saved_model.pictures import graph_text, write_pictures

_ENDINGS = (SIGNATURE, ".forward.stablehlo", ".safetensors", ".pdparams")


def add_command(commands, name: str) -> None:
    """Add the command to a parser.

    Args:
        commands: the result of ``add_subparsers``.
        name: the name of the command.
    """
    parser = commands.add_parser(
        name,
        help="a saved model: its inputs, ops, weights and sizes, as text, picture and for Netron",
        description="Prints a model that paddle.jit.save has written: each method with its inputs, "
        "its ops in order, their weights and results. Next to the model, or in --out, it writes "
        "MODEL.METHOD.dot, a picture of it (.svg, if Graphviz is installed) and "
        "MODEL.METHOD.netron.mlir, which Netron opens; with --backward, MODEL.METHOD.backward.dot "
        "and so on. No part of the model runs.",
        epilog="Exit status: 0, or 2 when the model does not exist or is damaged.",
    )
    parser.add_argument("model", help="the path that was given to paddle.jit.save")
    parser.add_argument("--method", help="show only this method, for example forward")
    parser.add_argument(
        "--backward",
        action="store_true",
        help="show the derivative: the gradients of inputs and weights from those of the outputs",
    )
    parser.add_argument("--out", metavar="DIR", help="the folder for the written files")
    parser.add_argument("--text", action="store_true", help="only print, and write no files")
    parser.set_defaults(run=_show)


def _show(chosen: argparse.Namespace) -> int:
    prefix = chosen.model
    for ending in _ENDINGS:
        prefix = prefix.removesuffix(ending)
    try:
        prefix = prefix_of(prefix, "show")
        model, signature = read_model(prefix), read_signature(prefix)
        if chosen.method and chosen.method not in model.methods:
            names = ", ".join(model.methods)
            print(f"show: no method {chosen.method!r}; there are {names}", file=sys.stderr)
            return 2
        shown = [m for m in model.methods.values() if chosen.method in (None, m.name)]
        graph = derivative_of if chosen.backward else graph_of
        graphs = [(graph(method), method.program.platforms) for method in shown]
    except JaxEagerError as error:
        print(f"show: {error.message}", file=sys.stderr)
        return 2
    name, folder = os.path.basename(prefix), Path(chosen.out or os.path.dirname(prefix) or ".")
    weights = {key: tensor._array for key, tensor in model.weights.items()}
    versions = f"jaxeager {signature.get('jaxeager')}, jax {signature.get('jax')}"
    print(_printable(f"{prefix}: written by {versions}"))
    for graph, platforms in graphs:
        print(_printable(f"\n{graph_text(graph)}\nruns on {', '.join(platforms)}"))
        if not chosen.text:
            written, lacking = write_pictures(graph, folder, name, weights)
            print("\n".join(f"wrote {path}" for path in written))
            if lacking:
                print(f"no picture: {lacking}")
    return 0


def _printable(text: str) -> str:
    """Return a text without terminal control characters: names come from the file."""
    return "".join([each if each.isprintable() or each == "\n" else "?" for each in text])
