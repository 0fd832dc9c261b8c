"""The base of all packages: the root of the error classes, the clock, rate limits, and the loading
of plug-ins.
"""
