"""The ops that run in half precision and those in float32, by Paddle's names.

A list holds names of Paddle's older op set (``matmul_v2``, ``reduce_sum``), which ``paddle_name``
and ``keys_of`` translate to the rows here and back.
"""

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.row import ROWS

WHITE_LIST: set[str] = set(
    "conv2d einsum matmul matmul_v2 linear_v2 max_pool2d_with_index mul fused_gemm_epilogue "
    "fused_rotary_position_embedding flash_attn".split()
)
ONLY_FP16_WHITE_LIST: set[str] = set(
    "fake_quantize_dequantize_abs_max fake_quantize_dequantize_moving_average_abs_max "
    "fused_attention fused_feedforward".split()
)
FP16_WHITE_LIST = WHITE_LIST | ONLY_FP16_WHITE_LIST
BF16_WHITE_LIST = WHITE_LIST
FP16_BLACK_LIST: set[str] = set(
    "tan acos asin sinh cosh atanh tanh_shrink erfinv exp expm1 log log10 log2 reciprocal rsqrt "
    "pow square reduce_sum mean reduce_mean reduce_prod cumprod cumsum dist pnorm frobenius_norm "
    "renorm group_norm layer_norm softmax softmin softplus log_softmax softmax_with_cross_entropy "
    "sigmoid_cross_entropy_with_logits c_softmax_with_cross_entropy "
    "c_softmax_with_multi_label_cross_entropy cross_entropy cross_entropy2 nll_loss huber_loss "
    "triplet_margin_loss log_loss hsigmoid_loss margin_cross_entropy".split()
)
BF16_BLACK_LIST: set[str] = FP16_BLACK_LIST
EXTRA_BLACK_LIST: set[str] = set(
    "linear_interp_v2 nearest_interp_v2 bilinear_interp_v2 bicubic_interp_v2 trilinear_interp_v2 "
    "lookup_table lookup_table_v2 scatter".split()
)

# Names in the lists without a counterpart here: older spellings, and ops without a row (so far).
WITHOUT_ROW = frozenset(
    "mul fused_gemm_epilogue fused_rotary_position_embedding "
    "fake_quantize_dequantize_abs_max fake_quantize_dequantize_moving_average_abs_max "
    "fused_attention fused_feedforward softmin c_softmax_with_cross_entropy "
    "c_softmax_with_multi_label_cross_entropy triplet_margin_loss".split()
)

# Functions that are one op for mixed precision although they are recorded as several: F.linear is
# a matmul and an add here, and ``linear_v2`` in a Paddle that was built for a GPU.
ONE_OP = frozenset(["linear"])

# A row's other names; the first is the one Paddle's own tools print.
_OTHER_NAMES = {
    "add": "elementwise_add",
    "add_n": "sum",
    "all": "reduce_all",
    "amax": "reduce_amax",
    "amin": "reduce_amin",
    "any": "reduce_any",
    "argmax": "arg_max",
    "argmin": "arg_min",
    "bce_loss_with_label": "bce_loss",
    "bicubic_interp": "bicubic_interp_v2",
    "bilinear_interp": "bilinear_interp_v2",
    "cross_entropy_with_soft_label": "softmax_with_cross_entropy cross_entropy cross_entropy2",
    "cross_entropy_with_softmax": "softmax_with_cross_entropy cross_entropy cross_entropy2",
    "diag": "diag_v2",
    "div_scale": "scale",
    "divide": "elementwise_div",
    "embedding": "lookup_table_v2 lookup_table",
    "expand": "expand_v2",
    "expand_as": "expand_as_v2",
    "fill": "fill_any",
    "flatten": "flatten_contiguous_range",
    "floor_divide": "elementwise_floordiv",
    "fmax": "elementwise_fmax",
    "fmin": "elementwise_fmin",
    "hardshrink": "hard_shrink",
    "hardsigmoid": "hard_sigmoid",
    "hardswish": "hard_swish",
    "hardtanh": "brelu",
    "heaviside": "elementwise_heaviside",
    "isfinite": "isfinite_v2",
    "isinf": "isinf_v2",
    "isnan": "isnan_v2",
    "kldiv_loss_with_label": "kldiv_loss",
    "lerp_with_weight": "lerp",
    "linear": "linear_v2",
    "linear_interp": "linear_interp_v2",
    "log_loss_with_label": "log_loss",
    "matmul": "matmul_v2",
    "max": "reduce_max",
    "maximum": "elementwise_max",
    "mean": "reduce_mean",
    "mean_all": "mean",
    "min": "reduce_min",
    "minimum": "elementwise_min",
    "multiply": "elementwise_mul",
    "nearest_interp": "nearest_interp_v2",
    "one_hot": "one_hot_v2",
    "p_norm": "p_norm pnorm",
    "prod": "reduce_prod",
    "remainder": "elementwise_mod",
    "rnn_with_cell": "rnn",
    "sigmoid_cross_entropy_with_label": "sigmoid_cross_entropy_with_logits",
    "embedding_of_rows": "embedding lookup_table_v2 lookup_table",
    "sqrt_of_squares": "sqrt",
    "squeeze": "squeeze2",
    "subtract": "elementwise_sub",
    "sum": "reduce_sum",
    "topk": "top_k_v2",
    "transpose": "transpose2",
    "trilinear_interp": "trilinear_interp_v2",
    "uniform_inplace": "uniform_random_inplace",
    "unsqueeze": "unsqueeze2",
}  # fmt: skip

