"""Questions proposed from a library, for a person to accept or reject: by rules from sentences of its abstracts, or by a chat model."""
