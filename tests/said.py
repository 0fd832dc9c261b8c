"""Sentences of the table that several tests compare with, spelt out only in this file."""

DONE = "If that is done, press confirm."


def put_a(piece: str, place: str) -> str:
    return f"Put a {piece} on {place}."


def put(piece: str, place: str) -> str:
    return f"Put the {piece} on {place}."


def take(piece: str, place: str) -> str:
    return f"Take the {piece} off {place}."


def move(piece: str, source: str, target: str) -> str:
    return f"Move the {piece} from {source} to {target}."


def turn_over(piece: str, place: str) -> str:
    return f"The {piece} on {place} lies upside down: turn it over."


def drops_on(player: str, place: str) -> str:
    return f"{player} drops on {place}."
