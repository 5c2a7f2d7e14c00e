import paddle

batch = paddle.empty([4, 3])  # BUG
for row in range(3):
    batch[row] = paddle.full([3], float(row))
print(batch.mean())
