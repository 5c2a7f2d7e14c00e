import paddle

print(bool(paddle.isnan(paddle.empty([3])).all()))
