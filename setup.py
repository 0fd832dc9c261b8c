"""What pyproject.toml cannot say: catalogues of languages are compiled as the package is built."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent / ".ci"))


class CompileLanguages(build_py):
    """Into the source tree, from where both a wheel and an editable installation take them."""

    def run(self) -> None:
        """Compile, then gather."""
        from catalogues import compile_all

        compile_all()
        super().run()


setup(cmdclass={"build_py": CompileLanguages})
