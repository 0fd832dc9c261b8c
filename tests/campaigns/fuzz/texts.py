"""Fuzzing of people's files and texts: scenarios, profiles, settings, boards, games, questions."""

from __future__ import annotations

from importlib import resources

import msgspec

from tests.campaigns.fuzz.target import FileTarget, JsonTarget, Target
from tiltboard.firmware_host.cli.pi_checks import drop_in
from tiltboard.firmware_host.cli.rules import load_board
from tiltboard.firmware_host.commissioning.progress import (
    FORMAT,
    Progress,
    SweepPart,
    read_progress,
)
from tiltboard.firmware_host.commissioning.results import findings
from tiltboard.firmware_host.commissioning.tasks import tasks
from tiltboard.firmware_host.config.files import read_board, read_text
from tiltboard.firmware_host.config.profile import load_profile, profile_names
from tiltboard.firmware_host.config.settings import load_settings
from tiltboard.firmware_host.journal.text_format import read_game, write_game
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.perception.calibration import read_calibration
from tiltboard.firmware_host.perception.perception import Perception
from tiltboard.firmware_host.web.pairing import TOKENS_NAME, Tokens
from tiltboard.games.base import Game
from tiltboard.games.contract import answer_line
from tiltboard.games.gravity_trap import board
from tiltboard.games.registry import GAMES

NOW_S = 1_770_000_000.0
PLIES = 12

SCENARIO = b"""# every kind of step
game momentum size=7
setup by-hand
put red d4 at 5 -3
take d4
move d4 e5
slide d4 e5
knock d4 e5
tilt 8 0 for 2s
press confirm 2s
answer swap
wait 1.5s
bump
kill
power-cut
fault i2c-nack 1 for 2s
fault sensor-swapped d4 e5
heal sensor-dead d4
expect phase turn
expect to-move red
expect result draw
expect cells d4=red e5=empty
expect light d5 put
expect lights legal a1 a2
expect say "red to move"
expect within 0.2s phase fix
"""
SETTINGS = b"""profile = "plate-10"
language = "en"
host = "0.0.0.0"
port = 8080
names = ["table.example"]
watching = "paired"
game = "momentum"

[options]
size = 7
pie = false
"""


class Scenarios(FileTarget):
    """The file that ``tiltboard scenario FILE`` parses."""

    def examples(self):
        """Return a scenario with all steps of the language, and each step alone."""
        return [SCENARIO, *SCENARIO.splitlines()]

    def read_file(self):
        """Parse the scenario."""
        from tiltboard.firmware_host.scenario.parse import parse_scenario

        parse_scenario("spoilt", read_text(self.path))
        return True


class Profiles(FileTarget):
    """The file that ``--profile FILE`` names."""

    suffix = ".toml"

    def examples(self):
        """Return the shipped profiles."""
        folder = resources.files("tiltboard.firmware_host.config") / "profiles"
        return [(folder / f"{name}.toml").read_bytes() for name in profile_names()]

    def read_file(self):
        """Load the profile; a profile that loads must be usable."""
        from tiltboard.firmware_host.config.settings import Settings

        profile = load_profile(str(self.path))
        indices = range(profile.size)
        if sorted(profile.light_of(i) for i in indices) != list(indices):
            raise RuntimeError("two places have one light")
        if len({profile.centre_mm(i) for i in indices}) != profile.size:
            raise RuntimeError("two places lie at one point")
        drop_in(profile, Settings())
        return bool(profile.kinds)


class SettingsFiles(FileTarget):
    """The file that ``--config FILE`` names."""

    suffix = ".toml"

    def examples(self):
        """Return a settings file with all keys."""
        return [SETTINGS, b'profile = "node"\n']

    def read_file(self):
        """Load the settings."""
        load_settings(self.path)
        return True


