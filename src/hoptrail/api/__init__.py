"""The Python interface of Hoptrail."""

from hoptrail.api.conversations import Thread
from hoptrail.api.hoptrail import Hoptrail

__all__ = ["Hoptrail", "Thread"]
