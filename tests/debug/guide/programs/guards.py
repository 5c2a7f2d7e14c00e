import sys

import paddle
from paddle.base.framework import backward_vlog_guard, vlog_guard

a, b = paddle.randn([2, 2]), paddle.randn([2, 2])
a.stop_gradient = b.stop_gradient = False


def say(text):
    sys.stderr.write(f"## {text}\n")
    sys.stderr.flush()


say("backward of one line")
total = a + b
with backward_vlog_guard(6):
    part = a - b
(total * part).backward(paddle.ones([2, 2]))
say("forward and backward of one line")
with vlog_guard(6), backward_vlog_guard(6):
    part = a - b
(part * 2).backward(paddle.ones([2, 2]))
say("levels")
paddle.base.core.set_vlog_level({"*": 3})
paddle.tanh(a)
paddle.base.core.set_vlog_level(0)
say("off")
paddle.exp(a)
