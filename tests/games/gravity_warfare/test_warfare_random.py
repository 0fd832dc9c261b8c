"""Tests of games/gravity_warfare/game.py, turn_phases.py, state.py and data.py: random games of
every mode: nothing is lost, nobody is stuck, nothing hidden is seen.
"""

import random
from collections import Counter

import pytest

from tiltboard.games.base import IllegalMoveError, OptionError
from tiltboard.games.contract import describe
from tiltboard.games.gravity_warfare import GRAVITY_WARFARE

GAMES = [
    {"mode": "battle", "players": 3, "rounds": 2},
    {"mode": "battle", "players": 6, "rounds": 1},
    {"mode": "battle", "players": 2, "teleport_event": True, "rounds": 2},
    {"mode": "battle", "players": 4, "cards": "paper", "rounds": 1},
    {"mode": "simple", "players": 5, "rounds": 2},
    {"mode": "simple", "players": 2, "cards": "paper", "rounds": 1},
    {"mode": "teams", "players": 6, "team_size": 3, "rounds": 1},
    {"mode": "1v1", "rounds": 2},
]
IDS = ["-".join(map(str, options.values())) for options in GAMES]


def positions(options, seed, most=600):
    rng = random.Random(seed)
    game = GRAVITY_WARFARE.create(options)
    position = game.start()
    for _ in range(most):
        yield position
        if position.over:
            return
        # a table where somebody has always something to say never gets on
        legal = [move for move in position.legal() if not move.startswith("table:")]
        hasty = [move for move in legal if ":pass" in move or ":ok" in move]
        move = rng.choice(hasty if hasty and rng.random() < 0.5 else legal)
        position = position.play(game.completed(position, move, rng)).position


def cards_of(state):
    """Every card, wherever it is."""
    found = Counter([*state.left, *state.right_pile, *state.discard, *state.used, *state.lying])
    found.update(state.drawn)
    for hand in state.hands:
        found.update(hand)
    for token in (*state.tokens, *(t for each in state.deferred.values() for t in each)):
        found.update([*token.holes, *([token.card] if token.card else [])])
    return found


def troops_of(state):
    found = Counter(state.aside)
    for troops in state.troops:
        found.update(troops)
    for towers in state.zones.values():
        found.update(piece.name for tower in towers for piece in tower)
    return found


@pytest.mark.parametrize("options", GAMES, ids=IDS)
def test_cards_troops_and_gems_are_neither_lost_nor_made(options):
    for seed in range(2):
        for position in positions(options, seed):
            state = position.state
            assert position.over or position.legal()
            if state.stage not in ("heroes", "deal") and "?" not in cards_of(state):
                assert cards_of(state) == state.options.pack()
            if state.stage not in ("heroes", "deal"):
                assert cards_of(state).total() == state.options.pack().total()
            assert all(0 <= gems <= 7 for gems in state.gems)
            assert sum(state.gems) <= 7
            assert min(state.points) >= 0
            legal = position.legal()
            assert list(legal) == sorted(set(legal))


@pytest.mark.parametrize("options", GAMES, ids=IDS)
def test_every_troop_is_somewhere(options):
    for position in positions(options, 7):
        state = position.state
        troops = troops_of(state)
        if state.stage in ("place", "dice") and state.held is not None:
            troops[state.held] += 1  # in the hand
        assert troops == Counter(f"{p}-{k}" for p in position.game.players for k in KINDS * 2)


KINDS = ("tank", "fighter", "ship")


@pytest.mark.parametrize("options", GAMES, ids=IDS)
def test_nothing_hidden_is_in_any_view(options):
    for position in positions(options, 3, most=300):
        whole = describe(position)
        for player in position.game.players:
            seen = describe(position, player)
            assert seen["hands"][player] == whole["hands"][player]
            assert all(move.startswith(f"{player}:") for move in seen["legal"])
            for other in set(position.game.players) - {player}:
                if options["mode"] != "simple":
                    assert set(seen["hands"][other]) <= {"?"}
                assert len(seen["hands"][other]) == len(whole["hands"][other])
                if other not in whole["used"] and other in seen["heroes"]:
                    hero = seen["heroes"][other]
                    assert hero == "?" or hero == whole["heroes"][other]
            if whole["drawn"] and player not in position.awaiting:
                assert seen["drawn"] == ["?", "?"]
            public = ("cells", "points", "gems", "piles", "turn", "troops", "awaiting", "phase")
            assert all(seen[key] == whole[key] for key in public)


@pytest.mark.parametrize("options", GAMES, ids=IDS)
def test_what_may_not_be_done_now_is_refused_in_a_sentence(options):
    rng = random.Random(5)
    tried = [
        "",
        ":",
        "red",
        "red:",
        "red:place",
        "red:place:ok",
        "red:event:ok:9",
        "chance:",
        "é:x",
    ]
    for position in positions(options, 11, most=250):
        allowed = set(position.legal())
        tried += rng.sample(sorted(allowed), min(3, len(allowed)))
        for move in rng.sample(tried, min(len(tried), 12)):
            words = move.split(":")
            words.insert(rng.randrange(len(words) + 1), rng.choice(["x", "red", "8", "fell=x"]))
            for bad in {move, ":".join(words)} - allowed:
                refusal = position.game.refusal(position, bad)
                if refusal is not None:
                    assert str(refusal).endswith(".")
                    with pytest.raises(IllegalMoveError):
                        position.play(bad)


