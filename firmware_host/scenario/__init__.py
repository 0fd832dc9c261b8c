"""Scenarios: text files of steps and expectations, played by simulated hands or by a person."""
