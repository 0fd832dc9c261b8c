import pytest
from click.testing import CliRunner

from tiltboard.games.gravity_trap.game import GRAVITY_TRAP


@pytest.fixture(scope="session")
def oracle(load_oracle):
    """The class of the second implementation of the rules, made from options."""
    return load_oracle("gravity_trap/gravity_trap_oracle.py")


@pytest.fixture(scope="session")
def trap():
    """A function that creates a game from options; ``tracks`` and ``opposite`` define its board."""

    def build(tracks=None, opposite=None, **options):
        if tracks is not None:
            options["board"] = {"tracks": tracks}
            if opposite is not None:
                options["board"]["opposite"] = {str(base): other for base, other in opposite}
        return GRAVITY_TRAP.create(options)

    return build


@pytest.fixture
def run():
    """A function that runs a command and returns exit status, stdout lines, and stderr."""

    def call(command, *arguments, lines=None):
        asked = None if lines is None else "".join(f"{line}\n" for line in lines)
        result = CliRunner().invoke(command, arguments, input=asked)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout.splitlines(), result.stderr

    return call


@pytest.fixture
def board_file(tmp_path):
    """A function that writes a board file with a given text."""

    def write(text):
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write
