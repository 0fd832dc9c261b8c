"""The ``tiltboard`` command: one file per sub-command, each exporting ``command``."""
