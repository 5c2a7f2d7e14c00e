"""paddle.tensor.search: functions that search for elements."""

from jaxeager.ops.indexing.search import TopK as TopKRetType
from jaxeager.tensor.names import functions

_TABLE = """
    argmax argmin argsort argwhere assign bucketize index_sample index_select kthvalue
    masked_select mode msort nonzero searchsorted sort top_p_sampling topk where where_
""".split()

__all__ = [*_TABLE, "TopKRetType"]
globals().update(functions(_TABLE))
