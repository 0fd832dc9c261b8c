"""What to say: the case that the board is, what is to be mended and why, and what is asked."""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import degrees, hypot, radians

from msgspec.structs import replace

from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.book import Finding, Landing, Pending, arriving, captured, ends
from tiltboard.firmware_host.referee.carries import Carry, carries, other_side
from tiltboard.firmware_host.referee.state import Guide, State
from tiltboard.firmware_host.referee.view import (
    View,
    carry_say,
    fix_view,
    landing_view,
    lifted_view,
    over_view,
    question_view,
    settle_view,
    setup_view,
    turn_view,
    unclear_say,
)
from tiltboard.firmware_host.table import play, troubles
from tiltboard.firmware_host.table.sight import UNKNOWN_PIECE, Stillness
from tiltboard.firmware_host.table.standing import (
    Asking,
    Choice,
    Phase,
    Question,
    Role,
    Shown,
    Sound,
    Standing,
)
from tiltboard.games.base import Game, Turn

DONE = "done"
SIDES = {
    "left": text("left"),
    "right": text("right"),
    "top": text("top"),
    "bottom": text("bottom"),
}


def _asking_which(
    view: View, ask: Message, game: Game, found: Sequence[Pending], *, offer: bool
) -> View:
    """``view`` with the question which of ``found`` it was. In games where the side counts it
    names the move, and its light is the edge of the board where the piece's line begins; else the
    place where the piece lands does.
    """
    sides = [each.turn.entrance.side for each in found if each.turn.entrance is not None]
    apart = len(set(sides)) == len(sides)
    choices, meant = [], {}
    for each in found:
        turn, entrance = each.turn, each.turn.entrance
        if entrance is None:
            shift = arriving(turn)
            place, piece = shift.target or "", play.piece(game.name, shift.piece)
            label = text("{piece} on {place}", piece=piece, place=place)
            choice = Choice(turn.move, label, places=(place,), path=turn.path or (place,))
        else:
            choice = Choice(
                entrance.side if apart else turn.move,
                text(
                    "{side}, {colour}, slot {slot}",
                    side=SIDES.get(entrance.side, Message(entrance.side)),
                    colour=play.player(entrance.colour),
                    slot=turn.move,
                ),
                (turn.move, entrance.colour) if apart else (),
                entrance.colour,
                entrance.cells[:1],
                turn.path,
                entrance.fall if apart else None,
            )
        choices.append(choice)
        meant[choice.value] = each
    return replace(view, question=Question(ask, tuple(choices), offer=offer), meant=meant)


def fix_say(
    state: State, steps: Sequence[Carry], captures: Sequence[Turn], blurred: Sequence[str]
) -> Message:
    """The first thing to do, and why. ``captures``: legal moves of which nothing but the capture
    was done.
    """
    line = state.play.line
    if blurred:
        return unclear_say(blurred[0], line.position.cells, state.cells)
    if captures and state.play.matched:
        lands, taken = arriving(captures[0]), next(iter(captured(captures[0]).values()))
        return text(
            "Now move the {piece} to {place}, or put the {captured} back.",
            piece=play.piece(line.game.name, lands.piece),
            place=lands.target,
            captured=play.piece(line.game.name, taken),
        )
    first = steps[0]
    say = carry_say(line.game, first)
    if state.may_be_undone:
        return text("{said} Or wait, and the move is taken back.", said=say)
    why = _why(state, first)
    if why is not None:
        say = text("{why} {what}", why=why, what=say)
    if not _may_be_upside_down(state, first):
        return say
    mover = play.player(line.position.to_move or "")
    return text("{said} If it is {player}'s own, turn it over.", said=say, player=mover)


_STAY = text("Pieces on the board stay where they are.")


def _why(state: State, first: Carry) -> Message | None:
    now, position, cause = state.play, state.play.line.position, state.seen.cause
    if now.guide is Guide.TAKEBACK:
        return text("The move is taken back.")
    if first.turn_over or first.piece == UNKNOWN_PIECE:
        return None
    if first.source is not None and first.source not in now.line.game.board:
        return text("That place does not belong to the board.")
    ends = (first.source, first.target)
    if cause is not None and (not cause.places or any(end in cause.places for end in ends)):
        return troubles.HAPPENED[cause.happening]
    if not now.matched:
        return text("The board is not as this game left it.")
    extra = first.source is not None and first.target is None and not first.parked
    if now.pending is not None:
        mover = play.player(now.pending.turn.player)
        return text("First finish {player}'s move.", player=mover) if extra else None
    if not extra:
        return _may_not_move(state, first) if now.book.movers else _STAY
    refusal = position.drop_refusal(first.piece, first.source or "")
    if refusal is not None:
        return troubles.refused(refusal)
    return text("Only one piece may be put down in a turn.")


