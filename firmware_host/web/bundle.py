"""The page's modules as one script: it opens with a few requests instead of one for each module.

Each module becomes a function that is called once, after those that it imports from, and returns
what it exports. Understood is what the modules here use: at a line's beginning ``import { a, b }
from "/static/other.js";`` and ``export`` before a function, a class or a const.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import \{([^}]*)\} from "/static/([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(modules: Mapping[str, str], first: str) -> str:
    """One module that does what ``first`` does with all that it imports. Raises ValueError where
    two need each other, one is missing or lacks a name, or something else is imported or exported.
    """
    exports: dict[str, list[str]] = {}
    parts: list[str] = []
    under_way: list[str] = []

    def add(name: str) -> None:
        if name in under_way or name not in modules:
            raise ValueError(f"{' -> '.join([*under_way, name])}: a circle, or no such module")
        under_way.append(name)
        text, heads = modules[name], []
        for names, other in _IMPORT.findall(text):
            if other not in exports:
                add(other)
            wanted = [each.strip() for each in names.split(",") if each.strip()]
            if missing := set(wanted) - set(exports[other]):
                raise ValueError(f"{name}: {other} does not export {', '.join(sorted(missing))}")
            heads.append(f"const {{ {', '.join(wanted)} }} = {_called(other)};\n")
        body = _EXPORT.sub(r"\1", _IMPORT.sub("", text))
        if unknown := _OTHER.search(body):
            raise ValueError(f"{name}: {unknown[0]}")
        exports[name] = [each for _, each in _EXPORT.findall(text)]
        own = f"// {name}\n{''.join(heads)}{body}"
        if name != first:
            given = f"return {{ {', '.join(exports[name])} }};\n"
            own = f"const {_called(name)} = (() => {{\n{own}{given}}})();\n"
        parts.append(own)
        under_way.pop()

    add(first)
    return "\n".join(parts)


def _called(module: str) -> str:
    return "$" + module.removesuffix(".js").replace("-", "_")
