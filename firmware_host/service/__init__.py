"""The running table: the thread of the scan loop, its rate, and the messages to systemd."""