class Boards(FileTarget):
    """The file that ``tiltboard check FILE`` reads."""

    suffix = ".toml"

    def examples(self):
        """Return the shipped boards."""
        folder = resources.files(board.__package__) / "boards"
        return [(folder / f"{name}.toml").read_bytes() for name in board.SHIPPED]

    def read_file(self):
        """Check the board, and start a game on it."""
        load_board(self.path)
        GAMES["gravity-trap"].create(
            {"board": read_board(GAMES["gravity-trap"], "board", str(self.path))}
        ).start().legal()
        return True


class Calibrations(JsonTarget, FileTarget):
    """The calibration in the state folder."""

    suffix = ".json"

    def examples(self):
        """Return the calibrations of two tables, one of which is not the table under test."""
        profiles = [load_profile(name) for name in ("plate-7", "plate-10")]
        self.profile = profiles[0]
        return [msgspec.json.encode(Perception(profile).calibration) for profile in profiles]

    def read_file(self):
        """Read the calibration, and start perception with it."""
        calibration = read_calibration(self.path, self.profile)
        Perception(self.profile, calibration)
        return calibration is not None


class Imports(Target):
    """The game that ``tiltboard games import FILE`` and the page's import read."""

    def examples(self):
        """Return one played game of each kind."""
        from tiltboard.hw_sim.clock import VirtualClock
        from tiltboard.hw_sim.rng import Streams

        stream = Streams(1).stream("fuzz-import")
        written = []
        with Journal.open(self.folder / "games.sqlite", VirtualClock()) as journal:
            for kind in GAMES.values():
                game: Game = kind.create({})
                number = journal.start(game.name, game.options)
                position = game.start()
                for ply in range(PLIES):
                    move = stream.choice(sorted(position.legal()))
                    position = position.play(move).position
                    journal.append(number, ply + 1, move)
                written.append(write_game(journal.load(number)).encode())
        return written

    def read(self, data):
        """Read and replay the game."""
        read_game(data.decode("utf-8", "replace"))
        return True


class Questions(JsonTarget):
    """A question for ``tiltboard rules --batch``."""

    def examples(self):
        """Return questions about all games."""
        return [
            b'{"game": "momentum", "options": {"size": 5, "marbles": 5}, "moves": ["c3", "c4"]}',
            b'{"game": "gravity-trap", "options": {"board": "whirl"}, "moves": []}',
            *(b'{"game": "%s", "moves": []}' % name.encode() for name in GAMES),
        ]

    def read(self, data):
        """Answer the question."""
        return "error" not in answer_line(data.replace(b"\n", b" "), read_board=read_board)


class PairedDevices(JsonTarget, FileTarget):
    """The file ``paired.json`` in the state folder."""

    def __init__(self, folder):
        super().__init__(folder)
        self.path = folder / TOKENS_NAME

    def examples(self):
        """Return a file with two paired devices."""
        tokens = Tokens(self.folder, lambda: NOW_S)
        self.token = tokens.pair("phone")
        tokens.pair("tablet")
        return [self.path.read_bytes()]

    def read_file(self):
        """Read the paired devices; an unknown device must stay unknown."""
        tokens = Tokens(self.folder, lambda: NOW_S)
        if tokens.knows("0" * 64):
            raise RuntimeError("a stranger is let in")
        return bool(tokens.devices())


class Interrupted(JsonTarget, FileTarget):
    """The stored progress of an interrupted sweep (guided calibration)."""

    def examples(self):
        """Return the progress of a sweep that was interrupted in the middle."""
        self.profile = load_profile("plate-7")
        begun = Progress(
            FORMAT,
            self.profile.name,
            wanted=tuple(SweepPart),
            picture=False,
            buttons={"confirm": ("confirm",)},
            level=(0.0, 0.1, 9.8),
            offset_mt=(0.0,) * self.profile.size,
            noise_mt=(0.0,) * self.profile.size,
            inputs={0: 0, 1: 2},
            own_mt={0: -1.0, 1: -1.0},
            last=1,
        )
        return [msgspec.json.encode(begun)]

    def read_file(self):
        """Read the progress, and get the next tasks. A sweep with a damaged file starts again."""
        read = read_progress(self.path, self.profile)
        if read is not None:
            list(tasks(read, self.profile))
            list(findings(self.profile, read))
        return read is not None
