"""Systems that others ran: their output, scored like that of our own."""

from hoptrail.eval.peers.system import PeerSystem

__all__ = ["PeerSystem"]
