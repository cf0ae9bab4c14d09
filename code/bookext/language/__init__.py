"""Speak other languages: what the extension and its scripts say, what stays English, what links the editions."""
