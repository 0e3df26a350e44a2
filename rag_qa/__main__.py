"""`python -m rag_qa` is `rag-qa`."""

from rag_qa.interfaces.cli import main

if __name__ == "__main__":
    main()