# Functions that make a tensor from no operands have no row; their names, where those differ too.
SOURCE_NAMES = {
    "arange": "range",
    "full": "fill_constant",
    "full_like": "fill_any_like",
    "gaussian": "gaussian_random",
    "nonzero": "where_index",
    "range_v2": "range",
    "truncated_gaussian": "truncated_gaussian_random",
    "uniform": "uniform_random",
}

_KEYS_OF: dict[str, list[str]] = {}
for _key, _names in _OTHER_NAMES.items():
    for _name in _names.split():
        _KEYS_OF.setdefault(_name, []).append(_key)


def white_list() -> dict[str, dict[str, set[str]]]:
    """Return the names of the ops that run in half precision, by dtype and level.

    Example:
        >>> import jaxeager as paddle
        >>> "matmul_v2" in paddle.amp.white_list()["bfloat16"]["O1"]
        True
    """
    lists = {"float16": FP16_WHITE_LIST, "bfloat16": BF16_WHITE_LIST}
    return {
        dtype: {level: set(names) for level in ("OD", "O1", "O2")} for dtype, names in lists.items()
    }


def black_list() -> dict[str, dict[str, set[str]]]:
    """Return the names of the ops that run in float32, by dtype and level.

    Example:
        >>> import jaxeager as paddle
        >>> black = paddle.amp.black_list()["float16"]
        >>> "exp" in black["O1"], "exp" in black["O2"], black["OD"]
        (True, False, set())
    """
    lists = {"float16": FP16_BLACK_LIST, "bfloat16": BF16_BLACK_LIST}
    return {
        dtype: {"OD": set[str](), "O1": names | EXTRA_BLACK_LIST, "O2": set(EXTRA_BLACK_LIST)}
        for dtype, names in lists.items()
    }


def paddle_name(row_name: str) -> str:
    """Return the name of an op in Paddle's tools: ``matmul_v2`` for ``matmul``.

    Example:
        >>> from jaxeager.amp.amp_lists import paddle_name
        >>> paddle_name("sum"), paddle_name("exp")
        ('reduce_sum', 'exp')
    """
    names = _OTHER_NAMES.get(row_name)
    return SOURCE_NAMES.get(row_name, row_name) if names is None else names.split()[0]


def keys_of(name: str) -> list[str]:
    """Return the keys for an op's name: names of rows, or of ``ONE_OP``.

    A row has its own name and Paddle's older ones; a row over the values of sparse tensors
    (``sparse_exp``) also has those of the dense one. A name that two ops of Paddle have had
    (``mean``) refers to both. An unknown name has no keys.

    Example:
        >>> from jaxeager.amp.amp_lists import keys_of
        >>> keys_of("lookup_table_v2"), keys_of("mean"), keys_of("fused_attention")
        (['embedding', 'embedding_of_rows'], ['mean_all', 'mean'], [])
    """
    own = [name] if name in ROWS or name in ONE_OP else []
    found = [*_KEYS_OF.get(name, ()), *own]
    return [*found, *(f"sparse_{key}" for key in found if f"sparse_{key}" in ROWS)]


def resolve(names) -> frozenset[str]:
    """Return the keys of all names; unknown names have no keys."""
    return frozenset(key for name in names for key in keys_of(name))


def checked_custom_list(title: str, names) -> frozenset[str]:
    """Return a custom list as a set of names; None is an empty one.

    Raises:
        InvalidTypeError: when it is not a set, list or tuple of strings.
    """
    if names is None:
        return frozenset()
    if not isinstance(names, (set, frozenset, list, tuple)) or not all(
        isinstance(name, str) for name in names
    ):
        raise InvalidTypeError(
            f"{title} must be a set, list or tuple of names of ops, but received {names!r}."
        )
    return frozenset(names)


def merged_lists(
    custom_white: frozenset[str], custom_black: frozenset[str], level: str, dtype: str
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keys of the white and of the black list; the custom ones take precedence.

    Raises:
        InvalidArgumentError: when an op is in both custom lists.
    """
    both = custom_white & custom_black or resolve(custom_white) & resolve(custom_black)
    if both:
        raise InvalidArgumentError(
            f"Custom white list overlap custom black list: {', '.join(sorted(both))}."
        )
    more_white, more_black = resolve(custom_white), resolve(custom_black)
    white, black = resolve(white_list()[dtype][level]), resolve(black_list()[dtype][level])
    return (white | more_white) - more_black, (black - more_white) | more_black
