"""Question sets written for rag_qa, and the reader for files of their form (see README.md here)."""
