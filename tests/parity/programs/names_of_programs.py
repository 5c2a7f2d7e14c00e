"""Names that public programs import from Paddle's inner modules."""

import importlib
import os

from ..probe import error_of, leaf
from ..registry import program


def module(paddle, name):
    """Return an inner module, which need not be imported yet."""
    return importlib.import_module(f"{paddle.__name__}.{name}")


def arrays(paddle, found):
    """Return a list with its tensors as arrays."""
    if isinstance(found, paddle.Tensor):
        return found.numpy()
    return [arrays(paddle, each) for each in found] if isinstance(found, list) else found


@program
def variables_of_the_environment(paddle, np):
    """Types, defaults, guards and errors."""
    kinds = module(paddle, "utils.environments")
    name = "A_VARIABLE_OF_A_PARITY_PROGRAM"
    os.environ.pop(name, None)
    switch = kinds.BooleanEnvironmentVariable(name, True)
    found = [switch.get(), repr(switch)]
    with kinds.EnvironmentVariableGuard(switch, False):
        found += [switch.get(), os.environ[name]]
    found += [switch.get(), os.environ[name], error_of(lambda: bool(switch))]
    os.environ[name] = "what"
    number = kinds.IntegerEnvironmentVariable(name, 3)
    found += [error_of(switch.get), number.get()]
    number.set(5)
    texts = kinds.StringListEnvironmentVariable(name, ["a", "b"])
    found += [number.get(), texts.get(), error_of(lambda: texts.set(["a", 1]))]
    texts.set(["x", "y"])
    text = kinds.StringEnvironmentVariable(name, "a")
    found += [text.get(), repr(text)]
    text.delete()
    found += [text.get(), texts.get(), error_of(text.delete)]
    makers = [(kinds.BooleanEnvironmentVariable, 1), (kinds.IntegerEnvironmentVariable, True)]
    return [*found, *(error_of(lambda kind=k, v=v: kind(name, v)) for k, v in makers)]


@program
def constraints_and_variables(paddle, np):
    """distribution.constraint and distribution.variable."""
    constraint = module(paddle, "distribution.constraint")
    variable = module(paddle, "distribution.variable")
    x = paddle.to_tensor([[0.5, -0.5], [float("nan"), 1.0]])
    stack = variable.Stack([variable.Real(1), variable.Positive()], -1)
    found = [
        constraint.real(x), constraint.positive.check(x), constraint.Range(0.0, 1.0)(x[0, 0]),
        constraint.simplex(paddle.to_tensor([0.25, 0.75])),
        error_of(lambda: constraint.Constraint()(x)),
        variable.Real(2).event_rank, variable.Real().is_discrete, variable.Positive().constraint(x),
        stack.is_discrete, stack.event_rank, variable.Independent(variable.real, 1).event_rank,
        error_of(lambda: variable.Stack([variable.real], 5).constraint(x)),
    ]  # fmt: skip
    return arrays(paddle, found)


@program
def triangles_as_vectors(paddle, np):
    """The helpers of LKJCholesky."""
    kinds = module(paddle, "distribution.lkj_cholesky")
    x = paddle.arange(18.0).reshape([2, 3, 3])
    found = [
        kinds.tril_matrix_to_vec(x), kinds.tril_matrix_to_vec(x, -1), kinds.matrix_to_tril(x, -1),
        error_of(lambda: kinds.tril_matrix_to_vec(x, 3)), list(kinds.tril_indices(3, -1)),
        kinds.vec_to_tril_matrix(paddle.arange(6.0), 3, 3, 6),
        kinds.vec_to_tril_matrix(paddle.arange(6.0), 3, 3, 6, (2,)),
        kinds.mvlgamma(paddle.to_tensor([2.0, 3.5]), 2),
    ]  # fmt: skip
    return arrays(paddle, found)


@program
def biases_of_attention(paddle, np):
    """incubate.nn.attn_bias: masks by lengths."""
    bias = module(paddle, "incubate.nn.attn_bias")
    block, padded = bias.BlockDiagonalMask, bias.BlockDiagonalCausalWithOffsetPaddedKeysMask
    mask = block.from_seqlens([1, 2], [2, 2])
    parts = [paddle.arange(4.0).reshape([2, 1, 2]), paddle.arange(6.0).reshape([1, 3, 2])]
    of_parts, joined = block.from_tensor_list(parts)
    offset = padded.from_seqlens([1, 2], 3, [2, 3], paddle.to_tensor([1, 0]))
    lengths = bias.PaddedSeqLenInfo.from_seqlens_padded([1, 2], 3)
    found = [
        bias.LowerTriangularMask().materialize([1, 2, 3]),
        bias.LowerTriangularMask().add_bias(paddle.ones([2, 2])).materialize([2, 2]),
        mask.materialize([3, 4]), mask.make_causal().materialize([1, 2, 3, 4], "float64"),
        mask.q_seqinfo.seqstart, mask.k_seqinfo.max_seqlen, list(mask.k_seqinfo.intervals()),
        of_parts.materialize([5, 5]), joined, of_parts.split(joined),
        offset.materialize([3, 6]), list(lengths.intervals()), lengths.seqstart,
    ]  # fmt: skip
    return arrays(paddle, found)


