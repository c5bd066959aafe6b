"""The exceptions whose messages are shown to users: what is wrong, where, and what to do."""


class PdfSearchError(Exception):
    """Base of all errors that come from the input or the environment, not from a bug.

    ``exit_code`` is the exit status of the command line.
    """

    exit_code = 1


class ConfigError(PdfSearchError):
    """A configuration, command line or search space is wrong. Raised before any work starts."""

    exit_code = 2


class SpaceError(ConfigError):
    """A search space file is wrong. The message begins with ``file:line: key``."""


class DataError(PdfSearchError):
    """A data set is missing, damaged or changed."""


class ResourceError(PdfSearchError):
    """The run needs a resource that is not there (a GPU, memory, a cluster)."""


class FullDiskError(PdfSearchError):
    """A disk is full. The message says where, and how many bytes are free."""


class TrialError(PdfSearchError):
    """A trial cannot be trained as configured."""


class StoreError(PdfSearchError):
    """The results database is missing, unreadable or of a newer version, or lacks a sweep."""
