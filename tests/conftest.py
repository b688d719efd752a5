"""What every test run says and needs."""

from tests.fakes.discord import spec

# They prove the loopback Discord against its description; without one, which under CI is refused, there is nothing to prove.
collect_ignore_glob = [] if spec.there() or spec.required() else ["contract/test_discord_server*.py"]


def pytest_report_header() -> list[str]:
    """Say so where Discord's requests are served unjudged."""
    return [] if spec.there() else [spec.ABSENT]
