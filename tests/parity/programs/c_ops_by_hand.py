"""_C_ops: operators whose arguments are put in order by hand."""

from ..probe import leaf
from ..registry import program


def _all(found):
    """Returns arrays of what operators gave: a tensor, several, or sparse ones."""
    if isinstance(found, (list, tuple)):
        return [_all(each) for each in found]
    is_sparse = found.is_sparse_coo() or found.is_sparse_csr()
    return (found.to_dense() if is_sparse else found).numpy()


@program
def reductions_by_hand(paddle, np):
    """Norms, means, ranks and orders, with their gradients."""
    c = paddle._C_ops
    x = leaf(paddle, np.array([[1.0, -2.0, 3.0], [3.5, 4.0, -6.0]], "float32"))
    found = [
        c.p_norm(x, 2.0, 1, 1e-12, False, False), c.p_norm(x, 3.0, -1, 1e-12, True, False),
        c.p_norm(x, 1.0, -1, 1e-12, False, True), c.frobenius_norm(x, [0, 1], False, True),
        c.frobenius_norm(x, [1], True, False), c.squared_l2_norm(x), c.l1_norm(x), c.mean_all(x),
        c.clip_by_norm(x, 2.0), c.clip_by_norm(x, 50.0), c.argsort(x, 1, True, False)[0],
        c.tanh_shrink(x),
    ]  # fmt: skip
    sum((each * each).sum() for each in found).backward()
    found += [c.argsort(x, 0, False, True)[1], c.matrix_rank(x, 0.1, True, False)]
    return [_all(found), x.grad.numpy()]


@program
def layers_by_hand(paddle, np):
    """Norms, activations, padding, other sizes and windows."""
    c = paddle._C_ops
    x = leaf(paddle, np.linspace(-2.0, 3.0, 48).reshape(1, 3, 4, 4).astype("float32"))
    row = leaf(paddle, np.linspace(0.5, 1.5, 4).astype("float32"))
    three = paddle.to_tensor(np.array([0.5, 0.25, 2.0], "float32"))
    grid = leaf(paddle, np.linspace(0.5, 1.5, 16).astype("float32"))
    sizes = (None, None, None, "NCHW", -1)
    found = [
        c.layer_norm(x, row, row, 1e-5, 3), c.layer_norm(x, grid, None, 1e-3, 2),
        c.instance_norm(x, three, three, 1e-5), c.prelu(x, three, "NCHW", "channel"),
        c.dropout(x, None, 0.5, True, "upscale_in_train", 0, False),
        c.dropout(x, None, 0.5, True, "downgrade_in_infer", 0, False),
        *c.split_with_num(x, 2, 3), c.pad(x, [0, 0, 1, 0, 0, 0, 0, 2], 1.5),
        c.pad3d(x.unsqueeze(0), [1, 0, 0, 1, 0, 0], "replicate", 0.0, "NCDHW"),
        c.unfold(x, [2, 2], [1, 1], [0, 0, 0, 0], [1, 1]),
        c.bilinear_interp(x, *sizes, 6, 5, [], "bilinear", False, 0),
        c.nearest_interp(x, *sizes, -1, -1, [2.0, 2.0], "nearest", False, 0),
        c.bicubic_interp(x, *sizes, 3, 7, [], "bicubic", True, 0),
    ]  # fmt: skip
    sum((each * each).sum() for each in found).backward()
    return [_all(found), x.grad.numpy()]


@program
def losses_by_hand(paddle, np):
    """Losses of each element, with their gradients."""
    c = paddle._C_ops
    x = leaf(paddle, np.linspace(-2.0, 3.0, 12).reshape(4, 3).astype("float32"))
    share = paddle.nn.functional.sigmoid(x)
    wanted = paddle.to_tensor(np.eye(4, 3).astype("float32"))
    labels = paddle.to_tensor([0, 2, 1, 2])
    logs = paddle.log(paddle.nn.functional.softmax(x))
    weight = paddle.to_tensor([0.5, 1.0, 2.0])
    soft, hard = (
        c.cross_entropy_with_softmax(x, *given, True, True, -100, -1)
        for given in ((wanted, True), (labels.unsqueeze(1), False))
    )
    found = [
        c.bce_loss(share, wanted), c.huber_loss(x, wanted, 1.0),
        c.kldiv_loss(logs, wanted, "mean", False), *c.nll_loss(logs, labels, weight, -100, "mean"),
        *c.nll_loss(logs, labels, None, 1, "sum"), *soft, *hard,
        c.sigmoid_cross_entropy_with_logits(x, wanted, None, False, -100),
        c.sigmoid_cross_entropy_with_logits(x, wanted, None, True, -100),
    ]  # fmt: skip
    sum((each * each).sum() for each in found).backward()
    return [_all(found), x.grad.numpy()]