def _may_not_move(state: State, first: Carry) -> Message | None:
    """Why a piece that was lifted, or carried elsewhere, had to stay or must not land there."""
    position = state.play.line.position
    mover, place = position.to_move or "", first.source or first.target or ""
    if first.source is None and first.piece == mover:
        return None
    in_hand = first.source is None and mover not in state.cells.values()  # must not land there
    refusal = position.drop_refusal(mover if in_hand else first.piece, place)
    return _STAY if refusal is None else troubles.refused(refusal)


def _may_be_upside_down(state: State, first: Carry) -> bool:
    """The mover may have dropped his own piece with the wrong side up."""
    play, position, place = state.play, state.play.line.position, first.source or ""
    game, mover = play.line.game, position.to_move
    return (
        play.pending is None
        and play.matched
        and play.guide is not Guide.TAKEBACK
        and first.target is None
        and mover is not None
        and mover in game.pieces
        and place in game.board
        and other_side(game, mover) == first.piece
        and position.drop_refusal(mover, place) is None
    )


# A ring of PTFE slips from 9 degrees on; a magnet's pull beside it is worth another one. Faster
# than at 12 a tile pushes others from their places (docs/physics.md).
LEAST_DEG, AIM_DEG, MOST_DEG = 10, 11, 12
_SLACK_RAD = radians(0.5)
RAISE = {
    "left": text("Raise the left side"),
    "right": text("Raise the right side"),
    "top": text("Raise the top side"),
    "bottom": text("Raise the bottom side"),
}
_STRAIGHT = 0.14  # of the tilt, across its way: 8 degrees; a tile may get caught on a peg beyond
_TURNS_RAD = radians(3.0)  # below, no tilt has a way of its own


def sliding(state: State) -> tuple[Turn, bool] | None:
    """The move of which a tile is on its way, or has come to the end (True) on a plate that is not
    level yet.
    """
    pending, sight = state.play.pending, state.seen.sight
    if not state.tilts or state.trouble is not None or sight.faults or pending is None:
        return None
    turn = pending.turn
    entrance, way = turn.entrance, turn.path
    if entrance is None or entrance.side not in RAISE or len(way) < 2:
        return None
    kind = turn.act[0].piece
    cells, stood = state.cells, state.play.line.position.cells
    changed = {
        place for place in cells.keys() | stood.keys() if cells.get(place) != stood.get(place)
    }
    there = changed == {way[-1]} and cells.get(way[-1]) == kind
    level = sight.stillness is Stillness.STILL
    seen = len(changed) == 1 and changed <= {*way} and kind in map(cells.get, changed)
    under_way = seen or (not changed and not level)
    return (turn, there) if under_way and not (there and level) else None


def leaning(state: State) -> State:
    """The view with what a slide asks for, if one is under way."""
    slide, view = sliding(state), state.view
    if slide is None or (view.question is not None and not view.question.offer):
        return state
    turn, there = slide
    entrance, sight, say = turn.entrance, state.seen.sight, view.say
    if entrance is None:
        return state
    columns, rows = entrance.fall
    raises = RAISE[entrance.side]
    piece = play.piece(state.play.line.game.name, turn.act[0].piece)
    if view.phase is not Phase.PAUSED:
        said = {"said": say, "raise": raises, "piece": piece}
        say = text("{said} {raise} until the {piece} slides, or do it by hand.", **said)
    elif sight.ready and there:
        say = text(
            "The {piece} is on {place}: level the plate, and secure it.",
            piece=piece,
            place=turn.path[-1],
        )
    elif sight.ready:
        x_rad, y_rad = sight.tilt_rad
        along, across = y_rad * columns - x_rad * rows, abs(y_rad * rows + x_rad * columns)
        say = _tilt_say(along, across, raises, piece)
    if view.phase is Phase.PAUSED:
        way = () if there else turn.path
        view = replace(view, path=way, path_colour=entrance.colour)
    aim = 0.0 if there else radians(AIM_DEG)  # how the plate is to be held now
    return replace(state, view=replace(view, say=say, lean_rad=(-rows * aim, columns * aim)))


