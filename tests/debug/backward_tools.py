"""Tools of record.py: the verbose log where a guard or ``paddle.grad`` decides what is written."""


def guarded(level):
    """The backward of what a guard covers, at a level; everything else is silent."""

    def run(paddle, program, folder):
        with paddle.base.framework.backward_vlog_guard(level):
            made = program(paddle)
        made["loss"].backward()

    return run


def partial(level):
    """``paddle.grad`` of the loss, with respect to the leaves that a program names."""

    def run(paddle, program, folder):
        made = program(paddle)
        leaves = [each for each in made.values() if each.is_leaf and not each.stop_gradient]
        paddle.base.core.set_vlog_level(level)
        try:
            if leaves:
                paddle.grad(made["loss"], leaves[:1], allow_unused=True)
        finally:
            paddle.base.core.set_vlog_level(0)

    return run


TOOLS = {"vlog_guard3": guarded(3), "vlog_guard5": guarded(5), "vlog_grad5": partial(5)}
