"""The search's inner loops, compiled by numba where the extra ``[fast]`` is installed.

Nothing here is imported without it, and no game is known here: rules and tables come from
``games``, each game's kernels from ``engines/games`` or another package. A kernel gets tables as
arrays, and tests play both side by side.
"""
