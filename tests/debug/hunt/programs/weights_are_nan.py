import paddle

net = paddle.nn.Linear(2, 1, bias_attr=False)
sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
machine = paddle.debug.time_machine(net, sgd, steps=4)


def train_step(x):
    (net(x) ** 2).sum().log().backward()  # BUG
    sgd.step()
    sgd.clear_grad()


for step in range(6):
    x = paddle.ones([1, 2]) * (step != 3)
    machine.before_step(x)
    train_step(x)

paddle.set_flags({"FLAGS_check_nan_inf": True})
machine.run(machine.bad_step(), train_step)
