"""Tests of firmware_host/referee/guidance.py and firmware_host/host/sensing.py: several sensors
side by side are dead: somebody who plays on and answers truly is never told that another move
was made than his, and the game goes on.
"""

import math
from random import Random

import pytest

from tests.campaigns.soak.eyes import Eyes
from tests.unhurried import unhurried
from tiltboard.firmware_host.table.commands import Answer, NewGame
from tiltboard.firmware_host.table.status import Role
from tiltboard.hw_sim.session import SimSession

GAMES = {
    "momentum": {"size": 5, "marbles": 6, "pie": False},
    "attraktion": {"size": 5},
    "gravity-connect": {"size": 5, "line": 4},
    "gravity-trap": {"board": {"tracks": [[1, 2, 3, 4, 5], [6, 3, 7], [1, 7, 8, 6]]}},
}
WEAK = {"size": 5, "marbles": 4, "players": 4}  # the third and fourth player's magnets are weak
BLOCKS = {
    "an L": [(1, 1), (2, 1), (1, 2)],
    "four": [(1, 1), (2, 1), (1, 2), (2, 2)],
    "the corner": [(0, 0), (1, 0), (0, 1), (1, 1)],
}
OFF_MM = 4.0
PATIENCE_S = 9.0
DONE = "done"


class Player:
    """Plays by the rules alone, near the dead sensors where possible; looks at the lights only to
    answer what is asked.
    """

    def __init__(self, session, seed):
        self.session, self.random = session, Random(seed)
        self.eyes = Eyes(session)
        self.position = session.host.game.start()
        self.moves = ()
        self.answered = 0

    def wait(self, duration_s):
        self.session.run_until(self.session.clock.now() + duration_s)

    def carry_out(self, shifts):
        """One after the other, as there is room."""
        hands, index = self.session.hands, self.session.host.overlay.index_of
        left = list(shifts)
        while left:
            stands = self.eyes.pieces()
            piece, source, target = left.pop(
                next((i for i, (_, _, to) in enumerate(left) if to not in stands), 0)
            )
            if target in stands:  # all wait for each other: one waits in the hand
                left.append((piece, None, target))
                target = None
            radius, angle = OFF_MM * self.random.random(), math.tau * self.random.random()
            off = radius * math.cos(angle), radius * math.sin(angle)
            if source is None:
                action = hands.put(piece, index(target), off)
            elif target is None:
                action = hands.take(index(source))
            else:
                action = hands.move(index(source), index(target))
            self.session.run_until(action.end_s)
            self.wait(self.random.choice((0.0, 0.6)))

    def move(self, dead):
        """A whole move, with a look at the table or a restart in between."""
        turns = [self.position.play(move) for move in self.position.legal()]
        near = [turn for turn in turns if touched(turn) & dead]
        turn = self.random.choice(near if near and self.random.random() < 0.8 else turns)
        self.carry_out(ways(turn.act))
        if turn.consequences and self.random.random() < 0.5:
            self.wait(1.5)
            self.answer(turn)
        if self.random.random() < 0.1:
            self.session.kill()
            self.wait(1.5)
        self.carry_out(ways(turn.consequences))
        if self.random.random() < 0.1:
            self.session.power_cut()
        self.be_understood(turn)

    def be_understood(self, turn):
        """Wait until the table has it, and answer what it asks. Fails where it has another."""
        before, waited_s = self.moves, 0.0
        while True:
            status = self.session.host.status
            said = f"{self.moves} {turn.move}: {status.moves}, {status.say}"
            if status.moves != before:
                assert status.moves[:-1] == before, said
                assert status.position.cells == turn.position.cells, said
                assert status.position.to_move == turn.position.to_move, said
                if status.phase.value in ("turn", "over"):
                    break
            waited_s = 0.0 if self.answer(turn) else waited_s + 0.4
            assert waited_s < PATIENCE_S, said
            self.wait(0.4)
        self.moves, self.position = status.moves, status.position

    def answer(self, turn):
        """What is true; whether anything was asked of which it can be said."""
        status = self.session.host.status
        for choice in status.question.choices if status.question else ():
            names = {choice.value, *choice.also}
            side = None if turn.entrance is None else turn.entrance.side
            if (names & {turn.move, side} and status.moves == self.moves) or (
                choice.value == DONE and self.is_done(status)
            ):
                self.session.host.do(Answer(choice.value))
                self.answered += 1
                self.wait(0.6)
                return True
        return False

    def is_done(self, status):
        """All that is lit; another piece where one was to leave has come since."""
        stands, seen = self.eyes.pieces(), self.session.host.sight.cells
        for place, role in status.roles.items():
            if role is Role.PUT and stands.get(place) != status.piece_for.get(place):
                return False
            leaves = role in (Role.LIFT, Role.REMOVE, Role.WRONG)
            if leaves and place in stands and stands[place] == seen.get(place):
                return False
        return True


def ways(shifts):
    return [(shift.piece, shift.source, shift.target) for shift in shifts]


def touched(turn):
    return {place for s in (*turn.act, *turn.consequences) for place in (s.source, s.target)}


CASES = [
    ("plate-10", "momentum", "four", 2),
    ("plate-10", "weak", "an L", 4),
    ("plate-10", "attraktion", "four", 5),
    ("plate-10", "attraktion", "the corner", 6),
    ("plate-10", "gravity-connect", "four", 7),
    ("plate-10", "gravity-trap", "four", 8),
]


@pytest.mark.parametrize(("profile", "game", "block", "seed"), CASES)
def test_who_answers_truly_is_understood(tmp_path, profile, game, block, seed):
    with SimSession(unhurried(profile), tmp_path, seed=seed) as session:
        name, options = ("momentum", WEAK) if game == "weak" else (game, GAMES[game])
        session.host.do(NewGame(name, options))
        player = Player(session, seed)
        player.wait(3.0)
        board = session.host.game.board
        dead = {place for place, at in board.items() if at in BLOCKS[block]}
        if seed % 2:
            player.move(dead)  # known to be sound, and pieces may stand there
        for place in sorted(dead):
            index = session.host.overlay.index_of(place)
            session.faults.inject("sensor-dead", (session.profile.places[index],))
        # One input after the other is asked: up to 32 scans, and eight readings to be sure.
        player.wait(3.0)
        assert session.host.sight.unobservable == dead
        for _ in range(7):
            if player.position.outcome is None:
                player.move(dead)
        assert len(player.moves) >= 5
        assert player.answered >= 2
