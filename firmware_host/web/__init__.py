"""The web server: the page for browsers, the HTTP interface and the WebSocket. By default, only
this machine can reach the server.
"""
