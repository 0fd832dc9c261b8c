"""The games: their rules, and the knowledge about them that bots use. This package imports no other
package of tiltboard.
"""
