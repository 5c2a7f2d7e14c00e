import paddle

paddle.concat((paddle.ones([2, 3]), paddle.zeros([1, 3])), axis=0)
paddle.tanh(paddle.ones([4]))
