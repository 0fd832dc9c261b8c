"""Looking ahead in any game of ``games.rules.Rules``. Whoever calls it hands in time and dice."""
