"""The publisher: it derives the page's layout, snapshots, seats and health map from the host."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from msgspec import structs

from tiltboard.drivers.errors import PartError
from tiltboard.drivers.frame import Motion
from tiltboard.firmware_host.commissioning import mounting
from tiltboard.firmware_host.commissioning.account import findings
from tiltboard.firmware_host.commissioning.findings import Health, health_map, worth_a_look
from tiltboard.firmware_host.commissioning.progress import PROGRESS_NAME, read_progress
from tiltboard.firmware_host.config.players import OURS
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.seat_bots import Hinted
from tiltboard.firmware_host.service import snapshot as page
from tiltboard.firmware_host.service.qr import qr_svg
from tiltboard.firmware_host.table import play
from tiltboard.firmware_host.table.hands import HandsPort
from tiltboard.firmware_host.table.lights import tint
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.preview import reasons
from tiltboard.firmware_host.table.standing import Lean, Standing
from tiltboard.firmware_host.table.troubles import unread, without_buttons
from tiltboard.games.base import Game, GameType, Position
from tiltboard.games.contract import describe
from tiltboard.games.registry import game_type
from tiltboard.games.seated import SeatedGame

NOT_SENT = ("legal", "cells", "reserve", "result", "to_move")  # Sent elsewhere, or a seat's own.


class SeatPublisher:
    """Publishes the seats of a game, and the hands at them; values are computed again only after a
    change.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._made_of: tuple[object, ...] = ()
        self._room: page.RoomInfo | None = None
        self._seats = page.SeatsShown()

    def room(self) -> page.RoomInfo | None:
        """Return what everybody may see of a game of hands, or None for a board game."""
        self._look()
        return self._room

    def seats(self) -> page.SeatsShown:
        """Return what the devices that have seats may see."""
        self._look()
        return self._seats

    def _look(self) -> None:
        seats, position = self._host.playing.seats, self._host.standing.position
        room = self._host.session.seat_referee
        if room is None or position is None:
            self._made_of, self._room = (), None
            self._seats = page.SeatsShown(list(seats.players), dict(seats.holders), seats.codes)
            return
        game = room.game
        step, proposed = room.step_number, room.proposal
        hints = {player: hint for player, hint in room.hints.items() if hint.step == step}
        made_of = (position, step, room.counting, proposed, seats.changes, hints)
        if made_of == self._made_of:
            return
        self._made_of = made_of
        public = describe(position.public())
        self._room = page.RoomInfo(
            step=step,
            public={name: value for name, value in public.items() if name not in NOT_SENT},
            zones=public["cells"],
            may=public["legal"],
            seats=[
                page.SeatInfo(
                    each, each in seats.holders, seats.computers.get(each), each in seats.shut
                )
                for each in game.players
            ],
            counting=room.counting,
            proposal=None if proposed is None else proposed.move,
            failure=None if proposed is None else game.failure(position, proposed.move),
            seen=proposed is not None and proposed.seen,
            sure=proposed is not None and proposed.seen and proposed.sure,
        )
        self._seats = page.SeatsShown(
            list(seats.players),
            dict(seats.holders),
            seats.codes,
            {
                each: _covered(_view(position, each, step, None), public, game)
                if each in seats.shut
                else _view(position, each, step, hints.get(each))
                for each in game.players
            },
        )


def _covered(view: page.SeatView, public: Mapping[str, Any], game: SeatedGame) -> page.SeatView:
    """Return the view of a covered hand, with what everybody may know; passing and placing pieces
    stay possible, because they need no cards.
    """
    hand = public["hands"][view.player]
    legal = [move for move in view.legal if game.passes(move) or game.takes_back(move)]
    return page.SeatView(view.player, view.step, hand, [], None, legal, shut=True)


def _view(position: Position, player: str, step: int, hint: Hinted | None) -> page.SeatView:
    seen = describe(position, player)
    mine = player in seen["awaiting"] and seen["phase"] == "keep"
    return page.SeatView(
        player=player,
        step=step,
        hand=seen["hands"][player],
        drawn=seen["drawn"] if mine else [],
        hero=seen["heroes"].get(player),
        legal=seen["legal"],
        hint=hint,
    )


def shown_moves(position: Position | None, moves: tuple[str, ...]) -> list[str]:
    """Return a game's moves, without secret parts while it is not over."""
    if position is None or position.over:
        return list(moves)
    return [position.game.shown_move(move, "") for move in moves]


def shown_options(options: Mapping[str, Any], secret: tuple[str, ...]) -> dict[str, Any]:
    """Return the options without those that are secret while the game is not over."""
    return {name: value for name, value in options.items() if name not in secret}


