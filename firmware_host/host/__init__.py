"""The synchronous core of the host: each step carries one scan from the sensors to the lights."""
