"""paddle.tensor.search: functions that look for elements."""

from jaxeager.tensor.names import functions

__all__ = """
    argmax argmin argsort argwhere assign bucketize index_sample index_select kthvalue
    masked_select mode msort nonzero searchsorted sort top_p_sampling topk where where_
""".split()

globals().update(functions(__all__))
