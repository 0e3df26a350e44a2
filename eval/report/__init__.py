"""How a run is shown."""