@program
def shapes_by_hand(paddle, np):
    """Parts, views, indices, whole numbers and transforms."""
    c, cpu = paddle._C_ops, paddle.CPUPlace()
    x = paddle.to_tensor(np.arange(12, dtype="float32").reshape(3, 4) - 5.5)
    whole = paddle.to_tensor([7, -7, 8], "int64")
    found = [
        c.slice(x, [0, 1], [1, 0], [2, 3], [], [0]), c.slice(x, [1], [1], [3], [], []),
        c.expand_as(x[0], x, [3, 4]), c.view_shape(x, [4, 3]), c.view_slice(x, 1, 3),
        c.view_dtype(x, paddle.int32), c.increment_(x[0, 0].clone(), 2.0), c.fill(x, 3.0),
        c.repeat_interleave_with_tensor_index(x, paddle.to_tensor([1, 0, 2]), 0, -1),
        c.rint(x / 3.0), c.trunc_divide(whole, paddle.to_tensor([2, 2, 3])),
        c.tril_indices(3, 3, 0, paddle.int64, cpu), c.triu_indices(3, 4, 1, paddle.int64, cpu),
        c.elementwise_pow(x.abs(), x * 0 + 2.0),
        *c.unique(whole, True, True, True, [], paddle.int64),
        c.einsum([x, x], "ij,ij->i")[0], c.shape64(x),
        c.fft_c2c(x.astype("complex64"), [1], "backward", True),
        c.fft_c2c(x.astype("complex64"), [0, 1], "forward", False),
        c.fft_r2c(x, [1], "backward", True, True), c.fft_r2c(x, [1], "ortho", True, False),
        c.fft_c2r(x.astype("complex64"), [1], "forward", False, 6),
    ]  # fmt: skip
    filled = x.clone()
    same = c.full_(filled, [2], 7, paddle.int64, cpu) is filled
    return [*_all(found), same, filled.numpy()]


@program
def graphs_by_hand(paddle, np):
    """Messages along edges, segments, and boxes."""
    c = paddle._C_ops
    x = paddle.to_tensor([[0.0, 2.0], [1.0, 4.0], [2.0, 6.0]])
    start, end = paddle.to_tensor([0, 1, 2, 0]), paddle.to_tensor([1, 2, 1, 0])
    edges = paddle.to_tensor([[1.0, 1.0], [2.0, 0.5], [3.0, 2.0], [1.0, 0.0]])
    boxes = paddle.to_tensor([[0.0, 0.0, 2.0, 2.0], [0.1, 0.0, 2.0, 2.0], [3.0, 3.0, 5.0, 4.0]])
    image = paddle.to_tensor(np.arange(64, dtype="float32").reshape(1, 1, 8, 8))
    count = paddle.to_tensor([3], "int32")
    found = [
        c.send_u_recv(x, start, end, "SUM", [0]), c.send_u_recv(x, start, end, "MAX", [4]),
        c.send_ue_recv(x, edges, start, end, "MUL", "MEAN", [0]),
        c.send_uv(x, x, start, end, "ADD"),
        c.segment_pool(x, paddle.to_tensor([0, 0, 1]), "MEAN"),
        c.nms(boxes, 0.5), c.roi_align(image, boxes, count, 2, 2, 1.0, 2, True),
    ]  # fmt: skip
    return _all(found)


