"""Commands that the laboratory adds to ``tiltboard``: ``match``, ``study`` and more measurements
under ``bench``.
"""
