import paddle
import paddle.nn.functional as F

scores = paddle.rand([2, 3])
mask = paddle.to_tensor([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
scores = paddle.where(mask > 0, paddle.full([2, 3], -float("inf")), scores)
weights = F.softmax(scores)  # BUG
print(weights.sum())
