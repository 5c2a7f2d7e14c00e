"""What rows of several rooms share: rules that know neither a row nor a call.

What a row is written with: the kinds of its attributes (``attrs``) and the sample inputs of its
tests (``samples``). Which dtype: where tensors of two meet (``promotion``), a number that a dtype
cannot hold (``fitting``), in which one a kernel works (``precision``), which are refused
(``real_only``). The rest are helpers of kernels and of functions. A helper that only one room needs
stands in that room.
"""
