"""The kernels that a program's calls needed: which were compiled or loaded, and why."""
