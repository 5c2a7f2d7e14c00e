"""As much of PyYAML as real Paddle's tracer of API calls needs, which it imports undeclared."""


def safe_load(file):
    """Reads one key with a list of words."""
    lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return {lines[0].removesuffix(":"): [line.removeprefix("- ") for line in lines[1:]]}
