"""The first papers of a ranking, judged once more by something slower that reads the question and the paper together."""
