"""Elements by their place: brackets of every form, gather and scatter, masks, search."""

from tests.fuzz.draw import from_templates

PARTS = """0 1 -1 : ... None 1: :2 ::2 ::-1 -2: 0:0 5: 2:1:-1 1::-1 True False [0,1] [1,0,1] [-1] [] [0]
""".split()
TENSORS = (
    "paddle.to_tensor(1)",
    "paddle.to_tensor([0, 1])",
    "paddle.to_tensor([[0], [1]])",
    "paddle.to_tensor([-1, 0, 1])",
    "paddle.to_tensor([True, False])",
    "paddle.to_tensor([True, False, True])",
    "np.array([1, 0])",
    "np.array([True, False])",
    "paddle.to_tensor([], dtype='int64')",
    "slice(None, None, 2)",
    "[True, False]",
    "[True, False, True]",
    "(0, 1)",
    "np.int64(1)",
    "paddle.to_tensor([1], dtype='int32')",
)
CALLS = """
paddle.gather({x 3/2,3/2,3,4}, {c 2/1/0/2,1/0d int below 2}, {0|-1|None|axis})
paddle.gather({x 2,3/2,3,4}, {c 2/1 int within 2}, {axis})
paddle.gather_nd({x 2,3/2,3,4}, {c 1/2/2,1/2,2/0,1 int below 2})
paddle.index_select({x 2,3/2,3,4/3}, {c 2/1/0 int below 2}, {axis})
paddle.index_sample({x 2,3}, {c 2,2/2,1 int below 3})
paddle.take_along_axis({x 2,3}, {c 2,2/2,3/1,3/2,1 int below 2}, {axis}, {bool})
paddle.put_along_axis({x 2,3}, {c 2,2/1,3/2,1 int below 2}, {x same|1.5}, {0|1|-1}, {'assign'|'add'|'multiply'|'mul'|'mean'|'amax'|'amin'}, include_self={bool})
{n 2,3}.put_along_axis_({c 2,3/1,3 int below 2}, {x same|2.0}, {0|1}, {'assign'|'add'|'multiply'|'amax'|'amin'|'mean'})
paddle.index_add({x 2,3}, {c 2 int below 2}, {0|-2}, {x 2,3})
paddle.index_add({x 2,3}, {c 2 int below 3}, {1|-1}, {x 2,2})
paddle.index_fill({x 2,3/2,3,4}, {c 2/1/0 int below 2}, {axis}, {1.5|0|-1})
{n 2,3}.index_fill_({c 2 int below 2}, {0|1}, 2.0)
paddle.index_put({x 2,3}, ({c 2 int below 2},), {x 3/2,3/1/0d}, {bool})
paddle.index_put({x 2,3}, ({c 2 int below 2}, {c 2 int within 2}), {x 2/1/0d}, {bool})
paddle.index_put({x 2,3}, ({c 2,3 bool},), {x 1/0d}, {bool})
{n 2,3}.index_put_(({c 2 int below 2},), {x 3/2,3}, {bool})
paddle.scatter({x 3,2}, {c 2/1/3/0 int below 3}, {x 2,2/3,2/1,2}, {bool})
{n 3,2}.scatter_({c 2 int64 below 3}, {x 2,2}, {bool})
paddle.scatter_nd({c 3,1/2,2 int below 3}, {x 3/2/3,2}, {[4]|[3, 2]|[3, 3]})
paddle.scatter_nd_add({x 3,2/4}, {c 2,1/3,2 int below 2}, {x 2,2/3/2})
paddle.masked_select({x * real}, {c same bool})
paddle.masked_select({x 2,3}, {c fit bool})
paddle.masked_fill({x * real}, {c fit bool}, {1.5|0|-2|True})
paddle.masked_fill({x 2,3}, {c fit bool}, {x 0d/1})
{n 2,3}.masked_fill_({c fit bool}, {1.5|0})
paddle.masked_scatter({x 2,3}, {c 2,3/1,3 bool}, {x 6/3,2/8/2})
paddle.take({x 2,3/3/2,3,4}, {c 2/2,2/0d/0 int within 3}, {'raise'|'wrap'|'clip'})
paddle.nonzero({c * any}, {bool})
paddle.argwhere({c * any})
paddle.searchsorted({c 4/2,4 real sorted}, {c 3/2,3 real}, {bool}, {bool})
paddle.bucketize({c * real}, {c 4 float sorted}, {bool}, {bool})
F.embedding({c 2,3/3/0d/0 int below 4}, {x 4,2}, {None|0|-1|3})
F.embedding({c 2,3 int64 within 4}, {x 4,2})
F.one_hot({c 2,3/3/0d/0 int below 4}, {4|5|2|-1})
paddle.scatter_add({x 3,2}, {0|1}, {c 3,2/2,2 int below 2}, {x same})
paddle.scatter_reduce({x 3,2}, {0|1}, {c 3,2 int64 below 2}, {x same}, {'sum'|'prod'|'mean'|'amax'|'amin'}, include_self={bool})
paddle.take_along_dim({x 2,3}, {c 2,3/2,1 int64 below 2}, {0|1|-1|None})
F.gather_tree({c 3,2,2 int64 below 4}, {c 3,2,2 int64 below 2})
F.sequence_mask({c 3/2,2 int64 below 5}, {None|4|6}, {'int64'|'float32'|'bool'})
"""
_from_calls = from_templates(CALLS)


def program(draw):
    """Adds a read or a write by brackets, or a call of a function that takes indices."""
    form = draw.random.random()
    if form < 0.45:
        return _from_calls(draw)
    dtype = draw.choice(("float", "float", "float", "any"))
    if form < 0.75:
        return draw.program(f"{{x * {dtype}}}[{_index(draw)}]")
    value = draw.choice(("0.5", "2", "{c 1}", "{x 0d}", "{x 3}", "{x 2,3}", "{x 4}", "True"))
    return draw.program(f"out = {{n * {dtype}}}; out[{_index(draw)}] = {value}")


program.templates = CALLS.strip().splitlines()


def _index(draw):
    pool = PARTS + list(TENSORS) if draw.random.random() < 0.5 else PARTS
    return ", ".join(draw.choice(pool) for _ in range(draw.choice((1, 1, 1, 2, 2, 3))))