@program
def tensors_in_groups(paddle, np):
    """eager_assign_group_by_size: dtypes, limits, sparse gradients, given numbers."""
    group = paddle.base.core.eager_assign_group_by_size
    tensors = [
        paddle.ones([4]),
        paddle.ones([2, 3], "float64"),
        paddle.ones([5]),
        paddle.ones([100]),
    ]
    dense, sparse = [False] * 4, [False, True, False, False]
    return [
        group(tensors, dense), group(tensors, sparse), group(tensors, dense, [20]),
        group(tensors, dense, [16, 36]), group(tensors, dense, [16], [3, 2, 1, 0]),
        group(tensors, dense, [500, 17]), group([], []), error_of(lambda: group(tensors, [True])),
    ]  # fmt: skip


@program
def edit_distances(paddle, np):
    """nn.functional.loss.edit_distance with lengths."""
    distance = module(paddle, "nn.functional.loss").edit_distance
    x = paddle.to_tensor([[1, 2, 3, 4], [5, 6, 7, 8], [3, 1, 2, 9]])
    y = paddle.to_tensor([[1, 3, 4], [5, 6, 9], [1, 2, 3]])
    lengths = paddle.to_tensor([4, 2, 0]), paddle.to_tensor([2, 3, 3])
    found = [
        *distance(x, y, True, None, *lengths), *distance(x, y, False, None, *lengths),
        error_of(lambda: distance(x, y, False, [1], *lengths)),
        error_of(lambda: distance(x, y, True, None, lengths[0], paddle.to_tensor([0, 1, 1]))),
    ]  # fmt: skip
    return arrays(paddle, found)


@program
def clipping_by_hand(paddle, np):
    """nn.clip.clip_by_norm and _squared_l2_norm, with gradients and errors."""
    clip = paddle.nn.clip
    x = leaf(paddle, [[2.0, 2.0], [2.0, 2.0]])
    (clip._squared_l2_norm(x) * 3).backward()
    found = [
        clip.clip_by_norm(x, 1.0), clip.clip_by_norm(x, 10), clip.clip_by_norm(x * 0, 1.0),
        clip.clip_by_norm(x, 1.0).stop_gradient, clip._squared_l2_norm(x), x.grad,
        error_of(lambda: clip.clip_by_norm(x, -1.0)),
        error_of(lambda: clip.clip_by_norm(x.astype("int32"), 1.0)),
        clip.GradientClipByNorm is paddle.nn.ClipGradByNorm,
    ]  # fmt: skip
    return arrays(paddle, found)


@program
def lines_for_a_data_feed(paddle, np):
    """MultiSlotDataGenerator and its kin: lines, kinds, errors."""
    fleet = module(paddle, "distributed.fleet")
    numbers, texts = fleet.MultiSlotDataGenerator(), fleet.MultiSlotStringDataGenerator()
    found = [
        numbers._gen_str([("a", [1, 2]), ("b", [3])]), list(numbers._proto_info),
        numbers._gen_str((("a", [1]), ("b", [3, 0.5]))), list(numbers._proto_info),
        texts._gen_str([("a", ["1", "2"]), ("b", ["x"])]),
        texts._gen_str(zip("a", [["1"]], strict=True)),
        numbers.batch_size_,
    ]  # fmt: skip
    fields = [("a", []), ("c", [1]), ("a", ["x"]), ("a", 1), (1, [1])]
    wrong = [[("a", [1])], 3, *([field, ("b", [1])] for field in fields)]
    found += [error_of(lambda each=each: numbers._gen_str(each)) for each in wrong]
    return [*found, error_of(lambda: texts._gen_str("a"))]


