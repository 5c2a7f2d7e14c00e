"""What record.py writes of FLAGS_check_nan_inf: the [PRECISION] lines of forward and backward."""


def nan_inf(level):
    """Returns the tool of one level; the lines are on stdout."""

    def run(paddle, program, folder):
        paddle.set_flags({"FLAGS_check_nan_inf": True, "FLAGS_check_nan_inf_level": level})
        try:
            program(paddle)["loss"].backward()
        finally:
            paddle.set_flags({"FLAGS_check_nan_inf": False, "FLAGS_check_nan_inf_level": 0})

    return run


TOOLS = {f"nan_inf{level}": nan_inf(level) for level in range(4)}