REFUSED = [
    ("blue:play:limit-it", "Limit it! is not in blue's hand."),
    ("red:play:spin-it", "red plays the turn, and lays no challenges and no events."),
    ("blue:play:guardian", "Only the doer plays Guardian, or the doer's partner."),
    ("blue:play:copy-it", "There is nothing to copy."),
    ("blue:play:mount-it", "There is no piece on the platform."),
    ("red:place:ok:red-tank:1", "place has another time: a piece is placed. Now: cards are laid."),
    ("white:pass", "white:pass: a move begins with who makes it: red, blue, chance or table."),
    ("red:hero:b", "B is not red's hero."),
    ("red:withdraw:spin-it", "Spin it! does not lie on this turn."),
    ("table:see:1=red-tank", "What the table sees is written ZONE=TOWER/TOWER, each zone once"),
]


@pytest.mark.parametrize(("move", "why"), REFUSED)
def test_a_refusal_names_the_reason(move, why):
    deck = {
        "card": [
            {"name": name, "count": 2} for name in ("guardian", "spin-it", "copy-it", "mount-it")
        ]
        + [{"name": "hum", "count": 20}],
        "hero": [{"name": "a", "ability": "gem"}, {"name": "b", "ability": "save"}],
    }
    hands = ["spin-it", "hum", "hum", "hum", "hum", "copy-it", "mount-it", "hum", "hum", "hum"]
    rest = ["spin-it", "copy-it", "mount-it", *["hum"] * 13]
    shuffle = ":".join(["chance:shuffle", *hands, *rest])
    position = GRAVITY_WARFARE.create({"players": 2, "deck": deck}).start()
    for made in ("chance:heroes:a:b", shuffle, "chance:roll:tank:1"):
        position = position.play(made).position
    with pytest.raises(IllegalMoveError) as refused:
        position.play(move)
    assert str(refused.value).startswith(why)


DEFENCES = [{"name": "guardian", "count": 2}, {"name": "do-it-yourself", "count": 9}]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"mode": "teams", "players": 5}, "no even teams"),
        ({"mode": "teams", "players": 4, "team_size": 3}, "no even teams of 3"),
        ({"mode": "1v1", "players": 3}, "for 2 players"),
        ({"team_size": 2}, "mode=teams only"),
        ({"mode": "simple", "teleport_event": True}, "not for mode=simple"),
        ({"deck": {"card": []}}, "needs one for each player"),
        ({"deck": {"card": [{"name": "guardian", "count": 6}]}}, "too few cards"),
        ({"deck": {"card": [{"name": "a b"}]}}, "a name of one word"),
        ({"deck": {"card": [{"name": "x", "count": -1}]}}, "Card x: count must be a number from 0"),
        ({"deck": {"hero": [{"name": "x", "ability": "fly"}]}}, "no ability fly"),
        ({"rounds": 10}, "from 1 to 9"),
        ({"mode": "simple", "players": 2, "deck": {"card": DEFENCES}}, "nothing but defences"),
        ({"deck": {"face": [{"name": "moon", "zones": []}]}}, "universe or mothership, not moon"),
        ({"deck": {"face": [{"name": "universe", "zones": ["A"]}]}}, "eight zones"),
        ({"deck": {"face": [3]}}, "must be a list of tables"),
        ({"players": 7}, "from 2 to 6"),
        ({"face": "moon"}, "universe"),
    ],
)
def test_options_that_do_not_fit(options, why):
    with pytest.raises(OptionError, match=why):
        GRAVITY_WARFARE.create(options)


def test_a_card_of_unknown_name_is_a_challenge():
    deck = {
        "card": [{"name": "guardian", "count": 2}, {"name": "hum-a-song", "count": 20}],
        "hero": [{"name": "a", "ability": "gem"}, {"name": "b", "ability": "gem"}],
    }
    game = GRAVITY_WARFARE.create({"players": 2, "deck": deck})
    position = game.start()
    cards = ["hum-a-song"] * 20
    for move in ("chance:heroes:a:b", ":".join(["chance:shuffle", *cards]), "chance:roll:tank:1"):
        position = position.play(move).position
    assert "blue:play:hum-a-song" in position.legal()
    after = position.play("blue:play:hum-a-song").position
    assert describe(after)["turn"]["challenges"] == ["hum-a-song"]


@pytest.mark.parametrize("passes_first", [True, False])
def test_who_buys_a_card_after_a_success_may_lay_it(passes_first):
    """docs/rules.md: *after* awaits those who hold a card and may still lay one."""
    game = GRAVITY_WARFARE.create({"mode": "battle", "players": 3, "rounds": 1})
    for seed in range(200):
        position = next(
            (p for p in positions({**game.options}, seed) if p.state.stage == "place"), None
        )
        ok = [m for m in position.legal() if ":place:ok:" in m] if position else []
        if ok and not position.state.ever_laid and position.state.doer == position.state.owner:
            break
    state = position.state
    first, second = state.others
    state.hands[first], state.points[first] = (), 1
    state.hands[second] = ("limit-it",)
    state.left = ("give-it-back", "give-it-back", *state.left)
    position = position.play(ok[0]).position
    names = [game.players[each] for each in (first, second)]
    assert position.awaiting == (names[1],)
    with pytest.raises(IllegalMoveError):
        position.play(f"{names[0]}:pass")
    position = position.play(f"{names[0]}:buy:left").position
    position = position.play(f"{names[0]}:keep:1").position
    assert set(position.awaiting) == set(names)
    if passes_first:
        position = position.play(f"{names[1]}:pass").position
        assert position.awaiting == (names[0],)
        assert position.state.stage == "after"
    position = position.play(f"{names[0]}:play:give-it-back").position
    assert (position.state.stage, position.awaiting) == ("event", (names[0],))
