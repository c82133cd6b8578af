"""A model file on the user's machine: llama.cpp in a process that their commands share."""
