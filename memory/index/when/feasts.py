"""Feasts, and the seasons of the northern hemisphere: their days in a year."""

from datetime import date

from memory.index.when.days import Range, Yearly, month_start, months, nth_weekday, on

_FIXED = {
    0: (2, 14, 1),  # Valentine's Day
    2: (7, 4, 1),  # Independence Day
    3: (10, 31, 1),  # Halloween
    5: (12, 24, 1),  # Christmas Eve
    6: (12, 24, 3),  # Christmas
    7: (12, 25, 1),  # Christmas Day
    8: (12, 26, 1),  # Boxing Day
    9: (12, 31, 1),  # New Year's Eve
    10: (1, 1, 1),  # New Year's Day
    16: (12, 6, 1),  # St Nicholas
    25: (11, 1, 1),  # All Saints
    26: (10, 3, 1),  # German Unity
    30: (3, 17, 1),  # St Patrick
    33: (12, 25, 2),  # both of them in German
}
_FROM_EASTER = {
    **{1: (-2, 4), 12: (-2, 1), 13: (0, 1), 14: (1, 1)},  # Easter from Good Friday on, and its single days
    **{17: (49, 2), 18: (49, 1), 19: (50, 1)},  # Whitsun and its single days
    **{20: (39, 1), 21: (60, 1), 22: (-48, 1), 23: (-46, 1), 24: (-3, 1)},
}
_NTH_WEEKDAYS = {4: (11, 3, 4, 0), 15: (11, 3, 4, 1), 27: (5, 6, 2, 0), 28: (5, 0, -1, 0), 29: (9, 0, 1, 0)}
"""Thanksgiving, Black Friday, Mother's Day, Memorial Day, Labor Day: the month (1 to 12), the weekday (0 is Monday), whether it is
the first, second or last (-1) of them, and how many days behind it the feast is."""
_NEW_YEAR = 11


def season(first_month: int) -> Yearly:
    """Return the three months of a season, by year; a winter belongs to the year in which it begins."""
    return lambda year: months(year * 12 + first_month - 1, 3)


def feast(number: int) -> Yearly:
    """Return the days of a feast, by year: Easter lasts from Good Friday to Monday, New Year includes the day before."""

    def days(year: int) -> Range | None:
        if not 1 <= year < 9999:
            return None
        if number in _FROM_EASTER:
            away, length = _FROM_EASTER[number]
            first = _easter(year).toordinal() + away
            return first, first + length
        if number in _NTH_WEEKDAYS:
            month, weekday, nth, behind = _NTH_WEEKDAYS[number]
            first = nth_weekday(months(year * 12 + month - 1), weekday, nth) + behind
            return first, first + 1
        if number == _NEW_YEAR:
            new_year = month_start(year * 12)
            return new_year - 1, new_year + 1
        month, day, length = _FIXED[number]
        first_day = on(year, month, day)
        return first_day and (first_day[0], first_day[0] + length)

    return days


def _easter(year: int) -> date:
    """Return the Gregorian Easter Sunday (Meeus, Jones and Butcher)."""
    century, of_century = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (of_century // 4) - epact - of_century % 4) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)