def _tilt_say(along: float, across: float, raises: Message, piece: Message) -> Message:
    """What is to be done with a plate that leans so, in rad, along and across the piece's way."""
    lean = hypot(along, across)
    if lean > _TURNS_RAD and (along < 0 or across > _STRAIGHT * lean):
        return text("{raise} and no other.", **{"raise": raises})
    if along < radians(LEAST_DEG) - _SLACK_RAD:
        now = {"raise": raises, "now": round(degrees(along)), "least": LEAST_DEG}
        return text("{raise} further: {now} of {least} degrees.", **now)
    if along > radians(MOST_DEG) + _SLACK_RAD:
        return text("Not so steep: {most} degrees at most.", most=MOST_DEG)
    return text("Hold the plate so: the {piece} slides.", piece=piece)


_ASKED = {Role.PUT, Role.LIFT, Role.REMOVE, Role.WRONG}
_MENDING = (Phase.SETUP, Phase.SETTLE, Phase.FIX)


def offer_claims(state: State, view: View) -> View:
    """``view``, and what could be so without anybody having seen it."""
    for place in sorted(state.seen.sight.weak):
        if view.say in (troubles.unclear(place), troubles.unreadable(place)):
            weak = text(
                "The piece on {place} has a weak magnet. Put another one there.", place=place
            )
            return replace(view, say=weak)
    offer = None
    if view.question is None and state.play.free and view.phase in (Phase.TURN, Phase.FIX):
        offer = _perhaps_moved(state, view)
    if offer is None and view.question is None and view.phase in _MENDING:
        offer = _perhaps_done(state, view)
    if offer is None and view.question is None and view.phase is Phase.TURN and state.stands:
        offer = _pass(state, view)
    return offer or view


def _pass(state: State, view: View) -> View | None:
    """Offer the moves that change nothing on the board, which no board can show."""
    book = state.play.book
    if not book.passes:
        return None
    forced = not (book.drops or book.entries or book.movers)
    say = troubles.confirm("must-pass" if forced else "may-pass", view.say)
    choices = tuple(Choice(turn.move, text("Pass")) for turn in book.passes)
    ask = text("{player} may pass.", player=play.player(book.position.to_move or ""))
    meant = {turn.move: Pending.asked(book.position, turn) for turn in book.passes}
    return replace(view, say=say, question=Question(ask, choices, offer=True), meant=meant)


def _landings(found: Sequence[Pending], unread: Set[str]) -> list[str]:
    """The places that are not read on which pieces of these moves may stand."""
    targets = {p for each in found for places in ends(each.turn).values() for p in places}
    return sorted(targets & unread)


def _perhaps_moved(state: State, view: View) -> View | None:
    """Ask whether a move was made whose piece no sensor sees, and which: an offer, nothing shows
    it. Either it is known that nobody sees its places, or somebody says so (``Play.missed``).
    """
    play, missed = state.play, state.play.missed
    unread = state.hidden | missed
    found = play.book.unseen(state.cells, unread)
    if not found:
        return None
    touched = {place for each in found for place in each.touched}
    places, unseen = _landings(found, unread), sorted(touched & unread)
    where = ", ".join(places or unseen)
    again = tuple(each for each in found if each.turn == play.taken_back)
    if missed and again:  # it was taken back because its piece did not show any more
        found = again
        say = troubles.confirm("still-there", view.say, _landings(again, missed))
        ask = text("Is the piece still there?")
    elif missed:
        say = troubles.confirm("missed", view.say)
        ask = text("Where is the piece that the table does not see?")
    else:
        what = "put" if places else "moved"
        say = troubles.confirm(what, view.say, places or unseen)
        if len(places) != len(found):
            ask = text("The table cannot see {places}. Which move was it?", places=where)
        elif len(places) == 1:
            ask = text("The table cannot see {place}. Is the piece there?", place=where)
        else:
            ask = text("The table cannot see {places}. Is the piece on one of them?", places=where)
    view = replace(view, say=say, expected=True)
    return _asking_which(view, ask, play.line.game, found, offer=True)


