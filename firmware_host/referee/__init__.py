"""What has happened, by the rules: on a board (Referee), or in a game of seats (SeatReferee)."""
