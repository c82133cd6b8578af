"""Conversations: messages with speakers and times, from chats, exports and minutes."""
