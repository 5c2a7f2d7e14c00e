"""Products in ONNX; onnxruntime computes another one where a vector is multiplied."""

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import jaxeager as paddle
from tests.onnx.running import both, model_of_function, operators_of


def _product_with_a_vector(level):
    """Return x^T v of ones by onnxruntime, written with a vector."""
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
        helper.make_node("MatMul", ["t", "v"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 8])
    v = helper.make_tensor_value_info("v", TensorProto.FLOAT, [3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [8])
    graph = helper.make_graph(nodes, "product", [x, v], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level, options.log_severity_level = level, 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    x = np.arange(24, dtype="float32").reshape(3, 8)
    v = np.array([1, 10, 100], "float32")
    return session.run(None, {"x": x, "v": v})[0], v @ x


def test_a_product_with_a_vector_is_one_of_matrices():
    x, v = paddle.rand([3, 8]), paddle.rand([3])
    here, there = both(lambda x, v: x.t() @ v, [x, v])
    np.testing.assert_allclose(there[0], here[0], rtol=1e-6)
    here, there = both(lambda x, v: v @ x, [x, v])
    np.testing.assert_allclose(there[0], here[0], rtol=1e-6)


def test_onnxruntime_differs_with_itself_for_a_product_with_a_vector():
    """Where this fails, a new onnxruntime is right, and ``_matmul`` may write vectors."""
    levels = onnxruntime.GraphOptimizationLevel
    plain, right = _product_with_a_vector(levels.ORT_DISABLE_ALL)
    np.testing.assert_array_equal(plain, right)
    fused, _ = _product_with_a_vector(levels.ORT_ENABLE_EXTENDED)
    assert fused.shape != right.shape or not np.array_equal(fused, right)


def test_a_sum_over_two_axes_is_einsum():
    x, y = paddle.rand([2, 3, 4]), paddle.rand([3, 4, 5])

    def function(x, y):
        return paddle.tensordot(x, y, 2)

    here, there = both(function, [x, y])
    np.testing.assert_allclose(there[0], here[0], rtol=1e-5)
    assert operators_of(model_of_function(function, [x, y])) & {"Einsum", "MatMul"}
