"""The processes that share one memory on a server: who is alive, who holds what, and how they wake each other.

Names come in; out goes what stands in tables of the server alone, which a memory in a file neither has nor needs. What a process
holds it holds as long as it is said to be alive there, and what it writes once it is not is not kept.
"""
