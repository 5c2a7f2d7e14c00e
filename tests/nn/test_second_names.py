"""Layers expose their arguments under the names of Paddle's properties, too."""

import pytest

import jaxeager as paddle

nn = paddle.nn


@pytest.mark.parametrize(
    ("layer", "said"),
    [
        (nn.Embedding(3, 2, padding_idx=1), {"padding_idx": 1}),
        (nn.CosineSimilarity(0), {"dim": 0}),
        (nn.PairwiseDistance(3.0, 1e-4), {"norm": 3.0, "eps": 1e-4}),
        (nn.AdaptiveAvgPool2D(2), {"output_size": 2}),
        (nn.AdaptiveAvgPool3D(2), {"output_size": 2}),
        (nn.AdaptiveMaxPool2D(2, return_mask=True), {"return_indices": True}),
        (nn.GLU(1), {"dim": 1}),
        (nn.Hardshrink(0.3), {"lambd": 0.3}),
        (nn.Softshrink(0.3), {"lambd": 0.3}),
        (
            nn.Fold([3, 4], 2, dilations=1, paddings=0, strides=1),
            {"output_size": [3, 4], "kernel_size": 2, "dilation": 1, "padding": 0, "stride": 1},
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_second_names(layer, said):
    assert {name: getattr(layer, name) for name in said} == said
