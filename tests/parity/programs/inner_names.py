"""Names of Paddle's inner modules that programs read: base, framework, static.nn, tensor."""

from ..probe import error_of, leaf
from ..registry import differs, program


@program
def modes(paddle, np):
    """What a program asks about the mode, from everywhere it can."""
    framework, base = paddle.base.framework, paddle.base.dygraph.base
    return [
        framework.in_dygraph_mode(), framework.in_dynamic_or_pir_mode(), framework.in_pir_mode(),
        framework.in_pir_executor_mode(), framework.in_cinn_mode(), framework.use_pir_api(),
        paddle.base.in_dygraph_mode(), paddle.framework.in_dynamic_mode(),
        paddle.framework.in_pir_mode(), paddle.framework.use_pir_api(),
        paddle.base.dygraph.enabled(), base.in_declarative_mode(), base.in_to_static_mode(),
        base.in_sot_simulation_mode(),
    ]  # fmt: skip


@program
def classes_to_ask_after(paddle, np):
    """isinstance and identity of the names that stand for tensors, parameters and dtypes."""
    framework, core = paddle.base.framework, paddle.base.core
    weight, x = paddle.nn.Linear(1, 1).weight, paddle.ones([1])
    variables = [paddle.static.Variable, framework.Variable, paddle.common_ops_import.Variable]
    return [
        [[isinstance(each, kind) for each in (weight, x, 3)] for kind in variables],
        [isinstance(each, framework.Parameter) for each in (weight, x, 3)],
        [isinstance(each, framework.EagerParamBase) for each in (weight, x)],
        type(weight) is framework.EagerParamBase, core.eager.Tensor is paddle.Tensor,
        core.DataType is paddle.dtype, paddle.framework.core is core,
        paddle.framework.ParamAttr is paddle.ParamAttr, paddle.base.ParamAttr is paddle.ParamAttr,
        paddle.framework.dtype.finfo is paddle.finfo, paddle.base.set_flags is paddle.set_flags,
        paddle.framework.no_grad is paddle.no_grad, paddle.framework.grad is paddle.grad,
        paddle.base.dygraph.grad is paddle.grad,
        paddle.framework.io.EagerParamBase is framework.EagerParamBase,
    ]  # fmt: skip


@program
def kinds_of_variables(paddle, np):
    """VarType: numbers, names, text."""
    kinds = paddle.base.core.VarDesc.VarType
    names = (
        "BOOL INT64 FP16 FP32 FP64 BF16 UINT8 COMPLEX64 LOD_TENSOR DENSE_TENSOR SELECTED_ROWS RAW"
    )
    found = [getattr(kinds, name) for name in names.split()]
    return [
        [int(each) for each in found], [each.name for each in found], repr(kinds.FP32),
        paddle.float32 == kinds.FP32, kinds.FP32 == kinds.FP64,
        str(paddle.ones([1]).type), paddle.ones([1]).type == kinds.DENSE_TENSOR,
    ]  # fmt: skip


@program
def dtypes_by_name(paddle, np):
    """convert_dtype and convert_np_dtype_to_dtype_."""
    framework, feeder = paddle.base.framework, paddle.base.data_feeder
    given = ["float32", np.float32, np.dtype("int64"), paddle.float16, "bool"]
    bits = feeder.convert_float_to_uint16(np.float32([[1.5, -2.0]]))
    return [
        framework.convert_np_dtype_to_dtype_("float32") == paddle.float32,
        [str(framework.convert_np_dtype_to_dtype_(each)) for each in given],
        [feeder.convert_dtype(each) for each in ("int64", paddle.float32, paddle.bfloat16)],
        error_of(lambda: feeder.convert_dtype("zz")),
        error_of(lambda: framework.convert_np_dtype_to_dtype_("zz")),
        feeder.check_type(3, "x", str, "op"), feeder.check_dtype("int", "x", ["float32"], "op"),
        bits, framework.grad_var_name("x"), [str(each) for each in framework.cpu_places(2)],
    ]  # fmt: skip


