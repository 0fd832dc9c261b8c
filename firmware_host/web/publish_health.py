"""The account of a table's sensors, as the page reads it."""

from __future__ import annotations

from firmware_host.commissioning.findings import Health, health_map, worth_a_look
from firmware_host.commissioning.mounting import describe
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import Calibration
from firmware_host.web.publish import local_time
from firmware_host.web.table_port import HealthMap, PlaceHealth

NAMED = 8  # places that a sentence lists


def health_answer(profile: Profile, calibration: Calibration) -> HealthMap:
    """What ``calibration`` says about the table."""
    found = health_map(profile, calibration)
    made = calibration.made_s > 0
    places = []
    for one in found:
        places.append(
            PlaceHealth(
                place=one.place,
                reading_mt=round(one.reading_mt, 2),
                noise_mt=round(one.noise_mt, 4),
                margin_mt=round(one.margin_mt, 3),
                remedy=one.remedy,
            )
        )
    orientation = profile.imu is not None and made
    return HealthMap(
        made=local_time(calibration.made_s) if made else None,
        summary=_summary(found, worth_a_look(profile, calibration), made=made),
        mounting=describe(calibration.orientation) if orientation else None,
        places=places,
    )


def _summary(found: list[Health], poor_places: list[Message], *, made: bool) -> Message:
    if not made:
        return text("The table has not been calibrated.")
    if not found and poor_places:
        return poor_places[0]
    if not found:
        return text("Every place answers to both poles.")
    poor = sorted((one for one in found if one.poor), key=lambda one: one.margin_mt)
    if not poor:
        least = min(found, key=lambda one: one.margin_mt)
        return text(
            "Every place is sound. The smallest margin is {mt:.2f} mT, on {place}.",
            mt=least.margin_mt,
            place=least.place,
        )
    names = ", ".join(one.place for one in poor[:NAMED])
    if len(poor) > NAMED:
        return text("Worth a look: {places} and {more} more.", places=names, more=len(poor) - NAMED)
    return text("Worth a look: {places}.", places=names)
