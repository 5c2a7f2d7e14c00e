import paddle

a = paddle.randn([2, 3], dtype="float32")
b = paddle.randn([2, 3], dtype="float64")
a.stop_gradient = b.stop_gradient = False
a + b
