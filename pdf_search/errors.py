"""Every error a user can meet: what is wrong, where, and what to do about it."""


class PdfSearchError(Exception):
    """Base of all errors that are the user's or the environment's business, not a bug."""

    exit_code = 1


class ConfigError(PdfSearchError):
    """A configuration, command line or search space is wrong; found before any work starts."""

    exit_code = 2


class SpaceError(ConfigError):
    """A search space file is wrong. The message begins with ``file:line: key``."""


class DataError(PdfSearchError):
    """A data set is missing, damaged or changed."""


class ResourceError(PdfSearchError):
    """A resource was asked for that does not exist (a GPU, memory, a cluster)."""


class TrialError(PdfSearchError):
    """A trial cannot be trained as configured."""


class StoreError(PdfSearchError):
    """The results database is missing, of another version, or has no such sweep."""