@program
def dtypes_as_kinds_of_variables(paddle, np):
    """A VarType is a dtype anywhere; the tables of paddle.pir and paddle.base between the two."""
    kinds, framework = paddle.base.core.VarDesc.VarType, paddle.base.framework
    x, pir = paddle.ones([2]), paddle.pir.core
    names = "bool int16 int32 int64 uint8 int8 float16 bfloat16 float32 float64 complex64"
    proto = [framework.convert_np_dtype_to_proto_type(name) for name in names.split()]
    made = [
        paddle.zeros([1], kinds.INT64), paddle.full([1], 2, dtype=kinds.FP64),
        x.astype(kinds.INT32), paddle.cast(x, kinds.BOOL), paddle.to_tensor([1], dtype=kinds.FP16),
        paddle.zeros_like(x, kinds.COMPLEX64), paddle.sum(x, dtype=kinds.FP64),
        paddle.nn.functional.softmax(x, dtype=kinds.FP64), paddle.arange(3, dtype=kinds.INT64),
    ]  # fmt: skip
    return [
        [int(each) for each in proto], [str(each.dtype) for each in made],
        [str(pir.vartype_to_datatype[each]) for each in proto],
        [int(pir.datatype_to_vartype[each.dtype]) for each in made],
        str(pir.convert_np_dtype_to_dtype_("int64")),
        error_of(lambda: framework.convert_np_dtype_to_proto_type("zz")),
    ]  # fmt: skip


@program
def bfloat16_is_called_uint16(paddle, np):
    """NumPy's uint16, by name, as a type and as an array, holds the bits of bfloat16."""
    x, bits = paddle.to_tensor([1.5, -2.0]), np.array([16320, 49152], "uint16")
    weight = paddle.nn.Linear(2, 1, bias_attr=False).to(dtype="bfloat16").weight
    weight.set_value(bits.reshape(2, 1))
    layer = paddle.nn.Linear(2, 1, bias_attr=False).to(dtype="bfloat16")
    layer.set_state_dict({"weight": bits.reshape(2, 1)})
    made = [
        paddle.cast(x, "uint16"), x.astype("uint16"), x.astype(np.uint16), paddle.to_tensor(bits),
        paddle.to_tensor(bits, dtype="bfloat16"), paddle.to_tensor(bits, dtype="uint16"),
        paddle.to_tensor([1.5], dtype="uint16"), paddle.ones([1], "uint16"),
        paddle.full([1], 2, dtype="uint16"), paddle.zeros_like(x, dtype="uint16"),
        x.astype(paddle.base.data_feeder.convert_dtype(paddle.bfloat16)), weight, layer.weight,
    ]  # fmt: skip
    framework = paddle.base.framework
    return [
        [[str(each.dtype), each.astype("float32").tolist()] for each in made],
        [paddle.to_tensor(bits, dtype=name).tolist() for name in ("int32", "float32")],
        str(framework.convert_np_dtype_to_dtype_(np.dtype("uint16"))),
        int(framework.convert_np_dtype_to_proto_type("uint16")), paddle.finfo("uint16").bits,
    ]  # fmt: skip


@program
def the_tracer_switches_recording(paddle, np):
    """_dygraph_tracer: whether ops are recorded, and names."""
    paddle.nn.Linear(1, 1).train()  # it notes which of train() and eval() came last
    tracer = paddle.base.framework._dygraph_tracer()
    found = [tracer._has_grad, tracer._train_mode, str(tracer._expected_place)]
    with paddle.no_grad():
        found.append(tracer._has_grad)
    tracer._has_grad = False
    x = leaf(paddle, [1.0])
    found += [(x * 2).stop_gradient, paddle.is_grad_enabled()]
    tracer._has_grad = True
    found += [(x * 2).stop_gradient, paddle.is_grad_enabled()]
    with paddle.base.dygraph.guard(paddle.CPUPlace()):
        found.append(paddle.in_dynamic_mode())
    with paddle.base.dygraph.guard():
        found.append(str(paddle.ones([1]).place))
    return found


