"""Checks that every game must pass, run by ``tiltboard check NAME`` and by tests.

The checks work for any game. They play random games of every preset and compare the rules with the
positions, turns and views. They cannot detect a mistake in the rules themselves. To find such a
mistake, compare the rules with a second implementation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tiltboard.games.base import Game, GameType, IllegalMoveError, OptionError, Position, RulesError
from tiltboard.games.contract import describe
from tiltboard.games.reasons import KINDS
from tiltboard.games.rules import Dice
from tiltboard.games.search import LEVEL_ROWS, MAX_WORTH, WAITS
from tiltboard.games.seated import SeatedGame

MAX_MOVES = 2000
"""Maximum number of moves in a random game. A longer game is stopped and does not count as a fault.
"""
NONSENSE = ("", "nowhere", "a1 b2", "\x00", "\ud800", "9" * 50)


class ConformanceError(RulesError):
    """Raised if a game breaks a requirement of ``tiltboard.games.rules`` or
    ``tiltboard.games.base``. The message states the requirement.
    """


def check_type(kind: GameType, dice: Dice, games: int = 3) -> Iterator[str]:
    """Check a whole game type with ``games`` random games of each preset. Yields a line of text for
    each completed check.

    Raises ConformanceError at the first broken requirement.
    """
    lower = kind.name == kind.name.lower() and " " not in kind.name
    _hold(lower, f"a name is lower case: {kind.name}")
    _hold(bool(kind.credit.title and kind.credit.designer), "the credit names title and designer")
    _hold(bool(kind.rules_summary), "the rules are told in words")
    _hold(set(kind.reasons) == set(KINDS), "reasons are of the kinds of tiltboard.games.reasons")
    yield "name, credit and rules in words"
    yield _check_options(kind)
    for options in [dict(preset.options) for preset in kind.presets] or [{}]:
        game = kind.create(options)
        moves = sum(check_playing(game, dice) for _ in range(games))
        shown = ", ".join(f"{key}={value}" for key, value in options.items()) or "no options"
        yield f"{games} random games, {moves} moves: {shown}"


def _check_options(kind: GameType) -> str:
    declared = [spec.name for spec in kind.option_specs]
    _hold(len(declared) == len(set(declared)), "no option is declared twice")
    whole = dict(kind.create({}).options)
    _hold(list(whole) == declared, f"a game has all declared options, in their order: {whole}")
    again = dict(kind.create(whole).options)
    _hold(again == whole, f"options that a game gives start the same game: {again}")
    wrong: list[dict[str, Any]] = [{"no such option": 1}]
    for spec in kind.option_specs:
        if spec.kind == "int" and spec.low is not None:
            wrong.append({spec.name: spec.low - 1})
        if spec.kind == "int" and spec.high is not None:
            wrong.append({spec.name: spec.high + 1})
        wrong.append({spec.name: object()})
    for options in wrong:
        try:
            kind.create(options)
        except OptionError:
            continue
        _hold(False, f"options that do not fit raise OptionError: {options}")
    for preset in kind.presets:
        chosen = kind.create(preset.options).options
        kept = {name: chosen[name] for name in preset.options}
        _hold(kept == dict(preset.options), f"a preset's options are kept: {kept}")
    return f"{len(declared)} options, {len(kind.presets)} presets"


def check_playing(game: Game, dice: Dice) -> int:
    """Play one random game, check every position, and return the number of moves.

    Raises ConformanceError at the first broken requirement.
    """
    _hold(game.players == tuple(dict.fromkeys(game.players)), "no player is named twice")
    _hold(game.rules.players == len(game.players), "rules and game have the same players")
    for name, row in (game.levels or {}).items():
        fits = name in (*LEVEL_ROWS, WAITS) and len(row) == 10
        _hold(fits, f"levels are rows of ten numbers, as tiltboard.games.search says: {name}")
    position, evaluate = game.start(), game.evaluation(game.weights)
    two = len(game.teams or game.players) == 2
    _hold(evaluate is None or two, "an evaluation is for two players, or two teams")
    keys: dict[int, tuple[str, ...]] = {}
    for made in range(MAX_MOVES):
        _hold(position.state.turn == made, "a state's turn counts the moves made")
        _check_position(position)
        legal = position.legal()
        key = game.rules.key(position.state)
        _hold(isinstance(key, int) and key > 0, "a key is a positive number")
        _hold(keys.setdefault(key, legal) == legal, "the same key is the same position")
        if not legal:
            return made
        worth = 0 if evaluate is None else evaluate(position.state)
        whole = isinstance(worth, int) and abs(worth) < MAX_WORTH
        _hold(whole, f"an evaluation is a whole number of hundredths: {worth}")
        move = game.completed(position, dice.choice(legal), dice)
        position = _checked_move(position, move)
    return MAX_MOVES


def _check_position(position: Position) -> None:
    game, rules, state = position.game, position.game.rules, position.state
    numbers, legal = list(rules.moves(state)), position.legal()
    result, awaiting, outcome = rules.result(state), position.awaiting, position.outcome
    _hold(len(set(numbers)) == len(numbers), "each legal move is there once")
    _hold(list(legal) == sorted(legal), "legal moves are sorted by code point")
    for number in numbers:
        name = rules.name(number)
        _hold(rules.number(name) == number, f"{name}: from name to number and back")
    if rules.every_move:
        _hold(set(numbers) <= set(rules.every_move), "every legal move is in every_move")
    signs = (not legal, not awaiting, position.to_move is None, outcome is not None)
    _hold(set(signs) == {result is not None}, "a game that is over has no moves, else it has")
    _hold(set(awaiting) <= {*game.players, "chance"}, "players or chance are awaited")
    if outcome is not None and outcome.winner is not None:
        won = game.players.index(outcome.winner) in (result or ())
        _hold(won, "who decided the game is among the winners")
    free = set(position.cells) <= set(game.board) - set(game.blocked)
    _hold(free, "pieces stand on places of the board that are not blocked")
    _hold(set(position.reserve) <= set(game.players), "reserves are players'")
    for move in {*NONSENSE, *game.board, *map(rules.name, rules.every_move)} - set(legal):
        for make in (position.play, position.after):
            try:
                make(move)
            except IllegalMoveError:
                continue
            _hold(False, f"{move} is not legal, yet it can be played")
    whole = describe(position)
    for player in game.players:
        seen = describe(position, player)
        _hold(seen.keys() == whole.keys(), "a view has the same parts as the position")
        _hold(seen["result"] == whole["result"], "the result is no secret")
        _hold(set(seen["legal"]) <= set(whole["legal"]), "a view's moves are the position's")


def _checked_move(before: Position, move: str) -> Position:
    """Return the position after a legal ``move``, after checking that every way to apply the move
    gives this position.
    """
    rules, state = before.game.rules, before.state
    number = rules.number(move)
    _hold(number is not None, f"{move} is legal and has a number")
    number = number or 0
    applied = rules.apply(state, number)
    _hold(before.game.start().state == rules.start(), "starting twice starts alike")
    try:
        turn = before.play(move)
    except IllegalMoveError as error:
        raise ConformanceError(
            "{move} is legal, yet it is refused: {why}", move=move, why=error
        ) from error
    after = turn.position
    _hold(after.state == applied, f"{move}: play is apply")
    _hold(before.after(move) == after, f"{move}: after is play")
    _hold(rules.apply(state, number) == applied, f"{move}: apply left the state alone")
    _hold(rules.key(after.state) == rules.key(applied), f"{move}: equal states, equal keys")
    _hold(rules.advance(state, (number,)) == applied, f"{move}: advance is apply")
    _hold(turn.move == move, f"{move}: the turn names its move")
    makers = before.awaiting if rules.every_move else (*before.game.players, "chance", "table")
    _hold(turn.player in makers, f"{move}: who played it was awaited")
    cells = dict(before.cells)
    for shifts in (turn.act, turn.consequences):
        for piece, source in ((shift.piece, shift.source) for shift in shifts):
            if source is not None:
                _hold(cells.pop(source, None) == piece, f"{move}: no {piece} stands on {source}")
        for piece, target in ((shift.piece, shift.target) for shift in shifts):
            if target is not None:
                _hold(target not in cells, f"{move}: {target} is taken")
                cells[target] = piece
    # In games where players report their own moves, a turn without shifts can still change the
    # board. Compare the board only if the turn has shifts.
    if turn.act or turn.consequences or not isinstance(before.game, SeatedGame):
        _hold(cells == after.cells, f"{move}: act and consequences lead to the next cells")
    return after


def _hold(held: bool, promise: str) -> None:
    if not held:
        said = promise[:1].upper() + promise[1:] + ": this does not hold."
        raise ConformanceError("{promise}", promise=said)