@program
def states_by_number(paddle, np):
    """incubate.get_rng_state: states that have a number continue separately."""
    incubate, rng = paddle.incubate, module(paddle, "incubate.framework.random")
    (start,) = incubate.get_rng_state(use_index=True)
    (second,) = incubate.register_rng_state_as_index()
    a = paddle.rand([2]).tolist()
    incubate.set_rng_state([start], use_index=True)
    b = paddle.rand([2]).tolist()
    state = incubate.get_rng_state()
    c = paddle.rand([2]).tolist()
    incubate.set_rng_state([second], use_index=True)
    d = paddle.rand([2]).tolist()
    incubate.set_rng_state([start], use_index=True)
    incubate.set_rng_state(state)
    return [
        second - start, a == b, c == d, paddle.rand([2]).tolist() == c, len(state),
        incubate.get_rng_state(use_index=True) == [start],
        error_of(lambda: rng.set_rng_state([1, 2])),
    ]  # fmt: skip


@program
def what_shares_memory(paddle, np):
    """_is_shared_buffer_with of views and copies."""
    x = paddle.ones([2, 3])
    others = [x.detach(), x.reshape([3, 2]), x[0], x.clone(), x + 0, x]
    return [x._is_shared_buffer_with(each) for each in others]


@program
def devices_and_dtypes_by_other_names(paddle, np):
    """get_default_device, paddle.dtype.FLOAT32, AmpLevel, ..."""
    core = paddle.base.core
    paddle.device.set_default_device("cpu")
    made = core.DenseTensor()
    made.set(np.ones([2, 3], "float32"), paddle.CPUPlace())
    kinds = "BOOL UINT8 INT64 FLOAT16 BFLOAT16 FLOAT32 COMPLEX64 FLOAT8_E4M3FN FLOAT8_E5M2"
    return [
        repr(paddle.device.get_default_device()), str(paddle.device._convert_to_place("cpu")),
        paddle.device._convert_to_place(3),
        error_of(lambda: paddle.device._convert_to_place("foo")),
        [str(getattr(paddle.dtype, name)) for name in kinds.split()],
        paddle.dtype.FLOAT32 is paddle.float32,
        [int(getattr(core.AmpLevel, level).value) for level in ("O0", "O1", "O2", "O3", "OD")],
        made.shape(), np.array(made), core.LoDTensor is core.DenseTensor,
        paddle.nn.quant.quantized_linear._get_arch_info(),
        module(paddle, "distributed").in_auto_parallel_align_mode(),
        error_of(lambda: core.get_custom_device_count("npu")),
    ]  # fmt: skip


@program
def helpers_of_programs(paddle, np):
    """as_tensors, to_list, recall errors, nested containers, images, layers in between."""
    files, recall = paddle.framework.io, module(paddle, "framework.recall_error")
    functional = paddle.vision.transforms.functional
    as_tensors = module(paddle, "incubate.autograd.utils").as_tensors
    to_list = module(paddle, "distributed.auto_parallel.static.utils").to_list
    model = paddle.nn.Sequential(
        ("a", paddle.nn.ReLU()), ("b", paddle.nn.Tanh()), ("c", paddle.nn.Tanh())
    )
    getter = module(paddle, "vision.models._utils").IntermediateLayerGetter(model, {"b": "second"})
    x = paddle.to_tensor([1.0, -1.0])
    nested = {"a": [1, "b", (2, 3.5)], "c": [4]}
    found = [
        len(as_tensors(x)), as_tensors(None), as_tensors([1, 2]),
        to_list(None), to_list((1, 2)), to_list(3), recall.LOSS_NAN_ERROR, recall.LOSS_INF_ERROR,
        recall.check_naninf(x), recall.check_naninf(x / 0), recall.check_naninf(x * float("nan")),
        files._parse_every_object(nested, lambda each: isinstance(each, int), str),
        error_of(lambda: files._parse_every_object(iter([]), callable, str)),
        files._transformed_from_lodtensor(np.ones(1)), np.array(files._to_LodTensor(np.ones(2))),
        error_of(lambda: files._to_LodTensor([1.0])),
        functional._is_pil_image(3), functional._is_numpy_image(np.ones([2, 2])),
        functional._is_tensor_image(x), list(getter), list(getter(x)), getter(x)["second"],
        error_of(lambda: type(getter)(model, {"z": "z"})),
    ]  # fmt: skip
    return arrays(paddle, found)


@program
def timers_of_a_step(paddle, np):
    """fleet.utils.timer_helper: errors, groups, restarts."""
    timers = module(paddle, "distributed.fleet.utils.timer_helper")
    group = timers._Timer("a"), timers.Timers()
    group[0].started_ = True
    group[0].started_, group[0].elapsed_ = False, 2.0
    return [
        group[0].elapsed(reset=False), group[0].elapsed(), group[0].elapsed(),
        timers.is_timer_initialized(), sorted(group[1].timers),
    ]  # fmt: skip
