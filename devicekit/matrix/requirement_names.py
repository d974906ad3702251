"""The names in requirements. Pure."""


def bare_name(requirement: str) -> str:
    """Return the part of a requirement before its bounds."""
    for position, character in enumerate(requirement):
        if character in "<>=!~[ ":
            return requirement[:position]
    return requirement


def normal_name(requirement: str) -> str:
    """Return the distribution's name in a requirement, as names are compared."""
    return (
        bare_name(requirement.partition(";")[0].partition("(")[0]).strip().replace("_", "-").replace(".", "-").lower()
    )
