"""What ran last when a program hangs or dies: the flight recorder, and a time limit for ops."""
