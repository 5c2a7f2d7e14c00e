"""Where it happened: stacks of ops, nodes and writes, and the errors that tell of them."""
