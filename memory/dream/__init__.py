"""The dream: what Lyra does with a domain while nobody talks there."""
