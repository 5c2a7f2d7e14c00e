import paddle


class Schedule:
    def __init__(self):
        self.__dict__["factor"] = 1.0

    def __float__(self):
        return self.__dict__["factor"]


schedule = Schedule()


@paddle.jit.to_static(full_graph=True)
def scaled(x):
    return x * float(schedule)  # BUG


x = paddle.ones([2])
scaled(x)
schedule.__dict__["factor"] = 0.5
print(scaled(x))
