"""What is fuzzed: good examples, how they are spoilt, and who reads them."""

from contextlib import ExitStack

from tests.campaigns.fuzz.spoiling import spoilt, spoilt_json


class Target:
    """One reader, made with an empty ``folder``. ``held``: what is given back at the end."""

    def __init__(self, folder):
        self.folder = folder
        self.held = ExitStack()

    def examples(self):
        """Good input; asked for once."""
        raise NotImplementedError

    def inputs(self, examples):
        """A strategy of spoilt ones."""
        return spoilt(examples)

    def read(self, data):
        """Read ``data`` as the table would; the table's own errors may be raised, and no other.

        False: it was refused without an error.
        """
        raise NotImplementedError


class FileTarget(Target):
    """A reader of files: ``path`` holds what is to be read."""

    suffix = ".txt"

    def __init__(self, folder):
        super().__init__(folder)
        self.path = folder / f"spoilt{self.suffix}"

    def read(self, data):
        self.path.write_bytes(data)
        return self.read_file()


class JsonTarget(Target):
    """A reader of JSON: three of four inputs still are JSON."""

    def inputs(self, examples):
        return spoilt_json(examples)
