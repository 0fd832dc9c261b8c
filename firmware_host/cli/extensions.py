"""Commands that other installed packages bring, such as those of the laboratory (``lab/``).

A package brings a command by an entry point that names a ``click.Command``: of the group
``tiltboard.commands`` for ``tiltboard NAME``, of ``tiltboard.benches`` for ``tiltboard bench
NAME``. One that cannot be loaded is named in one line, and the others work.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

import click

from firmware_host.cli.speech import misuse, problem
from firmware_host.messages import text
from firmware_host.messages.hints import nearest


class ExtendedGroup(click.Group):
    """Its own commands, and those of the entry points of ``extensions``; its own come first.

    Others' are imported when they are called or listed, never before.
    """

    extensions = ""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Its own, then others' by name."""
        own = self.own_commands()
        return [*own, *sorted(self._others().keys() - set(own))]

    def own_commands(self) -> list[str]:
        """In the order of their definition."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Its own, or another package's. Raises ClickException for one that cannot be loaded, and
        UsageError, with the nearest name, for one that does not exist.
        """
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        others = self._others()
        if cmd_name not in others:
            hint = nearest(cmd_name, self.list_commands(ctx))
            raise misuse(text("There is no command {name!r}; {hint}", name=cmd_name, hint=hint))
        return _loaded(others[cmd_name])

    def others(self) -> list[tuple[str, click.Command]]:
        """Others' commands that can be loaded; those that cannot are named on stderr."""
        found: list[tuple[str, click.Command]] = []
        own = self.own_commands()
        for name, point in sorted(self._others().items()):
            try:
                found += [] if name in own else [(name, _loaded(point))]
            except click.ClickException as error:
                click.echo(f"tiltboard: {error.format_message()}", err=True)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Own commands and others'."""
        own = [(name, self.commands[name]) for name in self.own_commands()]
        with formatter.section("Commands"):
            formatter.write_dl([(n, c.get_short_help_str(100)) for n, c in [*own, *self.others()]])

    def _others(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=self.extensions)}


def _loaded(point: EntryPoint) -> click.Command:
    try:
        command = point.load()
    except Exception as error:  # noqa: BLE001 - somebody else's code may raise anything
        why = " ".join(f"{type(error).__name__}: {error}".split())
    else:
        if isinstance(command, click.Command):
            return command
        why = f"{type(command).__name__} is no click.Command"
    raise problem(
        text(
            "The command {name} ({source}) cannot be used: {why}. Update or uninstall its package.",
            name=point.name,
            source=point.value,
            why=why.rstrip("."),
        )
    )
