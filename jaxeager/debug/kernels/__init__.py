"""The kernels that calls of a program needed: what was compiled and loaded, and why."""
