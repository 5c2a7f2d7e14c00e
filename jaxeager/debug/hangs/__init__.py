"""The last events of a program that hangs or dies: the flight recorder, and a limit for ops."""
