"""Scenarios: text files of steps and expectations, which a simulation or a person carries out."""
