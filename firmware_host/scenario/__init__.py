"""Scenarios: text files of steps and expectations, carried out by a simulation or by a person."""
