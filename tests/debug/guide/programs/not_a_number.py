import paddle

x = paddle.to_tensor([1.0, 0.0, -1.0])
paddle.log(x)
