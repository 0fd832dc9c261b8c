"""Draws a sample of the project's English: python .ci/sample.py SEED.

The sample has 120 docstrings and comments of the code, and 60 sentences of the documents. Two
people judge each of them separately: plain, stilted, or impossible to understand without the code.
The goal is 114 plain texts and 57 plain sentences.
"""

from __future__ import annotations

import ast
import io
import random
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ("drivers", "firmware_host", "games", "hw_sim", "packages", "tiltboard/ground")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "packages/**/*.md")
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
MIN_WORDS = 4
"""Minimum number of words of a comment or sentence; shorter texts show little of the style."""


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield each comment with the number of its first line; comments on consecutive lines are one
    comment.
    """
    start, parts, above = 0, list[str](), (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        if parts and token.start != (above[0] + 1, above[1]):
            yield start, " ".join(["#", *parts])
            parts = []
        start = start if parts else token.start[0]
        parts.append(token.string.lstrip("# "))
        above = token.start
    if parts:
        yield start, " ".join(["#", *parts])


def said_in_code() -> Iterator[str]:
    """Yield each docstring and comment with its file and line."""
    for folder in CODE:
        for file in sorted((ROOT / folder).glob("**/*.py")):
            if "tests" in file.parts:
                continue
            text, name = file.read_text("utf-8"), file.relative_to(ROOT)
            for node in ast.walk(ast.parse(text)):
                alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                if alone and isinstance(node.value.value, str):
                    yield f"{name}:{node.lineno}: {' '.join(node.value.value.split())}"
            for line, comment in comments(text):
                if len(comment.split()) > MIN_WORDS:
                    yield f"{name}:{line}: {comment}"


def said_in_documents() -> Iterator[str]:
    """Yield each sentence in prose and tables, with the name of its document."""
    for file in sorted(path for each in DOCUMENTS for path in ROOT.glob(each)):
        prose = FENCE.sub("", file.read_text("utf-8"))
        for block in re.split(r"\n\n|\n(?=[|#-]|\d+\. )|\|", prose):
            for sentence in re.split(r"(?<=[.?!]) ", " ".join(block.split())):
                if len(sentence.split()) > MIN_WORDS and sentence[:1] not in "#!":
                    yield f"{file.relative_to(ROOT)}: {sentence}"


if __name__ == "__main__":
    draw = random.Random(int(sys.argv[1]))
    print(*draw.sample(list(said_in_code()), 120), sep="\n")
    print(*draw.sample(list(said_in_documents()), 60), sep="\n")