NAMED = 8  # Most places that a sentence names.


def health_answer(host: Host) -> page.HealthMap:
    """Return the state of the sensors by the calibration in use and the last sweep."""
    profile, calibration = host.profile, host.sensing.perception.calibration
    found = health_map(profile, calibration)
    swept = read_progress(host.journal.path.parent / PROGRESS_NAME, profile)
    wiring = [] if swept is None else findings(profile, swept)
    made = calibration.made_s > 0
    orientation = profile.imu is not None and made
    return page.HealthMap(
        made=local_time(calibration.made_s) if made else None,
        summary=_summary(
            found, worth_a_look(profile, calibration), made=made, measures=profile.measures
        ),
        mounting=mounting.describe(calibration.orientation) if orientation else None,
        places=found,
        wiring=[
            text("{why} {say}", why=each.found, say=each.remedy)
            for each in wiring
            if each.remedy is not None
        ],
    )


def _summary(
    found: list[Health], poor_places: list[Message], *, made: bool, measures: bool
) -> Message:
    if not made:
        return text("The table has not been calibrated.")
    if not found:
        if measures:
            return text("Every sensor has its zero; none has been measured with a magnet.")
        return poor_places[0] if poor_places else text("Every place answers to both poles.")
    found = sorted(found, key=lambda one: one.margin_mt)
    poor = [one.place for one in found if one.poor]
    if not poor:
        return text(
            "Every place is sound. The smallest margin is {mt:.2f} mT, on {place}.",
            mt=found[0].margin_mt,
            place=found[0].place,
        )
    names = ", ".join(poor[:NAMED])
    if len(poor) > NAMED:
        return text("Worth a look: {places} and {more} more.", places=names, more=len(poor) - NAMED)
    return text("Worth a look: {places}.", places=names)


