"""What rows of several rooms share: pure helpers of kernels, and the sample inputs of the tests.

Nothing here makes a call or knows of one: that is the machinery beside it. A helper that only one
room needs stands in that room.
"""
