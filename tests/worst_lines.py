"""Lines on which a pattern has the most to try, made from the pattern itself."""

try:
    from re import _constants as constants
    from re import _parser as parser
except ImportError:  # Python before 3.11
    import sre_constants as constants
    import sre_parse as parser

REPEATS = tuple(
    getattr(constants, name) for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") if hasattr(constants, name)
)


def character_of(items):
    """A character of a class."""
    negated = items[0][0] is constants.NEGATE
    for character in "a1 x/.-_'Z\"(":
        if any(takes(item, character) for item in items) != negated:
            return character
    return "a" if negated else chr(items[0][1] if items[0][0] is constants.LITERAL else items[0][1][0])


def takes(item, character):
    kind, value = item
    if kind is constants.LITERAL:
        return ord(character) == value
    if kind is constants.RANGE:
        return value[0] <= ord(character) <= value[1]
    if kind is constants.CATEGORY:
        name = str(value)
        is_one = {"DIGIT": character.isdigit(), "SPACE": character.isspace()}.get(
            name.rpartition("_")[2], character.isalnum() or character == "_"
        )
        return is_one != ("NOT" in name)
    return False


def sample(parsed, pumped, count):
    """A text that a pattern matches, in which the repeat with one number is as long as it may be."""
    out = ""
    for kind, value in parsed:
        if kind is constants.LITERAL:
            out += chr(value)
        elif kind is constants.NOT_LITERAL:
            out += "y" if value == ord("x") else "x"
        elif kind is constants.ANY:
            out += "x"
        elif kind is constants.IN:
            out += character_of(value)
        elif kind in REPEATS:
            count[0] += 1
            most = min(4000, 4000 if value[1] is constants.MAXREPEAT else value[1])
            times = most if count[0] == pumped else max(1, value[0])
            out += sample(value[2], pumped, count) * times
        elif kind is constants.BRANCH:
            out += [sample(part, pumped, count) for part in value[1]][0]  # noqa: RUF015 - all of them count their repeats
        elif kind is constants.SUBPATTERN:
            out += sample(value[-1], pumped, count)
    return out


def worst_lines(pattern):
    """Lines on which a pattern has the most to try: what it matches again and again, and what it nearly matches."""
    parsed = parser.parse(pattern)
    count = [0]
    sample(parsed, None, count)
    for number in range(count[0] + 1):
        text = sample(parsed, number, [0])
        for line in (text[:3999] + "\0", text * 400, text[:-1] * 400, text[: len(text) // 2] * 400):
            yield line[:4000]
    for text in ("a", " ", "1", "/x", "1.", "x=", "'"):
        yield (text * 4000)[:4000]
