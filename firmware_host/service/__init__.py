"""The running table: the thread of the scan loop, the publishing for pages, and messages to
systemd.
"""
