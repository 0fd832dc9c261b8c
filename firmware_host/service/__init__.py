"""The running table: the thread of the scan loop, the snapshots for pages, and messages to
systemd.
"""
