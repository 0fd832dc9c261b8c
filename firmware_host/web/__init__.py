"""The web server: the page for browsers, its HTTP interface and its WebSocket. By default only this
machine can reach them.
"""
