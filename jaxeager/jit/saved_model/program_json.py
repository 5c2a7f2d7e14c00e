"""The graph of a saved program in the form of Paddle's own ``net.json``, which Netron opens.

Note [Programs as Paddle's JSON]
    Paddle's guide looks at a saved model by opening its ``.json`` in Netron. So ``jit.save`` writes
    such a file: the ops of graph.py, with their weights' names and their attributes. It is a
    picture, not a program: the program that runs is StableHLO, and nothing here reads the file.

    In that form ``p`` is a weight, ``1.data`` an input, ``1.fetch`` an output; ``1.`` begins the
    name of any other op. ``%`` is the number of a tensor, ``I`` lists what an op takes, ``O`` what
    it makes, ``A`` its attributes, ``OA`` those of its results. A size that is not known is -1.
"""

from __future__ import annotations

import json

from jaxeager.jit.saved_model.graph import Node, ProgramGraph, Value

_DTYPES = {
    "bfloat16": "bf16", "float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8",
    "uint8": "ui8", "int16": "i16", "int32": "i32", "int64": "i64", "complex64": "c64",
    "complex128": "c128", "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2",
}  # fmt: skip


def graph_json(graph: ProgramGraph) -> str:
    """Return a graph as the text of a ``.json`` file: see Note [Programs as Paddle's JSON].

    Example:
        >>> x = Value("x", "input", "float32", (784,))
        >>> y = Value("", "made", "float32", ("batch", 1))
        >>> node = Node("tanh", [x], [y])
        >>> text = graph_json(ProgramGraph("forward", [x], [y], [], [node]))
        >>> [op["#"] for op in json.loads(text)["program"]["regions"][0]["blocks"][0]["ops"]]
        ['1.data', '1.tanh', '1.fetch']
    """
    writer = _Writer()
    for weight in graph.weights:
        writer.weight(weight)
    for value in graph.inputs:
        writer.input(value)
    for node in graph.nodes:
        writer.node(node)
    for place, value in enumerate(graph.outputs):
        writer.output(value, place)
    block = {"#": "block_0", "args": [], "ops": writer.ops}
    return json.dumps(
        {
            "base_code": {"magic": "pir", "trainable": False, "version": 4},
            "program": {"regions": [{"#": "region_0", "blocks": [block]}]},
        },
        separators=(",", ":"),
    )


class _Writer:
    """Lists the ops of a program.

    Attributes:
        ops: those listed so far.
    """

    def __init__(self):
        self.ops: list[dict] = []
        self._numbers: dict[Value, int] = {}

    def weight(self, value: Value) -> None:
        """List a weight."""
        self.ops.append(
            {"#": "p", "A": [0, 1, 1, value.name], "DA": [], "O": self._made(value),
             "OA": [1, 0, 1], "QA": []}
        )  # fmt: skip

    def input(self, value: Value) -> None:
        """List an input."""
        attributes = [
            _text("name", value.name),
            _attribute("shape", "1.a_intarray", _sizes(value)),
            _attribute("dtype", "1.a_dtype", value.dtype),
            _attribute("place", "1.a_place", [0, 0, ""]),
        ]
        self._op("data", attributes, [], [value])

    def node(self, node: Node) -> None:
        """List an op, after the constants that it takes."""
        for value in node.takes:
            if value not in self._numbers:
                self._op("full", [_text("value", value.text or value.kind)], [], [value])
        attributes = [_text(name, text) for name, text in node.attributes.items()]
        if node.layer:
            attributes.append(_text("struct_name", f"/{node.layer.replace('.', '/')}/"))
        self._op(node.op, attributes, node.takes, node.gives)

    def output(self, value: Value, place: int) -> None:
        """List an output."""
        if value not in self._numbers:  # a constant
            self._op("full", [_text("value", value.text or value.kind)], [], [value])
        attributes = [_text("name", f"fetch_name_{place}"), _attribute("col", "0.a_i32", place)]
        fetched = Value(value.name, value.kind, value.dtype, value.shape)
        self._op("fetch", attributes, [value], [fetched])

    def _op(self, name: str, attributes: list, takes: list[Value], gives: list[Value]) -> None:
        stops = [{"#": "0.a_bool", "D": False} for _ in gives]
        self.ops.append(
            {
                "#": f"1.{name.replace('.', '_')}",
                "A": attributes,
                "I": [{"%": self._numbers[each]} for each in takes],
                "O": [self._made(each) for each in gives],
                "OA": [_attribute("stop_gradient", "0.a_array", stops)],
            }
        )

    def _made(self, value: Value) -> dict:
        """Return a tensor that an op makes, and give it a number."""
        number = self._numbers[value] = len(self._numbers) + 1
        dtype = {"#": f"0.t_{_DTYPES.get(value.dtype, value.dtype)}"}
        return {"%": number, "TT": {"#": "0.t_dtensor", "D": [dtype, _sizes(value), "NCHW", [], 0]}}


def _sizes(value: Value) -> list[int]:
    return [size if isinstance(size, int) else -1 for size in value.shape]


def _attribute(name: str, kind: str, content: object) -> dict:
    return {"AT": {"#": kind, "D": content}, "N": name}


def _text(name: str, content: str) -> dict:
    return _attribute(name, "0.a_str", content)
