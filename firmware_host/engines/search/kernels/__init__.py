"""The search's inner loops, compiled by numba where the extra ``[fast]`` is installed.

Nothing here is imported without it. Rules and tables come from ``games``: a kernel gets them as
arrays, and tests play both side by side.
"""