class Publisher:
    """Builds layouts and snapshots. ``bench``: the hands of a table whose pieces the page can
    move.
    """

    def __init__(self, host: Host, bench: HandsPort | None = None) -> None:
        self._host = host
        self._bench = bench
        self._layout: page.Layout | None = None
        self._layout_of: tuple[int, bool] | None = None
        self._seats = SeatPublisher(host)

    def layout(self) -> page.Layout:
        """Return the layout of the game that is played; its number changes with the game."""
        host, bench = self._host, self._bench
        game_id = host.standing.game_id or 0
        key = game_id, host.standing.outcome is not None  # Nothing is secret after the end.
        if self._layout is None or self._layout_of != key:
            profile, lights = host.profile, host.profile.lights
            self._layout_of = key
            self._layout = layout_of(
                profile,
                1 if self._layout is None else self._layout.number + 1,
                game_info(game_id, host.game, host.overlay, over=key[1]),
                hands=bench is not None,
                breakable=[] if bench is None else list(bench.breakable()),
                pegs=bench is not None and bench.pegs,
                engine_names=list(host.session.opponents.names),
                spins=profile.spins,
                light_mm=None if lights is None or lights.guide == "ring" else lights.offset_mm,
            )
        return self._layout

    def snapshot(self) -> page.Snapshot:
        """Return the state of the table after the last step."""
        host = self._host
        standing, observation, position = host.shown, host.look.observation, host.standing.position
        opponents, advice = host.session.opponents, host.session.opponents.advice
        free, bench, motion = host.upkeep.free, self._bench, host.look.frame.motion
        lesson = host.session.lesson
        names = self._names()
        standing = _with_names(standing, names)
        before = () if lesson is None else lesson.opening
        scene = host.showing.attract.scene
        return page.Snapshot(
            layout=self.layout().number,
            time_s=round(observation.time_s, 3),
            step=standing.step,
            phase=standing.phase.value,
            to_move=standing.to_move,
            cells=dict(host.sight.cells),
            position={} if position is None else dict(position.cells),
            reserve={} if position is None else dict(position.reserve),
            roles={place: role.value for place, role in standing.roles.items()},
            piece_for=dict(standing.piece_for),
            shifts=list(standing.shifts),
            say=standing.say,
            moves=shown_moves(position, (*before, *standing.moves)),
            result=None if standing.outcome is None else standing.outcome.as_json(),
            swap_legal=standing.swap_legal,
            can_take_back=standing.can_take_back,
            tilt_deg=_degrees(observation.tilt_rad),
            lean_deg=None if standing.lean_rad is None else _degrees(standing.lean_rad),
            stillness=observation.stillness.value,
            lights=self._lights(),
            dimmed=round(host.plate.dimmed, 3),
            pieces=[] if bench is None else list(bench.loose()),
            sounds=list(host.showing.sounds),
            faults=[
                *(page.FaultInfo(*each, Message("")) for each in host.notices.items()),
                *(_fault(fault) for fault in host.sight.faults),
            ],
            sensors=page.Sensors(
                field_mt=[round(value, 2) for value in observation.field_mt],
                confidence=[round(value, 2) for value in observation.confidence],
                magnets=[magnet.value for magnet in observation.magnets],
                unsure=sorted(observation.unsure),
                masked={
                    (place := host.overlay.places[index]): unread(why, place)
                    for index, why in observation.masked.items()
                },
                motion=None if motion is None else _motion(motion),
            ),
            question=_question(standing),
            tint={p: [_hex(name) for name in names] for p, names in standing.tint.items()},
            path=list(standing.path),
            draw_offers=list(standing.draw_offers),
            legal=_legal(standing),
            spin_deg=0
            if motion is None or not host.profile.spins
            else round(math.degrees(motion.spin_rad)),
            offsets={
                host.profile.places[index]: (
                    round(at.east_mm, 1),
                    round(at.north_mm, 1),
                    round(at.within_mm, 1),
                )
                for index, at in observation.positions.items()
            },
            path_colour=None if standing.path_colour is None else _hex(standing.path_colour),
            broken=[] if bench is None else list(bench.broken()),
            calibration=self._calibration(),
            engines=dict(opponents.seats),
            thinking=opponents.thinking,
            hinting=advice.hinting,
            quality={what: each.value for what, each in standing.quality.items()},
            assist={player: each.amount for player, each in advice.assist.items()},
            may_assist=opponents.may_assist(host.game),
            asks_if_sure=list(advice.asks_if_sure),
            doubting=advice.doubting,
            names=names,
            lesson=None if lesson is None else lesson.progress(host.standing),
            room=self._seats.room(),
            clock=self._clock(),
            match=self._match(),
            figures={} if position is None else dict(position.figures),
            attract=None if scene is None else dict(scene.cells),
            happened=[] if free is None else list(free.happened),
            told=[]
            if standing.last is None
            else [each.with_names(names) for each in reasons(standing.last)],
            ahead=advice.ahead(standing),
        )

    def seats(self) -> page.SeatsShown:
        """Return what is sent to the devices that have seats."""
        return self._seats.seats()

    def _names(self) -> dict[str, Message]:
        """Return player -> the name of the person, here or far away, or of the bot. Bots of one
        level keep their colours.
        """
        host, opponents = self._host, self._host.session.opponents
        far, levels = host.playing.far, [seat.level for seat in opponents.seats.values()]
        people = {
            player: name
            for player, name in host.playing.people.seated.items()
            if player in host.game.players and player not in opponents.everybody
        }
        if far is not None and far.plays(host.session.game_id):
            people |= far.names
        return {player: Message(name) for player, name in people.items()} | {
            player: play.BOTS[seat.level - 1].capitalised()
            for player, seat in opponents.seats.items()
            if seat.engine == OURS and levels.count(seat.level) == 1
        }

    def _match(self) -> page.MatchInfo | None:
        far = self._host.playing.far
        if far is None or not far.plays(self._host.session.game_id):
            return None
        players = [*self._host.session.opponents.far]
        picture = None if far.code is None else qr_svg(far.code)
        return page.MatchInfo(players, far.code, list(far.asked), far.connected, picture, far.names)

    def _clock(self) -> page.ClockInfo | None:
        clock = self._host.session.clock
        if clock.state is None:
            return None
        left_s = {player: math.ceil(left_s) for player, left_s in clock.state.left_s.items()}
        return page.ClockInfo(clock.state.minutes, clock.state.increment_s, left_s, clock.running)

    def _calibration(self) -> page.CalibrationInfo | None:
        upkeep = self._host.upkeep
        if upkeep.sweep is None:
            left = upkeep.left
            return None if left is None else page.CalibrationInfo(False, *left)
        step = upkeep.sweep.step
        place = None if step.task is None else step.task.place
        return page.CalibrationInfo(
            running=True,
            done=step.done,
            total=step.total,
            stage=step.stage,
            say=step.say,
            refused=step.refused,
            place=None if place is None else self._host.profile.places[place],
            choices=list(step.choices),
        )

    def _lights(self) -> str:
        """Return the strip's colours in hex, three bytes per place in place order; dark while the
        lights show a code, because pages must not reveal it.
        """
        shown = self._host.plate.shown
        if self._host.showing.shows_code:
            shown = bytes(len(shown))
        return b"".join(shown[3 * at : 3 * at + 3] for at in self._host.showing.light_at).hex()


