"""The page: what people see and do in a browser, served to this machine only."""
