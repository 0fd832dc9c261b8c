"""The ``tiltboard`` command. Each sub-command is a module that exports ``command``."""
