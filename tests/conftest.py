"""What holds for every test."""

from hypothesis import HealthCheck, settings

# The same examples in every run, and none judged by the clock: a busy machine is no failure.
settings.register_profile(
    "tiltboard", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tiltboard")
