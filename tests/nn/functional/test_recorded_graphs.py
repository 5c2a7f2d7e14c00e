"""Each function records the nodes real Paddle 3.3.1 records: the right column is from there."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F

LABEL = paddle.to_tensor([1, 0, 4])
IDS = paddle.to_tensor([[0, 2], [1, 2]])


def drawn(*shape):
    """Return a float32 leaf of fixed random values."""
    draw = np.random.default_rng(0).standard_normal(shape).astype("float32")
    return paddle.to_tensor(draw, stop_gradient=False)


def fixed(*shape):
    """Return positive values that have no gradient."""
    return F.softmax(drawn(*shape)).detach()


def graph(tensor) -> str:
    """Return the names of the nodes upstream of a tensor, nested."""
    return "none" if tensor.grad_fn is None else _named(tensor.grad_fn)


def _named(node) -> str:
    if node is None:
        return "None"
    if node.name() == "GradNodeAccumulation":
        return "leaf"
    above = ",".join(_named(each) for each in node.next_functions)
    return f"{node.name().removesuffix('GradNode')}({above})"


def norms(function, *sizes, **kwargs):
    """Call a norm with running statistics, scale and bias of 4 channels."""
    return function(
        drawn(*sizes), paddle.zeros([4]), paddle.ones([4]), drawn(4), drawn(4), **kwargs
    )


def attend(**kwargs):
    """Return the self-attention of a sequence."""
    x = drawn(2, 3, 4, 8)
    return F.scaled_dot_product_attention(x, x, x, **kwargs)


SCORES = "Matmul(Scale(Transpose(leaf)),Transpose(leaf))"
CE = "CrossEntropyWithSoftmax(leaf)"
WEIGHTED = f"Multiply(Cast({CE}),None)"

GRAPHS = {
    "conv2d": (
        lambda: F.conv2d(drawn(2, 4, 8, 8), drawn(6, 4, 3, 3)),
        "Conv2dGradNodeFinal(leaf,leaf)",
    ),
    "conv2d bias": (
        lambda: F.conv2d(drawn(2, 4, 8, 8), drawn(6, 4, 3, 3), drawn(6)),
        "Add(Conv2dGradNodeFinal(leaf,leaf),Reshape(leaf))",
    ),
    "conv2d NHWC bias": (
        lambda: F.conv2d(drawn(2, 8, 8, 4), drawn(6, 4, 3, 3), drawn(6), data_format="NHWC"),
        "Add(Conv2dGradNodeFinal(leaf,leaf),Reshape(leaf))",
    ),
    "conv2d groups": (
        lambda: F.conv2d(drawn(2, 4, 8, 8), drawn(6, 2, 3, 3), groups=2),
        "Conv2dGradNodeFinal(leaf,leaf)",
    ),
    "conv2d depthwise": (
        lambda: F.conv2d(drawn(2, 4, 8, 8), drawn(8, 1, 3, 3), groups=4),
        "DepthwiseConv2d(leaf,leaf)",
    ),
    "conv1d bias": (
        lambda: F.conv1d(drawn(2, 4, 9), drawn(6, 4, 3), drawn(6)),
        "Squeeze(Add(Conv2dGradNodeFinal(Unsqueeze(leaf),Unsqueeze(Assign(leaf))),Reshape(leaf)))",
    ),
    "conv1d NLC bias": (
        lambda: F.conv1d(drawn(2, 9, 4), drawn(6, 4, 3), drawn(6), data_format="NLC"),
        "Squeeze(Add(Conv2dGradNodeFinal(Unsqueeze(leaf),Unsqueeze(Assign(leaf))),leaf))",
    ),
    "conv2d_transpose": (
        lambda: F.conv2d_transpose(drawn(2, 4, 8, 8), drawn(4, 6, 3, 3), drawn(6)),
        "Add(Conv2dTranspose(leaf,leaf),Reshape(leaf))",
    ),
    "conv2d_transpose depthwise": (
        lambda: F.conv2d_transpose(drawn(2, 4, 8, 8), drawn(4, 1, 3, 3), groups=4),
        "DepthwiseConv2dTranspose(leaf,leaf)",
    ),
    "conv1d_transpose": (
        lambda: F.conv1d_transpose(drawn(2, 4, 9), drawn(4, 6, 3), drawn(6)),
        "Squeeze(Add(Conv2dTranspose(Unsqueeze(leaf),Unsqueeze(leaf)),Reshape(leaf)))",
    ),
    "max_pool2d": (lambda: F.max_pool2d(drawn(2, 4, 8, 8), 2), "Pool2d(leaf)"),
    "max_pool2d mask": (
        lambda: F.max_pool2d(drawn(2, 4, 8, 8), 2, return_mask=True)[0],
        "MaxPool2dWithIndex(leaf)",
    ),
    "max_pool1d": (lambda: F.max_pool1d(drawn(2, 4, 8), 2), "Squeeze(Pool2d(Unsqueeze(leaf)))"),
    "avg_pool1d": (lambda: F.avg_pool1d(drawn(2, 4, 8), 2), "Squeeze(Pool2d(Unsqueeze(leaf)))"),
    "avg_pool2d divisor": (
        lambda: F.avg_pool2d(drawn(2, 4, 8, 8), 2, divisor_override=3),
        "DivScale(Scale(Pool2d(leaf)))",
    ),
    "adaptive_avg_pool2d": (lambda: F.adaptive_avg_pool2d(drawn(2, 4, 8, 8), 3), "Pool2d(leaf)"),
    "adaptive_avg_pool1d": (
        lambda: F.adaptive_avg_pool1d(drawn(2, 4, 9), 3),
        "Squeeze(Pool2d(Unsqueeze(leaf)))",
    ),
    "adaptive_max_pool2d": (
        lambda: F.adaptive_max_pool2d(drawn(2, 4, 8, 8), 3),
        "MaxPool2dWithIndex(leaf)",
    ),
    "adaptive_max_pool1d": (
        lambda: F.adaptive_max_pool1d(drawn(2, 4, 9), 3),
        "Squeeze(MaxPool2dWithIndex(Unsqueeze(leaf)))",
    ),
    "batch_norm train": (
        lambda: norms(F.batch_norm, 2, 4, 8, 8, training=True),
        "BatchNorm(leaf,leaf,leaf)",
    ),
    "batch_norm eval": (lambda: norms(F.batch_norm, 5, 4), "BatchNorm(leaf,leaf,leaf)"),
    "layer_norm": (
        lambda: F.layer_norm(drawn(2, 4, 9), 9, drawn(9), drawn(9)),
        "LayerNorm(leaf,leaf,leaf)",
    ),
    "group_norm": (
        lambda: F.group_norm(drawn(2, 4, 8), 2, 1e-5, drawn(4), drawn(4)),
        "GroupNorm(leaf,leaf,leaf)",
    ),
    "instance_norm": (lambda: norms(F.instance_norm, 2, 4, 8), "InstanceNorm(leaf,leaf,leaf)"),
    "normalize": (lambda: F.normalize(drawn(3, 4)), "Divide(leaf,Maximum(PNorm(leaf),None))"),
    "linear": (lambda: F.linear(drawn(3, 4), drawn(4, 5), drawn(5)), "Add(Matmul(leaf,leaf),leaf)"),
    "linear no bias": (lambda: F.linear(drawn(3, 4), drawn(4, 5)), "Matmul(leaf,leaf)"),
    "embedding": (lambda: F.embedding(IDS, drawn(5, 3)), "Embedding(leaf)"),
    "one_hot": (lambda: F.one_hot(IDS, 4), "none"),
    "dropout": (lambda: F.dropout(drawn(3, 4), 0.3), "Dropout(leaf)"),
    "dropout eval": (lambda: F.dropout(drawn(3, 4), 0.3, training=False), "Dropout(leaf)"),
    "dropout axis": (
        lambda: F.dropout(drawn(3, 4), 0.3, axis=0),
        "Multiply(Cast(Scale(leaf)),None)",
    ),
    "dropout axis downscale": (
        lambda: F.dropout(drawn(3, 4), 0.3, axis=0, mode="downscale_in_infer"),
        "Multiply(Cast(leaf),None)",
    ),
    "dropout axis downscale eval": (
        lambda: F.dropout(drawn(3, 4), 0.3, axis=0, training=False, mode="downscale_in_infer"),
        "Scale(leaf)",
    ),
    "dropout nothing": (lambda: F.dropout(drawn(3, 4), 0.0), "leaf"),
    "dropout axis everything": (lambda: F.dropout(drawn(3, 4), 1.0, axis=1), "Scale(leaf)"),
    "dropout2d": (lambda: F.dropout2d(drawn(2, 3, 2, 2)), "Multiply(Cast(Scale(leaf)),None)"),
    "cross_entropy": (lambda: F.cross_entropy(drawn(3, 5), LABEL), f"MeanAll({CE})"),
    "cross_entropy sum": (
        lambda: F.cross_entropy(drawn(3, 5), LABEL, reduction="sum"),
        f"Sum({CE})",
    ),
    "cross_entropy none": (
        lambda: F.cross_entropy(drawn(3, 5), LABEL, reduction="none"),
        f"Squeeze({CE})",
    ),
    "cross_entropy soft": (
        lambda: F.cross_entropy(drawn(3, 5), fixed(3, 5), soft_label=True, reduction="none"),
        CE,
    ),
    "cross_entropy weight": (
        lambda: F.cross_entropy(drawn(3, 5), LABEL, fixed(5)),
        f"Divide(Sum({WEIGHTED}),None)",
    ),
    "cross_entropy weight none": (
        lambda: F.cross_entropy(drawn(3, 5), LABEL, fixed(5), reduction="none"),
        f"Squeeze({WEIGHTED})",
    ),
    "cross_entropy ignored": (
        lambda: F.cross_entropy(drawn(3, 5), LABEL, ignore_index=1),
        f"Divide(Sum({CE}),None)",
    ),
    "cross_entropy smoothed": (
        lambda: F.cross_entropy(drawn(3, 5), LABEL, label_smoothing=0.1),
        f"MeanAll({CE})",
    ),
    "softmax_with_cross_entropy": (
        lambda: F.softmax_with_cross_entropy(drawn(3, 5), LABEL.unsqueeze(1)),
        CE,
    ),
    "nll_loss": (lambda: F.nll_loss(drawn(3, 5), LABEL), "NllLoss(leaf)"),
    "nll_loss sequence": (
        lambda: F.nll_loss(drawn(2, 3, 2), IDS, reduction="none"),
        "Reshape(NllLoss(Reshape(leaf)))",
    ),
    "mse_loss": (lambda: F.mse_loss(drawn(3), drawn(3)), "Mean(Square(Subtract(leaf,leaf)))"),
    "square_error_cost": (
        lambda: F.square_error_cost(drawn(3), drawn(3)),
        "Square(Subtract(leaf,leaf))",
    ),
    "l1_loss": (lambda: F.l1_loss(drawn(3), drawn(3)), "MeanAll(Abs(Subtract(leaf,leaf)))"),
    "l1_loss sum": (lambda: F.l1_loss(drawn(3), drawn(3), "sum"), "Sum(Abs(Subtract(leaf,leaf)))"),
    "smooth_l1_loss": (lambda: F.smooth_l1_loss(drawn(3), drawn(3)), "Mean(HuberLoss(leaf,leaf))"),
    "smooth_l1_loss delta": (
        lambda: F.smooth_l1_loss(drawn(3), drawn(3), delta=0.7, is_huber=False),
        "Mean(DivScale(HuberLoss(leaf,leaf)))",
    ),
    "binary_cross_entropy": (
        lambda: F.binary_cross_entropy(F.sigmoid(drawn(3)), fixed(3)),
        "MeanAll(BceLoss(Sigmoid(leaf)))",
    ),
    "binary_cross_entropy weight": (
        lambda: F.binary_cross_entropy(F.sigmoid(drawn(3)), fixed(3), fixed(3)),
        "MeanAll(Multiply(BceLoss(Sigmoid(leaf)),None))",
    ),
    "binary_cross_entropy_with_logits": (
        lambda: F.binary_cross_entropy_with_logits(
            drawn(3), fixed(3), fixed(3), pos_weight=fixed(3)
        ),
        "MeanAll(Multiply(SigmoidCrossEntropyWithLogits(leaf),None))",
    ),
    "kl_div": (lambda: F.kl_div(drawn(3), fixed(3)), "Mean(KldivLoss(leaf))"),
    "kl_div batchmean": (
        lambda: F.kl_div(drawn(3), fixed(3), "batchmean"),
        "DivScale(Sum(KldivLoss(leaf)))",
    ),
    "label_smooth": (lambda: F.label_smooth(drawn(3, 4)), "LabelSmooth(leaf)"),
    "cosine_similarity": (
        lambda: F.cosine_similarity(drawn(3, 4), drawn(3, 4)),
        "Divide(Sum(Multiply(leaf,leaf)),Sqrt(Clip(Multiply("
        "Sum(Multiply(leaf,leaf)),Sum(Multiply(leaf,leaf))))))",
    ),
    "pairwise_distance": (
        lambda: F.pairwise_distance(drawn(3, 4), drawn(3, 4)),
        "PNorm(Add(Subtract(leaf,leaf),None))",
    ),
    "attention": (lambda: attend(), f"Transpose(Matmul(Softmax({SCORES}),Transpose(leaf)))"),
    "attention causal": (
        lambda: attend(is_causal=True),
        f"Transpose(Matmul(Softmax(Add({SCORES},None)),Transpose(leaf)))",
    ),
    "attention mask": (
        lambda: attend(attn_mask=paddle.ones([2, 4, 3, 3], "bool")),
        f"Transpose(Matmul(Softmax(Add({SCORES},None)),Transpose(leaf)))",
    ),
    "attention dropout": (
        lambda: attend(dropout_p=0.5),
        f"Transpose(Matmul(Dropout(Softmax({SCORES})),Transpose(leaf)))",
    ),
    "attention fewer heads": (
        lambda: F.scaled_dot_product_attention(
            drawn(2, 3, 4, 8), drawn(2, 5, 2, 8), drawn(2, 5, 2, 8)
        ),
        "Transpose(Matmul(Softmax(Matmul(Scale(Transpose(leaf)),"
        "Transpose(Flatten(Expand(Unsqueeze(leaf)))))),Transpose(Flatten(Expand(Unsqueeze(leaf))))))",
    ),
    "unfold": (lambda: F.unfold(drawn(2, 4, 8, 8), [3, 3], 1, 1), "Unfold(leaf)"),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_recorded_nodes_are_paddles(name):
    call, expected = GRAPHS[name]
    assert graph(call()) == expected