def _motion(motion: Motion) -> page.MotionInfo:
    fx, fy, fz = (round(each, 2) for each in motion.specific_force_m_s2)
    rx, ry, rz = (round(each, 3) for each in motion.rate_rad_s)
    return page.MotionInfo((fx, fy, fz), (rx, ry, rz))


def _legal(standing: Standing) -> list[str]:
    position = standing.position
    if position is None or standing.to_move is None or isinstance(position.game, SeatedGame):
        return []
    return list(position.legal())


def _with_names(standing: Standing, names: Mapping[str, Message]) -> Standing:
    """Return ``standing`` with the players' names in its sentences."""
    question = standing.question
    if question is not None:
        question = replace(question, ask=question.ask.with_names(names))
    return structs.replace(standing, say=standing.say.with_names(names), question=question)


def _question(standing: Standing) -> page.QuestionInfo | None:
    question = standing.question
    if question is None:
        return None
    said = {"said": without_buttons(standing.say), "asked": question.ask}
    return page.QuestionInfo(
        ask=question.ask,
        choices=[
            page.ChoiceInfo(
                choice.value,
                choice.label,
                None if choice.colour is None else _hex(choice.colour),
                list(choice.places),
                list(choice.path),
            )
            for choice in question.choices
        ],
        at=question.at,
        offer=question.offer,
        say=text("{said} {asked}", **said) if question.offer else question.ask,
    )


def _fault(fault: PartError) -> page.FaultInfo:
    return page.FaultInfo(
        part=fault.part,
        problem=Message(fault.template, fault.params),
        remedy=Message(fault.remedy_template, fault.params),
    )


def layout_of(profile: Profile, number: int, game: page.GameInfo, **more: Any) -> page.Layout:
    """Return a table's layout with a game on it; ``more``: further fields of Layout."""
    return page.Layout(
        number=number,
        profile=profile.name,
        title=Message(profile.title),
        columns=profile.columns,
        rows=profile.rows,
        pitch_mm=profile.pitch_mm,
        plate_mm=profile.plate_mm,
        places=list(profile.places),
        game=game,
        **more,
    )


def game_info(game_id: int, game: Game, overlay: Overlay, *, over: bool) -> page.GameInfo:
    """Return what a page shows of a game apart from its position. ``over``: nothing is secret any
    more.
    """
    kind = game_type(game.name)
    credit = kind.credit
    year = "" if credit.year is None else f", {credit.year}"
    return page.GameInfo(
        id=game_id,
        name=game.name,
        title=credit.title,
        credit=f"{credit.designer}{year}",
        notice=Message(credit.notice),
        aim=Message(kind.aim),
        rules=[Message(rule) for rule in kind.rules_summary],
        options=shown_options(game.options, () if over else game.secret_options),
        players=list(game.players),
        teams=[list(team) for team in game.teams],
        pieces=list(game.pieces),
        board={
            place: page.BoardPlace(index, game.blocked.get(place))
            for place, index in overlay.index_of_game_place.items()
        },
        names={piece: play.piece(game.name, piece) for piece in game.pieces},
        looks={piece: look_info(kind, piece) for piece in game.pieces},
        slots=[
            page.SlotInfo(slot.name, slot.side, slot.colour, list(slot.cells), _hex(slot.colour))
            for slot in game.edge_slots
        ],
        drawing=game.drawing,
        lesson=kind.lesson is not None,
        glossary={
            key: (_words(title), _words(about)) for key, (title, about) in game.glossary.items()
        },
        figure=Message(kind.figure),
        labels=dict(game.labels),
        hexagonal=game.hexagonal,
    )


def _words(words: str) -> Message:
    """Return a deck's words as a message; braces in its own names are not fields."""
    return Message("{name}", {"name": words}) if set("{}") & set(words) else Message(words)


def look_info(kind: GameType, piece: str) -> page.LookInfo:
    """Return how the page draws a piece."""
    look = kind.look_of(piece)
    return page.LookInfo(look.form, look.paint or look.colour or piece)


def _degrees(tilt_rad: Lean) -> Lean:
    """Return a tilt in degrees, rounded to hundredths."""
    about_x, about_y = tilt_rad
    return round(math.degrees(about_x), 2), round(math.degrees(about_y), 2)


def _hex(colour: str) -> str:
    """Return a plain colour's name as ``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*tint(colour))


def local_time(at_s: float) -> str:
    """Return date and time in local time, such as 2026-01-31 18:05."""
    return datetime.fromtimestamp(at_s, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
