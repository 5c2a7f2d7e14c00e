"""aoa_config: tensors of a checkpoint are renamed, cut, joined, transposed and cast."""

from importlib import import_module
from tempfile import TemporaryDirectory

from ..registry import differs, program

# By name: statements, the shapes of what is saved, and of what is filled.
RENAMED = {
    "a name": (["a -> b"], {"a": [2, 3]}, {"b": [2, 3]}),
    "as it is": (["a -> b"], {"a": [2, 3], "c": [4]}, {"b": [2, 3], "c": [4]}),
    "an axis without effect": (["a -> b, axis=0"], {"a": [2, 3]}, {"b": [2, 3]}),
    "transposed": (["a^T -> b"], {"a": [2, 3]}, {"b": [3, 2]}),
    "transposed, three axes": (["a^T -> b"], {"a": [2, 3, 4]}, {"b": [4, 3, 2]}),
    "permuted": (['a -> b, permute="[1,2,0]"'], {"a": [2, 3, 4]}, {"b": [3, 4, 2]}),
    "numbers": (
        ["m.$LAYER_ID.w -> n.$LAYER_ID.v"],
        {f"m.{each}.w": [2] for each in (0, 2, 10)}, {f"n.{each}.v": [2] for each in (0, 2, 10)},
    ),
    "two numbers": (
        ["m.$LAYER_ID.e.$EXPERT_ID.w^T -> n.$LAYER_ID.$EXPERT_ID.v"],
        {f"m.{a}.e.{b}.w": [2, 3] for a in (0, 1) for b in (0, 1)},
        {f"n.{a}.{b}.v": [3, 2] for a in (0, 1) for b in (0, 1)},
    ),
    "one layer less": (
        ["m.$LAYER_ID_OFFSET.w -> n.$LAYER_ID_OFFSET.w"],
        {"m.1.w": [2], "m.2.w": [2]}, {"n.0.w": [2], "n.1.w": [2]},
    ),
    "no such number": (["z.$LAYER_ID.w -> y.$LAYER_ID.w"], {"a": [2]}, {"a": [2]}),
    "kept": (["_ -> b", "a -> c"], {"a": [2]}, {"b": [2], "c": [2]}),
    "not used": (["a -> _"], {"a": [2], "b": [2]}, {"b": [2]}),
    "not used, but wanted": (["a -> _"], {"a": [2]}, {"a": [2]}),
    "states": (
        ["a^T -> b"],
        {"a": [2, 3], "a.moment1_0": [2, 3], "a.beta1_pow_acc_0": [1]},
        {"b": [3, 2], "b.moment1_0": [3, 2], "b.beta1_pow_acc_0": [1]},
    ),
}  # fmt: skip
JOINED = {
    "joined": (["a, b -> c, axis=0"], {"a": [2, 3], "b": [4, 3]}, {"c": [6, 3]}),
    "cut": (["c -> a, b, axis=1"], {"c": [2, 6]}, {"a": [2, 3], "b": [2, 3]}),
    "a list": (["a[0:3] -> b, axis=0"], {f"a_{n}": [1, 2] for n in range(3)}, {"b": [3, 2]}),
    "all numbers": (
        ["e.*.w -> b, axis=0"], {f"e.{n}.w": [1, 2] for n in (11, 0, 2)}, {"b": [3, 2]},
    ),
    "cut to all numbers": (
        ["b -> e.*.w, axis=0"], {"b": [3, 2]}, {f"e.{n}.w": [1, 2] for n in (11, 0, 2)},
    ),
    "joined, then transposed": (
        ["a, b -> t, axis=0", "t^T -> c"], {"a": [2, 3], "b": [2, 3]}, {"c": [3, 4]},
    ),
    "transposed, then cut": (
        ["a^T -> t", "t -> b, c, axis=1"], {"a": [4, 3]}, {"b": [3, 2], "c": [3, 2]},
    ),
    "states joined": (
        ["a, c -> b, axis=0"],
        {name: [2, 3] for name in ("a", "a.moment1_0", "c", "c.moment1_0")},
        {"b": [4, 3], "b.moment1_0": [4, 3]},
    ),
}  # fmt: skip
HEADS = "num_heads=4, num_key_value_groups=2"
THREE, FUSED = {"q": [3, 8], "k": [3, 4], "v": [3, 4]}, {"qkv": [3, 16]}
FUSED_LAYERS = {
    "qkv": ([f"q,k,v -> qkv, fused_qkv, {HEADS}"], THREE, FUSED),
    "transposed to qkv": (
        [f"q^T,k^T,v^T -> qkv, fused_qkv, {HEADS}"],
        {"q": [8, 3], "k": [4, 3], "v": [4, 3]}, FUSED,
    ),
    "bias of qkv": (
        [f"q,k,v -> qkv, fused_qkv, {HEADS}, axis=0"], {"q": [8], "k": [4], "v": [4]}, {"qkv": [16]}
    ),
    "of qkv": ([f"qkv -> q,k,v, fused_qkv, {HEADS}"], FUSED, THREE),
    "older qkv": ([f"q,k,v -> qkv, fused_qkv_old, {HEADS}"], THREE, FUSED),
    "of older qkv": ([f"qkv -> q,k,v, fused_qkv_old, {HEADS}"], FUSED, THREE),
    "older qkv to itself": ([f"qkv -> w, fused_qkv_old, {HEADS}"], FUSED, {"w": [3, 16]}),
    "gate and up": (["g,u -> gu, fused_ffn"], {"g": [3, 4], "u": [3, 4]}, {"gu": [3, 8]}),
    "transposed gate and up": (
        ["g^T,u^T -> gu, fused_ffn"], {"g": [4, 3], "u": [4, 3]}, {"gu": [3, 8]}
    ),
    "of gate and up": (["gu -> g,u, fused_ffn"], {"gu": [3, 8]}, {"g": [3, 4], "u": [3, 4]}),
}  # fmt: skip


