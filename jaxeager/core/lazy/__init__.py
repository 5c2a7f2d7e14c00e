"""Lazy mode: kernels are recorded when they are called, and run together when a value is asked for.

- ``pending``: the arrays that stand for results whose value is not computed yet.
- ``recorder``: what was called in a thread, and the tree of what was called before.
- ``kinds``: numbers that stand for shape, dtype and device.
- ``segments``: calls that run together, as one executable or kernel by kernel.
- ``mode``: whether kernels are recorded, and the kernels that can be.
- ``report``: which lines ended segments, and what the segments took.
"""
