"""_C_ops and _legacy_C_ops: operators with all arguments in Paddle's order."""

from ..probe import error_of, leaf
from ..registry import program


@program
def operators_in_order(paddle, np):
    """A call of each kind, its arguments by position."""
    c = paddle._C_ops
    x, y = paddle.to_tensor([[1.0, -2.0], [3.0, 4.0]]), paddle.to_tensor([[0.5, 2.0], [1.0, 3.0]])
    index, ids = paddle.to_tensor([1, 0]), paddle.to_tensor([[0, 1], [1, 0]])
    image = paddle.to_tensor(np.arange(9, dtype="float32").reshape(1, 1, 3, 3))
    cpu = paddle.CPUPlace()
    found = [
        c.matmul(x, y, False, True), c.add(x, y), c.multiply(x, y), c.subtract(x, y),
        c.divide(x, y), c.maximum(x, y), c.softmax(x, -1), c.log_softmax(x, 0), c.relu(x),
        c.gelu(x, False), c.gelu(x, True), c.sigmoid(x), c.tanh(x), c.exp(x), c.abs(x),
        c.leaky_relu(x, 0.1), c.elu(x, 1.5), c.silu(x), c.swish(x), c.hardtanh(x, -1.0, 1.0),
        c.sum(x, [0], None, False), c.mean(x, [1], True), c.max(x, [0], False),
        c.min(x, [1], True), c.logsumexp(x, [0], False, False), c.cumsum(x, 0, False, False, False),
        c.topk(x, 1, 1, True, True)[0],
 c.kthvalue(x, 1, 1, False)[1],  c.reshape(x, [4]), c.transpose(x, [1, 0]),
        c.squeeze(image, [0]), c.unsqueeze(x, [0]), c.concat([x, y], 0), c.stack([x, y], 1),
        c.split(x, [1, 1], 1)[0], c.tile(x, [1, 2]), c.expand(x, [2, 2, 2]), c.flip(x, [0]),
        c.roll(x, [1], [0]), c.flatten(image, 1, 3), c.tril(x, 0), c.triu(x, 0),
        c.gather(x, index, 0), c.gather_nd(x, ids), c.index_select(x, index, 1),
        c.index_sample(x, ids), c.take_along_axis(x, ids, 1), c.scatter(x, index, y, True),
        c.where(x > 0, x, y), c.masked_select(x, x > 0), c.cast(x, paddle.int32),
        c.scale(x, 2.0, 1.0, True), c.clip(x, -1.0, 1.0), c.pow(x, 2.0), c.isnan(x),
        c.equal(x, y), c.greater_than(x, y), c.logical_not(x > 0), c.all(x > 0, [0], False),
        c.full([2], 3.0, paddle.float32, cpu), c.full_like(x, 7.0, paddle.float32, cpu),
        c.eye(2, 3, paddle.float32, cpu), c.embedding(index, x, -1, False),
        c.bmm(image[0], image[0]),
        c.conv2d(image, paddle.ones([1, 1, 2, 2]), [1, 1], [0, 0], "EXPLICIT", [1, 1], 1, "NCHW"),
        c.group_norm(image, None, None, 1e-5, 1, "NCHW"), c.trace(x, 0, 0, 1), c.kron(x, y),
        c.one_hot(index, 3), c.diagonal(x, 0, 0, 1), c.erf(x), c.lerp(x, y, y),
    ]  # fmt: skip
    return [each.numpy() for each in found]


@program
def operators_have_gradients(paddle, np):
    """Gradients through both, and in place."""
    x = leaf(paddle, [[1.0, 2.0], [3.0, 4.0]])
    y = paddle._C_ops.relu(paddle._C_ops.matmul(x, x, True, False))
    paddle._C_ops.sum(y, [], None, False).backward()
    z = paddle.to_tensor([-1.0, 2.0])
    same = paddle._C_ops.relu_(z)
    return [x.grad.numpy(), z.numpy(), same is z]


@program
def older_operators(paddle, np):
    """Tensors, then attributes as name and value in turn."""
    c, x = paddle._legacy_C_ops, paddle.to_tensor([[1.0, -2.0], [3.0, 4.0]])
    index = paddle.to_tensor([1, 0])
    found = [
        c.elementwise_add(x, x), c.elementwise_mul(x, x, "axis", -1), c.relu(x), c.sigmoid(x),
        c.reduce_sum(x, "dim", [0], "keep_dim", False, "reduce_all", False),
        c.reduce_mean(x, "dim", [1], "keep_dim", True, "reduce_all", False), c.mean(x),
        c.matmul_v2(x, x, "trans_x", True, "trans_y", False), c.softmax(x, "axis", -1),
        c.scale(x, "scale", 2.0, "bias", 1.0), c.stack([x, x], "axis", 0),
        c.exp(x), c.sqrt(x * x),
        c.gather(x, index, None), c.cumsum(x, "axis", 0), c.log_softmax(x, "axis", 1),
        c.less_than(x, x + 1),
    ]  # fmt: skip
    return [each.numpy() for each in found]


