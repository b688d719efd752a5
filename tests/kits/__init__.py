"""Helpers for tests, a module a subject. The ones to begin with:

- one part of memory: `memory_kit`, with `ladder_kit`, `dream_kit` and `bank_kit` above it, `importing` for files;
- one part of an adapter: `adapter_kit`, with `discord_kit` and `discord_speech`, `matrix_kit` and `matrix_speech`;
- Lyra in this process, and a platform that the test controls: `thinking`;
- Lyra in this process on a real platform: `awake`, with `discord_home` and `discord_town` (people by name), `matrix_home`;
  `discord_knowing` and `matrix_knowing` switch guards off, `discord_quick` is for failures;
- Lyra as processes: `lyra_kit`, with `lyra_terminal` at a terminal, `discord_thread` and `matrix_thread` for platforms beside it,
  `killing` and `many_lives` for kills;
- the memory page: `browsing`; PostgreSQL: `postgres`; the sets of questions: `asked`, `life`, `languages`, `standing`, `two_years`;
  tables of cases: `tabled`;
- the catalogues of translations: `catalogue`; how much of a slow proof runs: `size`.

A module called `…_fixtures` is taken with `pytest_plugins`.
"""
