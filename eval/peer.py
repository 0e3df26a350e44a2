"""Another library's embedder, timed in an environment of its own: `PYTHON eval/peer.py NAME FOLDER`, given a JSON list of texts a line.

It imports nothing of this project. FOLDER holds all-MiniLM-L6-v2 as its authors publish it, for chromadb with
onnx/model.onnx. What is written, a JSON object a line: first {} when it is loaded, then {"seconds", "processor", "texts"}.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any


def sentence_transformers(folder: Path, _temporary: Path) -> Callable[[Sequence[str]], Any]:
    """With its own defaults: batches of 32, sorted by length, on as many threads as PyTorch likes."""
    model = import_module("sentence_transformers").SentenceTransformer(str(folder), device="cpu")
    return lambda texts: model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)


def chromadb(folder: Path, temporary: Path) -> Callable[[Sequence[str]], Any]:
    """Its default embedding function, which looks for the model in a folder `onnx`."""
    made = temporary / "onnx"
    made.mkdir()
    (made / "model.onnx").symlink_to((folder / "onnx" / "model.onnx").resolve(strict=True))
    for name in ("config.json", "special_tokens_map.json", "tokenizer_config.json", "tokenizer.json", "vocab.txt"):
        (made / name).symlink_to((folder / name).resolve(strict=True))
    embed = import_module("chromadb.utils.embedding_functions").ONNXMiniLM_L6_V2()
    embed.DOWNLOAD_PATH = temporary
    return lambda texts: embed(list(texts))


PEERS = {"sentence-transformers": sentence_transformers, "chromadb": chromadb}


def serve(name: str, folder: Path) -> None:
    """Embed each list of texts that is read, and say how long it took."""
    with tempfile.TemporaryDirectory(prefix="rag-qa-peer-") as temporary:
        embed = PEERS[name](folder, Path(temporary))
        embed(["It is loaded when it is first used."])
        _say({})
        for line in sys.stdin:
            texts = json.loads(line)
            begun, used = time.perf_counter(), time.process_time()
            vectors = embed(texts)
            _say({"seconds": time.perf_counter() - begun, "processor": time.process_time() - used, "texts": len(vectors)})


def _say(what: dict[str, float]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]))
