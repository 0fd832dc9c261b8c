"""Tasks of lights, buttons and buzzer: somebody says what there is to see, hear and press."""

from __future__ import annotations

from msgspec.structs import replace

from drivers.frame import Frame
from firmware_host.commissioning import places
from firmware_host.commissioning.light_map import NO_LIGHT, find_order
from firmware_host.commissioning.progress import Progress
from firmware_host.commissioning.step import Answer, Choice, Light, Outcome
from firmware_host.commissioning.tasks import COLOURS, Ask, Task
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text

RELEASED_S = 0.3  # longer than contacts bounce
YES = Choice(Answer.YES, text("Yes"))
NO = Choice(Answer.NO, text("No"))
OF_COLOURS = {"red": Light.RED, "green": Light.GREEN, "blue": Light.BLUE}


class Question:
    """One question about lights or the buzzer. ``say``: it, in words."""

    def __init__(self, profile: Profile, task: Task) -> None:
        self._profile = profile
        self._task = task
        self._choices: tuple[Choice, ...] = (YES, NO)
        place = task.place or 0
        match task.ask:
            case Ask.PICTURE:
                self.say = text(
                    "Look at the board: column {first} is red, column {last} blue, and every light"
                    " between them green. Is it so?",
                    first=profile.places[0][0],
                    last=profile.places[profile.columns - 1][0],
                )
                self._lights = _picture(profile)
            case Ask.COLOUR:
                self.say = text("Which colour has the light on {place}?", place=profile.places[0])
                self._lights = {place: OF_COLOURS[task.name]}
                others = [name for name in COLOURS if name != task.name]
                self._choices = _named(task.name, NO_LIGHT, *others, "other")
            case Ask.LIGHT:
                self.say = text("One place is lit. Which one? (none: no light)")
                self._lights = {place: Light.TARGET}
                others = [name for i, name in enumerate(profile.places) if i != place]
                self._choices = _named(profile.places[place], NO_LIGHT, *others)
            case _:
                self.say = text("Do you hear the buzzer?")
                self._lights = {}

    def update(self, frame: Frame, progress: Progress) -> Outcome:
        """Nothing is read: somebody has to answer."""
        del frame, progress
        return Outcome(lights=self._lights, choices=self._choices)

    def answer(self, value: str, progress: Progress) -> Progress:
        """What is known by that answer."""
        task, profile = self._task, self._profile
        match task.ask:
            case Ask.PICTURE:
                return replace(progress, picture=value == Answer.YES)
            case Ask.COLOUR:
                return replace(progress, colours=progress.colours | {task.name: value})
            case Ask.LIGHT:
                lights = progress.lights | {profile.places[task.place or 0]: value}
                known = replace(progress, lights=lights)
                if len(lights) < len(places.row_ends(profile)):
                    return known
                order = find_order(profile, lights)
                if order is None or order == tuple(map(profile.light_of, range(profile.size))):
                    return known
                return replace(known, light_at=order, picture=None)  # to be looked at again
            case _:
                return replace(progress, buzzer=value == Answer.YES)


class Pressing:
    """A button is pressed and let go. ``say``: which."""

    def __init__(self, profile: Profile, task: Task) -> None:
        self._button = task.name
        self._seen: frozenset[str] = frozenset()
        self._released = round(RELEASED_S * profile.scans_per_s)
        self._count = 0
        self.say = text("Press the button {button} for a second, and let go.", button=task.name)

    def update(self, frame: Frame, progress: Progress) -> Outcome:
        """Done once every button is open again."""
        self._seen |= frame.pressed
        self._count = 0 if frame.pressed else self._count + 1
        if self._seen and self._count >= self._released:
            return Outcome(self._with(progress, tuple(sorted(self._seen))))
        return Outcome(choices=(Choice(Answer.NOTHING, text("It does nothing")),))

    def answer(self, value: str, progress: Progress) -> Progress:
        """It does nothing."""
        del value
        return self._with(progress, ())

    def _with(self, progress: Progress, closed: tuple[str, ...]) -> Progress:
        return replace(progress, buttons=progress.buttons | {self._button: closed})


def _named(*names: str) -> tuple[Choice, ...]:
    return tuple(Choice(name, Message(name)) for name in names)


def _picture(profile: Profile) -> dict[int, Light]:
    """Both ends of every row, and the direction of each, at a glance."""
    columns = profile.columns
    lights = dict.fromkeys(range(profile.size), Light.GREEN)
    lights |= dict.fromkeys(range(columns - 1, profile.size, columns), Light.BLUE)
    return lights | dict.fromkeys(range(0, profile.size, columns), Light.RED)
