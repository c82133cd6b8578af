"""The Python interface of Hoptrail."""

from hoptrail.api.hoptrail import Hoptrail
from hoptrail.api.kept_threads import Thread

__all__ = ["Hoptrail", "Thread"]
