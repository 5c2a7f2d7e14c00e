"""Names in an ONNX graph."""

import pytest

from jaxeager.onnx.graph_builder import GraphBuilder


@pytest.mark.parametrize(
    "prefixes", [["x", "x", "x_1"], ["x_1", "x", "x"], ["x", "x_1", "x", "x_1", "x_1_1"]]
)
def test_names_differ(prefixes):
    builder = GraphBuilder()
    names = [builder.name(each) for each in prefixes]
    assert len(set(names)) == len(names)
    assert names[0] == prefixes[0]
