"""The referees: they follow a game by its rules, on a board (Referee) or at seats (SeatReferee)."""
