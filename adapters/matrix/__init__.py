"""Matrix: what is heard there, and what is said. Only this package knows matrix-nio."""
