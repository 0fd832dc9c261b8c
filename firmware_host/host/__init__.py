"""The synchronous core: one step carries a scan from the sensors to the lights."""