@program()
def detectors_end_with_the_best_boxes(paddle, np):
    """multiclass_nms3: of each class and of all, pixels, a falling threshold, images by count."""
    draw = np.random.RandomState(0)

    def boxes(*shape):
        corner = draw.rand(*shape, 2) * 10
        size = draw.rand(*shape, 2) * 6 + 0.5
        return paddle.to_tensor(np.concatenate([corner, corner + size], -1).astype("float32"))

    def points(*shape):
        return paddle.to_tensor(draw.rand(*shape).astype("float32"))

    nms, found = paddle._C_ops.multiclass_nms3, []
    for images, count, classes, *given in (
        (2, 12, 3, 0.1, -1, -1, 0.3, True, 1.0, -1),
        (1, 20, 2, 0.2, 10, 5, 0.4, False, 1.0, 0),
        (2, 15, 4, 0.3, 8, 6, 0.7, True, 0.8, -1),
        (1, 5, 2, 0.99, -1, -1, 0.3, True, 1.0, -1),
        (2, 30, 3, 0.0, -1, 7, 0.2, False, 1.0, 1),
    ):
        found.append(nms(boxes(images, count), points(images, classes, count), None, *given))
    of_each, scores = boxes(14, 3), points(14, 3)
    counts = paddle.to_tensor([6, 8], dtype="int32")
    for given in ((0.2, -1, 6, 0.3, True, 1.0, -1), (0.2, 5, -1, 0.3, False, 1.0, 0)):
        found.append(nms(of_each, scores, counts, *given))
    return [[each.numpy() for each in outputs] for outputs in found]


@program(rtol=1e-5, reason="sums in another order")
def norms_and_regions_by_number(paddle, np):
    """batch_norm, layer_norm, norm, argsort, roi_align, roi_pool, box_coder: all their outputs."""
    draw = np.random.RandomState(0)
    call = paddle._C_ops

    def tensor(*shape):
        return paddle.to_tensor(draw.rand(*shape).astype("float32"))

    x, scale, bias = tensor(2, 3, 4), tensor(3), tensor(3)
    found = [call.argsort(x, 1, True, False), call.norm(x, 1, 1e-10, False)]
    for is_test in (False, True):
        mean, variance = tensor(3), tensor(3) + 1.0
        given = (mean, variance, scale, bias, is_test, 0.9, 1e-5, "NCHW", False, False)
        out = call.batch_norm(x, *given)[: 3 if is_test else 5]  # Paddle leaves others unwritten
        found.append([*out, mean, variance])
    found.append([call.layer_norm(x, tensor(4), tensor(4), 1e-5, 2)])
    found.append([call.layer_norm(x, None, None, 1e-5, 1)])
    image, regions = tensor(1, 2, 8, 8), paddle.to_tensor([[0.0, 0, 4, 4], [1, 1, 7, 6]])
    count = paddle.to_tensor([2], dtype="int32")
    found.append([call.roi_align(image, regions, count, 2, 2, 1.0, 2, True)])
    prior, target = regions + tensor(2, 4) * 0.5, paddle.to_tensor([[0.5, 0.5, 3, 4]])
    given = ("encode_center_size", True, 0, [0.1, 0.1, 0.2, 0.2])
    found.append([call.box_coder(prior, None, target, *given)])
    older = paddle._legacy_C_ops
    found.append(older.argsort(x, "axis", 1, "descending", True))
    return [[each.numpy() for each in outputs] for outputs in found]


@program
def weights_of_sigmoid_cross_entropy(paddle, np):
    """The operator's pos_weight weighs the logarithm; the public function's makes it."""
    label = paddle.to_tensor([[1.0, 0.0], [0.0, 1.0]])
    weight = paddle.to_tensor([[2.0, 3.0], [0.5, 1.0]])
    out = []
    for args in ((None, False, -100), (weight, False, -100), (weight, True, -100),
                 (weight, True, 1)):  # fmt: skip
        x = leaf(paddle, [[0.5, -1.2], [2.0, 0.1]])
        loss = paddle._C_ops.sigmoid_cross_entropy_with_logits(x, label, *args)
        loss.sum().backward()
        out.append([loss.numpy(), x.grad.numpy()])
    x = paddle.to_tensor([[0.5, -1.2], [2.0, 0.1]])
    short = paddle.to_tensor([[2.0, 3.0]])
    call = paddle._C_ops.sigmoid_cross_entropy_with_logits
    return [*out, error_of(lambda: call(x, label, short, False, -100))]
