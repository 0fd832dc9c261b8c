"""Scenarios: text files of steps and expectations, run on the simulated table in virtual time."""