def _perhaps_done(state: State, view: View) -> View | None:
    """All that is left to do is where nobody sees it; or the last of it has not been seen."""
    todo = state.todo
    seen = [place for place in todo if place not in state.hidden]
    if not todo or len(seen) > 1 or (seen and not state.seen.is_due(state.waits_until_s)):
        return None
    if seen:
        say, ask = troubles.confirm("perhaps-done", view.say), text("Is that done?")
    else:
        say = troubles.confirm("done", view.say, todo)
        ask = text("The table cannot see {places}. Is it done?", places=", ".join(todo))
    question = Question(ask, (Choice(DONE, text("done")),), offer=True)
    pending, line = state.play.pending, state.play.line
    stands = (line.position if pending is None else pending.turn.position).cells
    done = []
    for place in todo:
        wrong = {what for where, what in view.problems if where == place}
        # A piece that cannot be read stays, only better
        blurred = "blurred" in wrong and not any(what.startswith("stray") for what in wrong)
        done.append((place, stands.get(place) if blurred else view.piece_for.get(place)))
    return replace(view, say=say, question=question, meant={DONE: tuple(done)})


def judge(state: State) -> View:
    """How the game stands, by what the board shows."""
    play, seen = state.play, state.seen
    line, outcome = play.line, play.line.outcome
    if outcome is not None:
        return over_view(line.game, line.position, outcome, line.last)
    if play.pending is not None:
        return _carrying_out(state, play.pending)
    finding = play.book.still.hold(state.cells)
    if play.guide is not None:
        unread = seen.unsure if state.stands else seen.blurred
        if play.guide is Guide.SETUP:
            return setup_view(line.game, finding, unread)
        return _fix(state, finding, unread)
    if seen.blurred:
        return _fix(state, finding, seen.blurred)
    if state.stands:
        return _unless_unclear(state, _turn(state))
    if state.found:
        return _found(state, finding)
    held = play.book.in_hand(state.cells, state.hidden)  # as a legal move asks for
    if isinstance(held, Landing):
        return landing_view(line.game, held)
    return lifted_view(line.game, line.position, held) if held else _fix(state, finding)


def _carrying_out(state: State, pending: Pending) -> View:
    finding = pending.plan.hold(state.cells)
    if pending.requested and not finding.right:  # a tile was put where it enters, and is to fall
        entered = Pending.made(state.play.line.position, pending.turn).plan.hold(state.cells)
        finding = entered if entered.right else finding
    sight, blurred = state.seen.sight, state.seen.blurred
    if not finding.right or blurred:
        return _fix(state, finding, blurred)
    if not finding.done:
        view = settle_view(state.play.line.game, finding, pending.turn)
        return view if sliding(state) else _unless_unclear(state, view)
    doubtful = min(pending.touched & sight.unsure)
    masked = doubtful in sight.masked
    return View(Phase.SETTLE, troubles.NOT_READY if masked else troubles.unclear(doubtful))


def _found(state: State, finding: Finding) -> View:
    """Moves explain the board: which it was is asked, unless places of theirs are unclear."""
    line, found = state.play.line, state.found
    if not any(each.touched & state.seen.sight.unsure for each in found):
        piece = play.piece(line.game.name, found[0].turn.player)
        ask = text("From which side does the {piece} come?", piece=piece)
        places = {place for each in found for place in each.touched & state.hidden}
        if places:
            where = ", ".join(sorted(places))
            ask = text("The table cannot see {places}. Which move was it?", places=where)
        return _asking_which(View(Phase.TURN, ask), ask, line.game, found, offer=False)
    turn = _turn(state)
    lit = {place: role for place, role in turn.roles.items() if place not in finding.strays}
    return _unless_unclear(state, replace(turn, roles=lit))


def _turn(state: State) -> View:
    play = state.play
    return turn_view(play.line.game, play.book, play.line.last, state.hidden)


def _unless_unclear(state: State, view: View) -> View:
    """``view``, but asking to centre a piece where a place has been unclear for a moment."""
    expected = state.play.line.position.cells
    unclear = state.seen.unclear(expected.keys() | state.cells.keys())
    if not unclear:
        return view
    return replace(view, say=unclear_say(unclear[0], expected, state.cells))


