"""Lazy mode: kernel calls are recorded, and run together when a value is requested.

- ``pending``: the arrays that represent results without a computed value.
- ``recorder``: the calls of a thread, and the tree of earlier calls.
- ``kinds``: numbers that represent shape, dtype and device.
- ``segments``: calls that run together, as one executable or kernel by kernel.
- ``mode``: whether kernels are recorded, and the kernels that can be.
- ``report``: the lines that ended segments, and the cost of the segments.
"""
