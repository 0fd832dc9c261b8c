"""The referees, which apply a game's rules: Referee for games on a board, and SeatReferee for games
in which each player has a private hand (seat).
"""
