"""The running table: the thread of the scan loop, its pace, and what systemd is told."""