def _fix(state: State, finding: Finding, blurred: Sequence[str] = ()) -> View:
    """Something is wrong. What was to be expected makes no sound."""
    play, game = state.play, state.play.line.game
    captures: Sequence[Turn] = ()
    if play.free and play.matched:
        finding = play.book.without_the_move(finding)
        captures = play.book.captures_first(finding)
    taking_back = play.guide is Guide.TAKEBACK
    steps = carries(game, finding, flips=not taking_back)
    view = fix_view(game, finding, steps, blurred, fix_say(state, steps, captures, blurred))
    expected = taking_back or not play.matched or state.may_be_undone or bool(captures)
    return replace(view, expected=expected)


def describe(state: State) -> State:
    """The step's view, with its question and its sounds."""
    before, asked, why = state.view, state.asking.question, state.why_paused
    if asked is not None and state.may_answer and before.phase is not Phase.PAUSED:
        state = replace(state, view=question_view(asked, before.phase, state.play.line.last))
    elif why is not None:
        asking = Asking() if state.asking.menu else state.asking.rested()
        state = leaning(replace(state, view=View(Phase.PAUSED, why), asking=asking))
    else:
        state = leaning(_asking(_sensors(state)))
        view, notice = state.view, state.notice
        if notice is not None and not state.seen.is_due(notice[1]):
            # Before what is said now: what is true is never hidden by what is past
            say = text("{notice} {said}", notice=notice[0], said=view.say)
            state = replace(state, view=replace(view, say=say))
    return _sounding(state, before)


def _sensors(state: State) -> State:
    """Sensors that have just failed are told."""
    sight, known = state.seen.sight, state.play.line.game.board
    fresh = sorted(p for p in sight.masked if p not in state.failed and p in known)
    state = replace(state, failed=state.failed.union(fresh).intersection(sight.masked))
    if not fresh:
        return state
    if len(fresh) > 1:
        say = text(
            "The sensors of {places} have failed. Their neighbours watch, or the table asks, and "
            "play goes on.",
            places=", ".join(fresh),
        )
        return state.noticed(say)
    first = fresh[0]
    told = {"what": troubles.unread(sight.masked[first], first), "place": first}
    if first in sight.blind:
        say = text("{what} The table asks about {place} now, and play goes on.", **told)
    else:
        say = text("{what} Its neighbours watch {place} now, and play goes on.", **told)
    return state.noticed(say)


def _asking(state: State) -> State:
    """The view of the board, with what it asks; over it the menu, while that is open."""
    view, last = judge(state), state.play.line.last
    todo = tuple(sorted(place for place, role in view.roles.items() if role in _ASKED))
    if todo != state.todo:
        state = replace(state, todo=todo, todo_s=state.seen.now_s)
    view, asking = offer_claims(state, view), state.asking
    changed = asking.menu and asking.board != state.seen.sight.cells
    if changed or (not asking.menu and view.question is None):
        asking = Asking()
    if not asking.menu and view.question is not None:
        asking = asking.ask(view.question, view.meant, state.seen.now_s)
    asked = asking.question
    if asked is not None:
        offer = asked.offer and not asking.menu
        view = replace(view, question=asked) if offer else question_view(asked, view.phase, last)
    return replace(state, asking=asking, view=view)


def _sounding(state: State, before: View) -> State:
    """Sounds of getting into a phase; a fix sounds again for each new thing wrong."""
    after = state.view
    if after.phase is Phase.PAUSED:
        paused = before.phase in (Phase.PAUSED, Phase.OVER)
        return state if paused or after.lean_rad else state.playing(state.play, Sound.PAUSED)
    sounds = []
    asked, asks = before.question, after.question
    if asks is not None and not asks.offer and (asked is None or asked.offer):
        sounds.append(Sound.ASK)
    if after.problems - state.problems and not after.expected:
        sounds.append(Sound.WRONG)
    return replace(state, problems=after.problems).playing(state.play, *sounds)


def standing(state: State) -> Standing:
    """How the game stands, for everybody outside the referee."""
    view, line = state.view, state.play.line
    return Standing(
        **{name: getattr(view, name) for name in Shown.__struct_fields__},
        game=line.game,
        game_id=line.game_id,
        position=line.position,
        moves=line.moves,
        last=line.last,
        to_move=None if line.outcome is not None else line.position.to_move,
        outcome=line.outcome,
        swap_legal=state.play.swap is not None,
        can_take_back=state.made or line.last is not None or line.agreed is not None,
        draw_offers=state.play.draw_offers,
        sounds=state.sounds,
        step=state.step,
        claims=tuple(state.claims.items()),
    )
