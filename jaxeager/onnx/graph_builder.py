"""GraphBuilder: the nodes, constants and names of an ONNX graph while it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
from onnx import GraphProto, TensorProto, ValueInfoProto, helper, numpy_helper

from jaxeager.errors import UnimplementedError

if TYPE_CHECKING:
    from onnx import NodeProto

    from jaxeager.core.types import DTypeLike


INT64_MIN = -(2**63)
_TYPES = {
    np.dtype(ml_dtypes.bfloat16): TensorProto.BFLOAT16,
    np.dtype(ml_dtypes.float8_e4m3fn): TensorProto.FLOAT8E4M3FN,
    np.dtype(ml_dtypes.float8_e5m2): TensorProto.FLOAT8E5M2,
    **{
        np.dtype(name): getattr(TensorProto, name.upper())
        for name in (
            "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
            "float16",
        )
    },
    np.dtype("float32"): TensorProto.FLOAT,
    np.dtype("float64"): TensorProto.DOUBLE,
}  # fmt: skip


def element_type(dtype: DTypeLike) -> int:
    """Return ONNX's number of a dtype.

    Raises:
        UnimplementedError: for a dtype that ONNX does not have.
    """
    try:
        return _TYPES[np.dtype(dtype)]
    except (KeyError, TypeError):
        raise UnimplementedError(
            f"paddle.onnx.export: a tensor is of dtype {dtype}, with which no operator of ONNX "
            "computes."
        ) from None


class GraphBuilder:
    """A graph of ONNX that grows node by node; results are referred to by their names.

    A graph within another one (a branch, the body of a loop) shares its names and its constants.

    Attributes:
        nodes: the NodeProtos, in the order of execution.
        constants: the values of constants and weights, by name; those of the whole file.
        kinds: dtype and shape of results by name, as far as the program says them; likewise.
    """

    def __init__(self, outer: GraphBuilder | None = None):
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, np.ndarray] = {} if outer is None else outer.constants
        self.kinds: dict[str, tuple[np.dtype, Sequence[Any]]] = {} if outer is None else outer.kinds
        self._numbers: dict[tuple, str] = {} if outer is None else outer._numbers
        self._names: dict[str, int] = {} if outer is None else outer._names
        self._sizes: dict[str, str] = {} if outer is None else dict(outer._sizes)
        self._made: dict[tuple, list[str]] = {} if outer is None else dict(outer._made)

    def name(self, prefix: str) -> str:
        """Return a new name: the prefix, with a number if it is taken."""
        count = self._names.get(prefix, 0)
        name = f"{prefix}_{count}" if count else prefix
        while count and name in self._names:
            count += 1
            name = f"{prefix}_{count}"
        self._names[prefix] = count + 1
        self._names.setdefault(name, 1)
        return name

    def node(self, op: str, inputs: Sequence[str], **attributes: Any) -> str:
        """Add a node of one output, and return the output's name."""
        return self.outputs_of(op, inputs, 1, **attributes)[0]

    def outputs_of(
        self, op: str, inputs: Sequence[str], count: int, **attributes: Any
    ) -> list[str]:
        """Add a node, and return the names of its outputs; an equal node is not added again.

        Args:
            op: the operator.
            inputs: names; "" for an optional input that is not given.
            count: the number of outputs.
            **attributes: the operator's; those that are None are left out.
        """
        given = {name: value for name, value in attributes.items() if value is not None}
        key = (op, *inputs, count, repr(sorted(given.items(), key=lambda item: item[0])))
        if key not in self._made or any(isinstance(v, GraphProto) for v in given.values()):
            outputs = self._made[key] = [self.name(op.lower()) for _ in range(count)]
            self.nodes.append(helper.make_node(op, list(inputs), outputs, outputs[0], **given))
        return self._made[key]

    def constant(
        self, value: np.typing.ArrayLike, dtype: DTypeLike | None = None, name: str = "constant"
    ) -> str:
        """Return the name of a constant, one for all that are equal."""
        array = np.asarray(value, dtype)
        key = (array.dtype.name, array.shape, array.tobytes())
        if key not in self._numbers:
            made = self._numbers[key] = self.name(name)
            self.constants[made] = array
        return self._numbers[key]

    def integers(self, *values: int) -> str:
        """Return the name of a constant vector of int64."""
        return self.constant(values, "int64")

    def weight(self, name: str, value: np.ndarray) -> str:
        """Add a weight, and return its name in the graph."""
        made = self.name(name)
        self.constants[made] = value
        return made

    def own(self, value: str) -> str:
        """Return a copy of a value: a result of an inner graph has to be made by it."""
        made = self.name("result")
        self.nodes.append(helper.make_node("Identity", [value], [made], made))
        return made

    # ---- sizes

    def define_size(self, symbol: str, name: str) -> None:
        """Set the int64 of no dimensions that has the value of an open size."""
        self._sizes[symbol] = name

    def symbol(self, symbol: str) -> str:
        """Return the name of an open size's value."""
        return self._sizes[symbol]

    # ---- operations that several steps need

    def cast(self, value: str, dtype: DTypeLike) -> str:
        """Add a Cast."""
        return self.node("Cast", [value], to=element_type(dtype))

    def reshape(self, value: str, shape: str) -> str:
        """Add a Reshape to a shape, the name of a vector of int64."""
        return self.node("Reshape", [value, shape], allowzero=1)

    def unsqueeze(self, value: str, *axes: int) -> str:
        """Add an Unsqueeze."""
        return self.node("Unsqueeze", [value, self.integers(*axes)]) if axes else value

    def squeeze(self, value: str, *axes: int) -> str:
        """Add a Squeeze of the given axes."""
        return self.node("Squeeze", [value, self.integers(*axes)]) if axes else value

    def transpose(self, value: str, axes: Sequence[int]) -> str:
        """Add a Transpose, unless the axes are in order."""
        if list(axes) == sorted(axes):
            return value
        return self.node("Transpose", [value], perm=list(axes))

    def graph(
        self, name: str, inputs: Sequence[ValueInfoProto], outputs: Sequence[ValueInfoProto]
    ) -> GraphProto:
        """Return a GraphProto of the nodes, without constants: the inner graph of a node."""
        return helper.make_graph(self.nodes, name, list(inputs), list(outputs))


def tensor_proto(name: str, value: np.ndarray) -> TensorProto:
    """Return an array as a TensorProto."""
    element_type(value.dtype)
    return numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)


def value_info(name: str, dtype: DTypeLike, shape: Sequence[object]) -> ValueInfoProto:
    """Return the declaration of a tensor; an open size is written as its text."""
    sizes = [size if isinstance(size, int) else str(size) for size in shape]
    return helper.make_tensor_value_info(name, element_type(dtype), sizes)