def _tensors(paddle, np, shapes, first=0.0):
    """Return tensors of a state dict, with different values."""
    made = {}
    for number, (name, shape) in enumerate(shapes.items()):
        values = np.arange(int(np.prod(shape)), dtype="float32").reshape(shape)
        made[name] = paddle.to_tensor(values + first + 100 * number)
    return made


def _sharded(paddle, tensors):
    return paddle.distributed.build_sharded_state_dict(tensors)


def _loaded(paddle, np, case, dtypes=None, config=None):
    statements, saved, wanted = case
    blank = _tensors(paddle, np, wanted, first=-1000.0)
    blank = {name: each.astype((dtypes or {}).get(name, "float32")) for name, each in blank.items()}
    with TemporaryDirectory() as folder:
        paddle.distributed.save_state_dict(_sharded(paddle, _tensors(paddle, np, saved)), folder)
        paddle.distributed.load_state_dict(
            _sharded(paddle, blank), folder, aoa_config={"aoa_statements": statements}
        )
    return {name: [str(each.dtype), each.astype("float32").numpy()] for name, each in blank.items()}


def _full(paddle, np, shapes, statements, is_reversed=False):
    module = import_module(f"{paddle.__name__}.distributed.flex_checkpoint.dcp.full_param")
    parts = _sharded(paddle, _tensors(paddle, np, shapes))
    config = {"aoa_statements": statements, "aoa_config_reverse": is_reversed}
    return {name: each.numpy() for name, each in sorted(module.full_param(parts, config))}


def _is_refused(call):
    """Return whether a call raises: Paddle has four classes of errors for such texts."""
    try:
        call()
    except (AssertionError, RuntimeError, SyntaxError, ValueError):
        return True
    return False


@program
def tensors_are_renamed_and_transposed(paddle, np):
    """Each case of RENAMED, by load_state_dict."""
    return {name: _loaded(paddle, np, case) for name, case in RENAMED.items()}


@program
def tensors_are_joined_and_cut(paddle, np):
    """Each case of JOINED, by load_state_dict."""
    return {name: _loaded(paddle, np, case) for name, case in JOINED.items()}


@program
def heads_and_gates_are_fused(paddle, np):
    """Each case of FUSED_LAYERS, by load_state_dict."""
    return {name: _loaded(paddle, np, case) for name, case in FUSED_LAYERS.items()}


@program
def tensors_are_cast(paddle, np):
    """A cast to another name, to the same name, and of a transposed tensor."""
    cases = {
        "float16": (["a -> b, dtype='float16'"], {"a": [2, 3]}, {"b": [2, 3]}),
        "bfloat16": (["a^T -> b, dtype='bfloat16'"], {"a": [2, 3]}, {"b": [3, 2]}),
    }
    out = {name: _loaded(paddle, np, case, {"b": name}) for name, case in cases.items()}
    same = (["a -> a, dtype='float16'"], {"a": [2, 3]}, {"a": [2, 3]})
    return out | {"same name": _loaded(paddle, np, same, {"a": "float16"})}


@program
def whole_tensors_are_converted(paddle, np):
    """full_param: what no statement uses stays, and new names come."""
    return {
        name: _full(paddle, np, saved, statements)
        for cases, left_out in (
            (RENAMED, ("an axis without effect", "states")),
            (JOINED, ("cut to all numbers", "states joined")),
            (FUSED_LAYERS, ("of gate and up",)),
        )
        for name, (statements, saved, _) in cases.items()
        if name not in left_out
    }


