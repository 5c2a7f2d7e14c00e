import sys

import paddle

a, b = paddle.randn([2, 2]), paddle.randn([2, 2])
a.stop_gradient = b.stop_gradient = False
with paddle.base.framework.vlog_guard({"dygraph_functions": 4, "nodes": 5}):
    (a + b - a * b).backward(paddle.ones([2, 2]))
paddle.base.core.set_vlog_level({"dygraph_functions": 0, "nodes": 0, "*": 0})
sys.stderr.write("## off\n")
paddle.exp(a)
