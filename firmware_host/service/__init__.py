"""The running table: the thread that scans the sensors, the snapshots for pages, and messages to
systemd.
"""
