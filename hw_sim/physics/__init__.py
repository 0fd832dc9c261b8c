"""The second world: rigid bodies on a plate that really tilts (MuJoCo, extra ``[physics]``)."""