@program
def branches_and_loops(paddle, np):
    """static.nn's control flow where ops run when they are called, with gradients."""
    nn, tensor = paddle.static.nn, paddle.to_tensor
    x = leaf(paddle, [3.0])
    y = nn.cond(x > 2, lambda: x * x, lambda: x)
    y.backward()
    i, z = nn.while_loop(lambda i, z: i < 3, lambda i, z: [i + 1, z * 2], [tensor(0), x * 1])
    z.backward()
    functions = [lambda: "a", lambda: "b"]
    return [
        y.numpy(), z.numpy(), i.numpy(), x.grad.numpy(),
        nn.cond(tensor([False]), lambda: 1), nn.cond(tensor(1), lambda: 3, lambda: 2),
        nn.case([(tensor(False), functions[0]), (tensor(True), functions[1])]),
        nn.case([(tensor(False), functions[0])], default=functions[1]),
        nn.case([(tensor(False), functions[0])] * 2),
        nn.switch_case(tensor([1]), {0: functions[0], 1: functions[1]}),
        nn.switch_case(tensor(7), functions, functions[0]), nn.switch_case(tensor(7), functions),
        nn.switch_case(tensor(2), [(1, functions[0]), (2, functions[1])]),
        error_of(lambda: nn.cond(tensor(True), 3, lambda: 2)),
        error_of(lambda: nn.case(3)), error_of(lambda: nn.case([(tensor(True), 2)])),
        error_of(lambda: nn.switch_case(tensor(1), [(1, print), (1, print)])),
        error_of(lambda: nn.while_loop(3, print, [x])),
        error_of(lambda: nn.while_loop(lambda i: i < 3, lambda i: i, [])),
        error_of(lambda: nn.while_loop(lambda i, j: i < 3, lambda i, j: [i], [tensor(0), x])),
    ]  # fmt: skip


@program
def functions_of_tensors_by_module(paddle, np):
    """paddle.tensor has every function, and modules of them."""
    t, x = paddle.tensor, paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    paddle.seed(5)
    index = paddle.to_tensor([0])
    array = t.array_write(x, index, t.create_array("float32"))
    return [
        t.matmul(x, x).numpy(), t.math.add(x, x).numpy(), t.linalg.norm(x).numpy(),
        t.manipulation.reshape(x, [4]).numpy(), t.search.argmax(x).numpy(),
        t.stat.mean(x).numpy(), t.logic.equal(x, x).numpy(), t.attribute.shape(x).numpy(),
        t.creation.zeros([2]).numpy(), t.ops.sigmoid(x).numpy(), t.einsum("ij->j", x).numpy(),
        t.linalg.svd(x)[1].numpy(), t.normal(0.0, 1.0, [3]).shape[0],
        t.random.uniform([2]).shape[0], t.to_tensor([1]).numpy(),
        t.fill_constant([2], "int64", 3).numpy(), t.array_length(array),
        t.array_read(array, index).numpy(), t.set_printoptions is paddle.set_printoptions,
        error_of(lambda: t.array_read(array, paddle.to_tensor([5]))),
        error_of(lambda: t.create_array("float32", [3])),
    ]  # fmt: skip


@program
def helpers_of_older_layers(paddle, np):
    """LayerHelper makes parameters; guards of static graphs do nothing."""
    helper = paddle.base.layer_helper.LayerHelper("inner", act="relu", bias_attr=None)
    weight = helper.create_parameter(paddle.ParamAttr(name="of_helper"), [2, 2], "float32")
    bias = helper.create_parameter(None, [2], "float32", is_bias=True)
    with paddle.static.name_scope("a"), paddle.static.device_guard("cpu"):
        x = paddle.ones([2])
    with paddle.static.amp.fp16_guard():
        y = x + 1
    return [
        weight.name, list(weight.shape), bias.numpy(), helper.layer_type, helper.kwargs["act"],
        helper.name.rpartition("_")[0], y.numpy(), str(paddle.static.cpu_places(1)[0]),
    ]  # fmt: skip


@differs(
    "dtype_is_floating compares with the numbers of older dtypes, so it says no of all others",
    right=[True, True, False],
    paddle_gives=[False, False, False],
)
def dtypes_that_are_floating(paddle, np):
    """dtype_is_floating of dtypes."""
    of = paddle.base.framework.dtype_is_floating
    return [of(paddle.float32), of("float16"), of(paddle.int64)]
