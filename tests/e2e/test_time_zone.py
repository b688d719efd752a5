"""A machine that moves to another time zone between two starts."""

from pathlib import Path

from tests.kits.lyra_kit import Home


def test_times_are_told_in_the_machines_zone_of_now_and_what_was_said_before_as_it_was(tmp_path: Path) -> None:
    home = Home(tmp_path, TZ="Europe/Vienna").begun()
    home.chat("the boat is blue")
    home.variables["TZ"] = "Asia/Tokyo"
    home.chat("the boat is red")
    assert [row["created_at"][-6:] for row in home.export() if row["role"] == "user"] in (
        ["+01:00", "+09:00"],
        ["+02:00", "+09:00"],
    )
    assert "Asia/Tokyo" in home.lyra("doctor").out


def test_a_configured_zone_stays_whatever_the_machine_says(tmp_path: Path) -> None:
    home = Home(tmp_path, 'time_zone = "Asia/Kolkata"\n', TZ="Europe/Vienna").begun()
    home.chat("the boat is blue")
    home.variables["TZ"] = "Asia/Tokyo"
    home.chat("the boat is red")
    assert {row["created_at"][-6:] for row in home.export()} == {"+05:30"}
