import paddle


class Table(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.rows = paddle.nn.Embedding(4, 3)

    def forward(self, ids):
        return self.rows(ids)


static = paddle.jit.to_static(
    Table(),
    full_graph=True,
    backend=None,
    input_spec=[paddle.static.InputSpec(shape=[None, 1], dtype="int64")],
)
print(static(paddle.zeros([2, 1], dtype="int64")).shape)