@program
def statements_run_in_reverse(paddle, np):
    """full_param with aoa_config_reverse: from what is filled to what was saved."""
    left_out = "an axis without effect|states|one layer less|not used|kept"
    left_out += (
        "|all numbers|cut to all numbers|states joined|older qkv|of older qkv|of gate and up"
    )
    return {
        name: _full(paddle, np, wanted, statements, True)
        for cases in (RENAMED, JOINED, FUSED_LAYERS)
        for name, (statements, _, wanted) in cases.items()
        if name not in left_out.split("|")
    }


@program
def unfit_statements_are_refused(paddle, np):
    """Statements that are none, and those that do not fit the tensors."""
    statements = {
        "no axis": "a, b -> c",
        "several on both sides": "a, b -> c, d, axis=0",
        "unknown": "x -> b",
        "transposed on the right": "a -> c^T",
        "other signs": "a => c",
        "hyphens": "a-b -> c",
        "dtype": "a -> c, dtype='int8'",
        "no such names": "z.*.w -> c, axis=0",
        "unequal parts": "a -> c, d, e, axis=0",
        "heads": "a -> q, k, v, fused_qkv, num_heads=3, num_key_value_groups=2",
    }
    shapes = {"a": [2, 3], "b": [4, 3]}
    return {
        name: _is_refused(lambda text=text: _full(paddle, np, shapes, [text]))
        for name, text in statements.items()
    }


@differs(
    "a tensor that two statements use fills the last name alone",
    right=[[0.0, 1.0], [0.0, 1.0]],
    paddle_gives=[[-1000.0, -999.0], [0.0, 1.0]],
)
def two_names_of_one_tensor(paddle, np):
    """The first name keeps its old values in Paddle."""
    found = _loaded(paddle, np, (["a -> b", "a -> c"], {"a": [2]}, {"b": [2], "c": [2]}))
    return [found["b"][1].tolist(), found["c"][1].tolist()]


@differs(
    "the shapes are not compared",
    right="refused",
    paddle_gives=[[0.0, 1.0], [3.0, 4.0], [-996.0, -995.0]],
)
def a_tensor_of_another_shape(paddle, np):
    """The common part is written."""
    try:
        found = _loaded(paddle, np, (["a -> b"], {"a": [2, 3]}, {"b": [3, 2]}))
    except ValueError:
        return "refused"
    return found["b"][1].tolist()


@differs(
    "the values of a moment in float32 are read as if they had the dtype of the weight",
    right=[[100.0, 101.0, 102.0], [103.0, 104.0, 105.0]],
    paddle_gives=[[101.13043212890625, 103.13046264648438, 105.1304931640625],
                  [-897.0, -896.0, -895.0]],
)  # fmt: skip
def moments_of_a_weight_that_is_cast(paddle, np):
    """A moment stays in its dtype."""
    shapes = {"a": [2, 3], "a.moment1_0": [2, 3]}, {"b": [2, 3], "b.moment1_0": [2, 3]}
    found = _loaded(paddle, np, (["a -> b, dtype='bfloat16'"], *shapes), {"b": "bfloat16"})
    return found["b.moment1_0"][1].tolist()


@differs(
    "the parts get the names of temporary tensors",
    right=["g", "u"],
    paddle_gives=["fused_ffn_tmp.GATE_0", "fused_ffn_tmp.UP_0"],
)
def names_of_gate_and_up(paddle, np):
    """full_param cuts a fused weight."""
    return list(_full(paddle, np, {"gu": [3, 8]}, ["gu -> g,u, fused_ffn"]))


@differs(
    "the whole weight of one head of each part is cut into three equal parts",
    right={"k": [3, 4], "q": [3, 8], "v": [3, 4]},
    paddle_gives="AssertionError",
)
def heads_that_are_not_equal_parts(paddle, np):
    """The older layout in reverse."""
    statements = [f"q,k,v -> qkv, fused_qkv_old, {HEADS}"]
    try:
        found = _full(paddle, np, FUSED, statements, True)
    except AssertionError:
        return "AssertionError"
    return {name: list(each.shape) for name, each in found.items()}


@differs(
    "a layer's number is looked for on the left side",
    right=["m.1.w", "m.2.w"],
    paddle_gives=["n.0.w", "n.1.w"],
)
def offsets_in_reverse(paddle, np):
    """Nothing is renamed in Paddle."""
    statements = ["m.$LAYER_ID_OFFSET.w -> n.$LAYER_ID_OFFSET.w"]
    return list(_full(paddle, np, {"n.0.w": [2], "n.1.w": [2]}, statements, True))
