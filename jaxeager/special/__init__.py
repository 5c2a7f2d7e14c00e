"""Special functions in a separate module: ``expm1``, ``logsumexp`` and ``softmax``."""

import jaxeager as paddle

__all__ = ["expm1", "logsumexp", "softmax"]

expm1 = paddle.expm1
logsumexp = paddle.logsumexp
softmax = paddle.softmax
