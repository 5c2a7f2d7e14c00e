import paddle


class Line(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = paddle.nn.Linear(20, 1)

    def forward(self, x):
        return self.inner(x)


spec = paddle.static.InputSpec([20], name="x", dtype="float32")
paddle.jit.save(Line(), "model/line", input_spec=[spec])
