import paddle

encoder, head = paddle.nn.Linear(4, 4), paddle.nn.Linear(4, 1)
with paddle.debug.capture_step() as step:
    hidden = encoder(paddle.ones([2, 4])).tanh()
    hidden = paddle.to_tensor(hidden.numpy().clip(-0.5, 0.5))  # BUG
    loss = head(hidden).mean()
    loss.backward()
print(paddle.debug.why(encoder.weight, loss, step))
