"""Fakes and contract tests for those who build on Hoptrail: no randomness, loopback only."""

from hoptrail.testing.embedder import EmbedderContract, HashingEmbedder
from hoptrail.testing.faults import Fault
from hoptrail.testing.scripted import BrokenReply, ScriptedCall, ScriptedChatModel
from hoptrail.testing.stub_server import OpenAIStubServer

__all__ = [
    "BrokenReply",
    "EmbedderContract",
    "Fault",
    "HashingEmbedder",
    "OpenAIStubServer",
    "ScriptedCall",
    "ScriptedChatModel",
]
