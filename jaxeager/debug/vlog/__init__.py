"""The verbose log as Paddle writes it with GLOG_v.

vlog.py has levels, guards and lines; forward.py and backward.py write, with help from the others.
"""
