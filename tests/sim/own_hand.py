"""A simulated table whose simulated player carries out all requests, in virtual time."""

from __future__ import annotations

from tiltboard.hw_sim.session.live import PageHands, at_once

PATIENCE_S = 20.0


class OwnHand:
    """A table after its first reading of the places."""

    def __init__(self, session):
        self.session = session
        self.hands = PageHands(session, at_once)
        session.run_until(session.clock.now() + 3)

    @property
    def host(self):
        return self.session.host

    @property
    def status(self):
        return self.host.status

    @property
    def said(self):
        return str(self.status.say)

    def tick(self):
        self.session.tick()
        self.hands.settle()

    def run(self, duration_s):
        end_s = self.session.clock.now() + duration_s
        while self.session.clock.now() < end_s:
            self.tick()

    def until(self, holds):
        """Run until a condition holds, and return the time that it took."""
        start_s = self.session.clock.now()
        while not holds():
            assert self.session.clock.now() < start_s + PATIENCE_S, str(self.host.shown.say)
            self.tick()
        return self.session.clock.now() - start_s

    def wait(self, answer):
        """Run until a request is done, and return the time that it took. Raises the request's
        error.
        """
        took_s = self.until(answer.done)
        answer.result()
        return took_s
