"""Builds the data for pages from the state of the host: layout, snapshots, seats and the map of
sensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tiltboard.firmware_host.commissioning import mounting
from tiltboard.firmware_host.commissioning.findings import Health, health_map, worth_a_look
from tiltboard.firmware_host.commissioning.progress import PROGRESS_NAME, read_progress
from tiltboard.firmware_host.commissioning.results import findings
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.host.plate_group import PlateGroup
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.seats_group import SeatPublisher, SeatsShown
from tiltboard.firmware_host.service import snapshot as page
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.hands import HandsPort
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.snapshot_groups import GuidanceGroup, colour_hex
from tiltboard.games.base import Game, GameType
from tiltboard.games.registry import game_type


def shown_options(options: Mapping[str, Any], secret: tuple[str, ...]) -> dict[str, Any]:
    """Return the game options without the options that are secret until the game is over."""
    return {name: value for name, value in options.items() if name not in secret}


NAMED = 8  # Maximum number of places that a sentence lists by name.


def health_answer(host: Host) -> page.HealthMap:
    """Return the state of the sensors, based on the current calibration and the last sweep
    (calibration run).
    """
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
    """Builds layouts and snapshots for the page."""

    def __init__(self, host: Host, hands: HandsPort | None = None) -> None:
        """Create a publisher of the state of ``host``. ``hands``: the hands that move the pieces of
        a simulated table, or None for a real table.
        """
        self._host = host
        self._hands = hands
        self._layout: page.Layout | None = None
        self._layout_of: tuple[int, bool] | None = None
        self._seats = SeatPublisher()

    def layout(self) -> page.Layout:
        """Return the layout of the current game. The layout's number changes when a game starts or
        ends.
        """
        host, hands = self._host, self._hands
        game_id = host.status.game_id or 0
        # After the end of the game, all options are public.
        key = game_id, host.status.outcome is not None
        if self._layout is None or self._layout_of != key:
            profile, lights = host.profile, host.profile.lights
            self._layout_of = key
            self._layout = layout_of(
                profile,
                1 if self._layout is None else self._layout.number + 1,
                game_info(game_id, host.game, host.overlay, over=key[1]),
                hands=hands is not None,
                breakable=[] if hands is None else list(hands.breakable()),
                pegs=hands is not None and hands.pegs,
                engine_names=list(host.session.opponents.names),
                spins=profile.spins,
                light_mm=None if lights is None or lights.guide == "ring" else lights.offset_mm,
            )
        return self._layout

    def snapshot(self) -> page.Snapshot:
        """Return the state of the table after the last step. Each part of the host provides one
        group of the snapshot.
        """
        host = self._host
        status, playing, session = host.shown, host.playing, host.session
        names, faults, far = playing.names, host.sight.faults, playing.far
        players = session.opponents.far
        return page.Snapshot(
            layout=self.layout().number,
            time_s=round(host.look.observation.time_s, 3),
            game=session.game_group(status, host.output.sounds),
            guidance=GuidanceGroup.of(status, names, host.notices, faults),
            plate=PlateGroup.of(host.profile, host.look, host.output, host.modes, self._hands),
            players=session.players_group(status, names, playing.seats.holders),
            learning=session.learning_group(
                status, names, host.modes.happened, host.output.attract.scene
            ),
            seats=self._updated_seats().group,
            match=None if far is None else far.group(session.game_id, players),
        )

    def seats(self) -> SeatsShown:
        """Return the data that is sent to the devices in the seats of the game."""
        return self._updated_seats().shown

    def _updated_seats(self) -> SeatPublisher:
        playing, position = self._host.playing, self._host.status.position
        self._seats.update(self._host.session.seat_referee, playing.seats, position)
        return self._seats


def layout_of(profile: Profile, number: int, game: page.GameInfo, **more: Any) -> page.Layout:
    """Return the layout of a table and its game. ``number``: number of the layout. ``more``: values
    of further fields of Layout.
    """
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
    """Return the data about a game that the page shows, except the position.

    ``over``: True after the end of the game, when no information is secret.
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
        names={piece: phrases.piece(game.name, piece) for piece in game.pieces},
        looks={piece: look_info(kind, piece) for piece in game.pieces},
        slots=[
            page.SlotInfo(
                slot.name, slot.side, slot.colour, list(slot.cells), colour_hex(slot.colour)
            )
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
    """Return the text of a card as a message. Braces in the text are not placeholders of the
    message.
    """
    return Message("{name}", {"name": words}) if set("{}") & set(words) else Message(words)


def look_info(kind: GameType, piece: str) -> page.LookInfo:
    """Return the form and colour with which the page draws a piece."""
    look = kind.look_of(piece)
    return page.LookInfo(look.form, look.paint or look.colour or piece)


def local_time(at_s: float) -> str:
    """Return ``at_s``, in seconds since 1970 UTC, as local date and time, such as 2026-01-31
    18:05.
    """
    return datetime.fromtimestamp(at_s, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
