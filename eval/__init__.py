"""Measures how well rag_qa answers: questions written by hand, figures with their counts, floors. Depends on rag_qa, never the reverse."""
