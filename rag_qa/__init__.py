"""Ask a pile of paper abstracts; every sentence of an answer is backed by a verbatim span of an abstract."""

__version__ = "0.1.0"
