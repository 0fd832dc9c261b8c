"""The base classes of fuzzing targets: valid examples, damaged input, and the reader."""

from contextlib import ExitStack

from tests.campaigns.fuzz.spoiling import spoilt, spoilt_json


class Target:
    """A reader under test, with an empty ``folder``. ``held``: resources to close at the end."""

    def __init__(self, folder):
        self.folder = folder
        self.held = ExitStack()

    def examples(self):
        """Return valid input; called once."""
        raise NotImplementedError

    def inputs(self, examples):
        """Return a strategy of damaged input."""
        return spoilt(examples)

    def read(self, data):
        """Read ``data`` as the table does. Only the table's own errors can be raised.

        Returns False if the input was refused without an error.
        """
        raise NotImplementedError


class FileTarget(Target):
    """A reader of files; ``path`` is the file that it reads."""

    suffix = ".txt"

    def __init__(self, folder):
        super().__init__(folder)
        self.path = folder / f"spoilt{self.suffix}"

    def read(self, data):
        self.path.write_bytes(data)
        return self.read_file()


class JsonTarget(Target):
    """A reader of JSON. Three quarters of the inputs are still JSON."""

    def inputs(self, examples):
        return spoilt_json(examples)
