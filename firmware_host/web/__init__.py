"""The web server: the page for browsers, its HTTP interface and its WebSocket, by default for this
machine only.
"""
