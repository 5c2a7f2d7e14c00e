import paddle
import scales

assert float((paddle.to_tensor([1.0, 2.0]) * scales.factor).max()) < 5  # BUG
