"""Bring-up and calibration: the checks and measurements that prepare a newly built table
for play.
"""
