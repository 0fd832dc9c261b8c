"""What every game must keep, checked by playing it: ``tiltboard check-game NAME``, and tests.

Nothing here knows the game: it plays random games of every preset and compares what the rules say
with what the position, its turns and its views say. That the rules are the *game's* rules is not
checked; compare them with a second formulation for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from games.base import Game, GameType, IllegalMoveError, OptionError, Position, RulesError, Turn
from games.contract import describe
from games.rules import Dice
from games.search import LEVEL_ROWS, MOST_WORTH, WAITS, Evaluate

MOST_MOVES = 2000
"""A random game that is longer than this is given up, not wrong."""
NONSENSE = ("", "nowhere", "a1 b2", "\x00", "\ud800", "9" * 50)


class ConformanceError(RulesError):
    """Raised where a game breaks a promise of ``games.rules`` or ``games.base``; says which."""


def check_type(kind: GameType, dice: Dice, games: int = 3) -> Iterator[str]:
    """Check a game whole, ``games`` random games of each preset. Yields what has been checked.

    Raises ConformanceError at the first broken promise.
    """
    yield _check_description(kind)
    yield _check_options(kind)
    presets = [dict(preset.options) for preset in kind.presets] or [{}]
    for options in presets:
        game = kind.create(options)
        moves = sum(check_playing(game, dice) for _ in range(games))
        yield f"{games} random games, {moves} moves: {_shown(options)}"


def _check_description(kind: GameType) -> str:
    _hold(kind.name == kind.name.lower() and " " not in kind.name, "a name is lower case: {name}",
          name=kind.name)  # fmt: skip
    _hold(bool(kind.credit.title and kind.credit.designer), "the credit names title and designer")
    _hold(bool(kind.rules_summary), "the rules are told in words")
    names = [spec.name for spec in kind.option_specs]
    _hold(len(names) == len(set(names)), "no option is declared twice")
    return "name, credit and rules in words"


def _check_options(kind: GameType) -> str:
    _refuses(kind, {"no such option": 1})
    whole = dict(kind.create({}).options)
    declared = [spec.name for spec in kind.option_specs]
    _hold(list(whole) == declared, "a game has all declared options, in their order: {options}",
          options=whole)  # fmt: skip
    again = dict(kind.create(whole).options)
    _hold(again == whole, "options that a game gives start the same game: {options}", options=again)
    for spec in kind.option_specs:
        if spec.kind == "int" and spec.low is not None:
            _refuses(kind, {spec.name: spec.low - 1})
        if spec.kind == "int" and spec.high is not None:
            _refuses(kind, {spec.name: spec.high + 1})
        _refuses(kind, {spec.name: object()})
    for preset in kind.presets:
        chosen = kind.create(preset.options).options
        kept = {name: chosen[name] for name in preset.options}
        _hold(kept == dict(preset.options), "a preset's options are kept: {options}", options=kept)
    return f"{len(declared)} options, {len(kind.presets)} presets"


def _refuses(kind: GameType, options: Mapping[str, Any]) -> None:
    try:
        kind.create(options)
    except OptionError:
        return
    _hold(False, "options that do not fit raise OptionError: {options}", options=options)


def check_playing(game: Game, dice: Dice) -> int:
    """Play one random game and check every position of it; how many moves it had.

    Raises ConformanceError.
    """
    _hold(game.players == tuple(dict.fromkeys(game.players)), "no player is named twice")
    _hold(game.rules.players == len(game.players), "rules and game have the same players")
    position, evaluate = game.start(), _checked_evaluation(game)
    keys: dict[int, tuple[str, ...]] = {}
    for made in range(MOST_MOVES):
        _hold(position.state.turn == made, "a state's turn counts the moves made")
        _check_position(position)
        legal = position.legal()
        key = game.rules.key(position.state)
        _hold(isinstance(key, int) and key > 0, "a key is a positive number")
        _hold(keys.setdefault(key, legal) == legal, "the same key is the same position")
        if not legal:
            return made
        worth = 0 if evaluate is None else evaluate(position.state)
        whole = isinstance(worth, int) and abs(worth) < MOST_WORTH
        _hold(whole, "an evaluation is a whole number of hundredths: {worth}", worth=worth)
        move = game.completed(position, dice.choice(legal), dice)
        position = _check_move(position, move).position
    return MOST_MOVES


def _checked_evaluation(game: Game) -> Evaluate | None:
    """What computer players are told of the game."""
    for name, row in (game.levels or {}).items():
        fits = name in (*LEVEL_ROWS, WAITS) and len(row) == 10
        _hold(fits, "levels are rows of ten numbers, as games.search says: {name}", name=name)
    evaluate = game.evaluation(game.weights)
    two = len(game.teams or game.players) == 2
    _hold(evaluate is None or two, "an evaluation is for two players, or two teams")
    return evaluate


def _check_position(position: Position) -> None:
    game, rules, state = position.game, position.game.rules, position.state
    numbers, legal = list(rules.moves(state)), position.legal()
    result, awaiting = rules.result(state), position.awaiting
    _hold(len(set(numbers)) == len(numbers), "each legal move is there once")
    _hold(list(legal) == sorted(legal), "legal moves are sorted by code point")
    for number in numbers:
        name = rules.name(number)
        _hold(rules.number(name) == number, "{move}: from name to number and back", move=name)
    if rules.every_move:
        _hold(set(numbers) <= set(rules.every_move), "every legal move is in every_move")
    over = result is not None
    signs = (not legal, not awaiting, position.to_move is None, position.outcome is not None)
    _hold(set(signs) == {over}, "a game that is over has no moves, else it has")
    _hold(set(awaiting) <= {*game.players, "chance"}, "players or chance are awaited")
    if position.outcome is not None:
        winner = position.outcome.winner
        _hold(winner is None or game.players.index(winner) in (result or ()),
              "who decided the game is among the winners")  # fmt: skip
    _hold(set(position.cells) <= set(game.board) - set(game.blocked),
          "pieces stand on places of the board that are not blocked")  # fmt: skip
    _hold(set(position.reserve) <= set(game.players), "reserves are players'")
    wrong = {*NONSENSE, *game.board, *map(rules.name, rules.every_move)} - set(legal)
    for move in wrong:
        for make in (position.play, position.after):
            try:
                make(move)
            except IllegalMoveError:
                continue
            _hold(False, "{move} is not legal, yet it can be played", move=move)
    whole = describe(position)
    for player in game.players:
        seen = describe(position, player)
        _hold(seen.keys() == whole.keys(), "a view has the same parts as the position")
        _hold(seen["result"] == whole["result"], "the result is no secret")
        _hold(set(seen["legal"]) <= set(whole["legal"]), "a view's moves are the position's")


def _check_move(before: Position, move: str) -> Turn:
    rules, state = before.game.rules, before.state
    number = rules.number(move)
    _hold(number is not None, "{move} is legal and has a number", move=move)
    applied = rules.apply(state, number or 0)
    _hold(before.game.start().state == rules.start(), "starting twice starts alike")
    try:
        turn = before.play(move)
    except IllegalMoveError as error:
        raise ConformanceError(
            "{move} is legal, yet it is refused: {why}", move=move, why=error
        ) from error
    after = turn.position
    _hold(after.state == applied, "{move}: play is apply", move=move)
    _hold(before.after(move) == after, "{move}: after is play", move=move)
    _hold(
        rules.apply(state, number or 0) == applied, "{move}: apply left the state alone", move=move
    )
    _hold(
        rules.key(after.state) == rules.key(applied), "{move}: equal states, equal keys", move=move
    )
    _hold(rules.advance(state, (number or 0,)) == applied, "{move}: advance is apply", move=move)
    _hold(turn.move == move, "{move}: the turn names its move", move=move)
    makers = before.awaiting if rules.every_move else (*before.game.players, "chance", "table")
    _hold(turn.player in makers, "{move}: who played it was awaited", move=move)
    cells = dict(before.cells)
    if turn.act or turn.consequences:
        for shifts in (turn.act, turn.consequences):
            for shift in shifts:
                if shift.source is not None:
                    _hold(cells.pop(shift.source, None) == shift.piece,
                          "{move}: no {piece} stands on {place}",
                          move=move, piece=shift.piece, place=shift.source)  # fmt: skip
            for shift in shifts:
                if shift.target is not None:
                    _hold(shift.target not in cells, "{move}: {place} is taken",
                          move=move, place=shift.target)  # fmt: skip
                    cells[shift.target] = shift.piece
        _hold(
            cells == after.cells, "{move}: act and consequences lead to the next cells", move=move
        )
    return turn


def _hold(held: bool, promise: str, **params: object) -> None:
    if not held:
        raise ConformanceError(
            promise[:1].upper() + promise[1:] + ": this does not hold.", **params
        )


def _shown(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in options.items()) or "no options"