@program
def sparse_by_hand(paddle, np):
    """Operators of sparse tensors."""
    c = paddle._C_ops
    dense = paddle.to_tensor([[0.0, 0.5, 0.0], [-0.25, 0.0, 0.75]])
    x, other = dense.to_sparse_coo(2), (dense * 2.0).to_sparse_coo(2)
    rows = dense.to_sparse_csr()
    names = (
        "abs asin asinh atan atanh expm1 log1p relu relu6 sin sinh square tan tanh coalesce"
    ).split()
    found = [getattr(c, f"sparse_{name}")(x) for name in names]
    found += [
        c.sparse_add(x, other), c.sparse_subtract(x, other), c.sparse_multiply(x, other),
        c.sparse_transpose(x, [1, 0]), c.sparse_reshape(x, [3, 2]), c.sparse_pow(x, 2.0),
        c.sparse_leaky_relu(x, 0.1), c.sparse_divide_scalar(x, 2.0), c.sparse_to_dense(x),
        c.sparse_to_sparse_coo(dense, 2), c.sparse_to_sparse_csr(dense), c.sparse_values(x),
        c.sparse_indices(x), c.sparse_softmax(rows, -1), c.sparse_values(rows),
        c.sparse_mask_as(dense + 1.0, x),
        c.sparse_sparse_coo_tensor(x.values(), x.indices(), [2, 3]),
        c.sparse_slice(x, [0, 1], [0, 1], [2, 3]),
        c.sparse_cast(x, paddle.int32, paddle.float64),
    ]  # fmt: skip
    return [*_all(found), c.sparse_isnan(x).values().numpy()]


@program
def draws_by_hand(paddle, np):
    """Random operators: dtypes, shapes and bounds."""
    c, cpu = paddle._C_ops, paddle.CPUPlace()
    x = paddle.zeros([200])
    found = [
        c.gaussian([200], 1.0, 0.1, 0, paddle.float64, cpu),
        c.randint(2, 5, [200], paddle.int32, cpu),
        c.truncated_gaussian_random([200], 0.0, 1.0, 0, -1.0, 0.5, paddle.float32, cpu),
        c.uniform_inplace_(x.clone(), 2.0, 3.0, 0, 0, 0, 1.0), c.gaussian_inplace_(x, 5.0, 0.1, 0),
    ]  # fmt: skip
    bounds = [(0.0, 2.0), (2, 4), (-1.0, 0.5), (2.0, 3.0), (4.0, 6.0)]
    inside = [
        bool((each >= low).all()) and bool((each <= high).all())
        for each, (low, high) in zip(found, bounds, strict=True)
    ]
    return [inside, [str(each.dtype) for each in found], [list(each.shape) for each in found]]


@program
def rounding_by_hand(paddle, np):
    """Steps of integers, and back: one scale, one for each channel, a moving mean; gradients."""
    c, legacy = paddle._C_ops, paddle._legacy_C_ops
    x = leaf(paddle, np.array([[1.0, -2.6, 0.3], [0.4, 0.5, -6.0]], "float32"))
    found = []
    for kind in (0, 1):
        found += [*c.fake_quantize_abs_max(x, 4, kind)]
        found += [*c.fake_quantize_dequantize_abs_max(x, 3, kind)]
        found += [*c.fake_channel_wise_quantize_abs_max(x, 4, kind, 0, False)]
        found += [*c.fake_channel_wise_quantize_dequantize_abs_max(x, 4, kind, 1)]
        three = [paddle.to_tensor(np.float32([each])) for each in (3.0, 2.0, 1.0)]
        found += [*c.fake_quantize_moving_average_abs_max(x, *three, 0.9, 8, False, kind)]
        found += [
            *c.fake_quantize_dequantize_moving_average_abs_max(x, *three, 0.9, 4, False, kind)
        ]
        found += [c.fake_quantize_moving_average_abs_max(x, *three, 0.9, 8, True, kind)[0]]
    found.append(c.fake_dequantize_max_abs(x, three[0], 7.0))
    out, scale = paddle.zeros([2, 3]), paddle.zeros([2])
    made = legacy.fake_channel_wise_quantize_dequantize_abs_max(
        x, out, scale, "bit_length", 4, "quant_axis", 0
    )
    (found[2] * found[2] + made[0] * 3.0).sum().backward()
    return [_all(found), _all(made), scale.numpy(), x.grad.numpy()]
