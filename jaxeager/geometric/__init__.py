"""paddle.geometric: reductions over segments, messages along edges, neighbors of nodes."""

from jaxeager.geometric.messages import send_u_recv, send_ue_recv, send_uv
from jaxeager.geometric.reindex import reindex_graph, reindex_heter_graph
from jaxeager.geometric.sampling import sample_neighbors, weighted_sample_neighbors
from jaxeager.geometric.segments import segment_max, segment_mean, segment_min, segment_sum

__all__ = [
    "reindex_graph",
    "reindex_heter_graph",
    "sample_neighbors",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_sum",
    "send_u_recv",
    "send_ue_recv",
    "send_uv",
    "weighted_sample_neighbors",
]
