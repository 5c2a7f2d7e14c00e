"""paddle.incubate: features that Paddle considers experimental."""

from jaxeager.geometric.segments import segment_max, segment_mean, segment_min, segment_sum
from jaxeager.incubate import (
    asp,
    autograd,
    autotune,
    distributed,
    framework,
    jit,
    nn,
    optimizer,
    tensor,
)
from jaxeager.incubate.framework import (
    get_rng_state,
    register_rng_state_as_index,
    set_rng_state,
)
from jaxeager.incubate.fused import (
    identity_loss,
    softmax_mask_fuse,
    softmax_mask_fuse_upper_triangle,
)
from jaxeager.incubate.graphs import graph_reindex, graph_sample_neighbors, graph_send_recv
from jaxeager.incubate.optimizer import LookAhead, ModelAverage

__all__ = [
    "LookAhead",
    "ModelAverage",
    "asp",
    "autograd",
    "distributed",
    "graph_reindex",
    "graph_sample_neighbors",
    "graph_send_recv",
    "identity_loss",
    "jit",
    "nn",
    "optimizer",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_sum",
    "softmax_mask_fuse",
    "softmax_mask_fuse_upper_triangle",
]
