"""What to say: the case that the board is, what is asked, and the sounds of getting there."""

from __future__ import annotations

from msgspec.structs import replace

from firmware_host.guidance import troubles
from firmware_host.referee.judge import judged
from firmware_host.referee.offers import offered
from firmware_host.referee.sliding import leaning
from firmware_host.referee.state import State
from firmware_host.referee.view import View, question_view
from firmware_host.table.asking import Asking
from firmware_host.table.standing import Phase, Sound, Standing


def told(state: State) -> State:
    """The step's view, with its question and its sounds."""
    before, asked, why = state.view, state.asking.question, state.why_paused
    if asked is not None and state.may_answer and before.phase is not Phase.PAUSED:
        state = replace(state, view=question_view(asked, before.phase, state.play.line.last))
    elif why is not None:
        asking = Asking() if state.asking.menu else state.asking.rested()
        state = leaning(replace(state, view=View(Phase.PAUSED, why), asking=asking))
    else:
        state = _noticing(leaning(_asking(_sensors(state))))
    return _sounding(state, before)


def _sensors(state: State) -> State:
    """Sensors that have just failed are told."""
    sensors, news = state.sensors.told(state.seen.sight, state.play.line.game.board)
    return replace(state, sensors=sensors).noticed(news)


def _asking(state: State) -> State:
    """The view of the board, with what it asks; over it the menu, while that is open."""
    view, last = offered(state, judged(state)), state.play.line.last
    asking = state.asking.unless_changed(state.seen.sight.cells)
    if not asking.menu and view.question is None:
        asking = Asking()
    elif not asking.menu and view.question is not None:
        asking = asking.ask(view.question, view.meant, state.seen.now_s)
    asked = asking.question
    if asked is not None:
        offer = asked.offer and not asking.menu
        view = replace(view, question=asked) if offer else question_view(asked, view.phase, last)
    return replace(state, asking=asking, view=view)


def _noticing(state: State) -> State:
    """What is true now is never hidden by what is past."""
    view, notice = state.view, state.notice
    if notice is None or state.seen.is_due(notice[1]):
        return state
    return replace(state, view=replace(view, say=troubles.noticed(notice[0], view.say)))


def _sounding(state: State, before: View) -> State:
    """Sounds of getting into a phase; a fix sounds again for each new thing wrong."""
    after = state.view
    if after.phase is Phase.PAUSED:
        paused = before.phase in (Phase.PAUSED, Phase.OVER)
        return state if paused or after.lean_rad else state.playing(state.play, Sound.PAUSED)
    sounds = []
    if _must_be_answered(after) and not _must_be_answered(before):
        sounds.append(Sound.ASK)
    if after.problems - state.problems and not after.expected:
        sounds.append(Sound.WRONG)
    return replace(state, problems=after.problems).playing(state.play, *sounds)


def _must_be_answered(view: View) -> bool:
    return view.question is not None and not view.question.offer


def standing(state: State) -> Standing:
    """The whole account."""
    view, line = state.view, state.play.line
    return Standing(
        phase=view.phase,
        to_move=None if line.outcome is not None else line.position.to_move,
        game=line.game,
        game_id=line.game_id,
        position=line.position,
        moves=line.moves,
        roles=view.roles,
        piece_for=view.piece_for,
        shifts=view.shifts,
        say=view.say,
        outcome=line.outcome,
        swap_legal=state.play.swap is not None,
        can_take_back=state.made or line.last is not None or line.agreed is not None,
        draw_offers=state.play.draw_offers,
        question=view.question,
        tint=view.tint,
        path=view.path,
        path_colour=view.path_colour,
        lean_rad=view.lean_rad,
        sounds=state.sounds,
        step=state.step,
        claims=state.claims.untold,
    )
