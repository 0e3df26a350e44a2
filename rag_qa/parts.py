"""Which parts the program is made of: Settings -> each backend, made when it is first used."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from rag_qa import comprehension
from rag_qa.answering.evidence import Corpus
from rag_qa.answering.extractive import Corner, ExtractiveAnswerer
from rag_qa.answering.generative import GenerativeAnswerer
from rag_qa.answering.summaries import Library, Summariser
from rag_qa.answering.weights import Weights
from rag_qa.calibration import kept
from rag_qa.calibration.kept import Kept, Scorer
from rag_qa.chunking import CHUNKER
from rag_qa.embedding import minilm, openai_api, static, transformer
from rag_qa.embedding.cache import Cached
from rag_qa.embedding.embedder import EMBEDDERS, Embedder
from rag_qa.embedding.static import WordVectors
from rag_qa.errors import ProviderError
from rag_qa.grounding import GroundingCheck
from rag_qa.index.store import ChromaServer, Store
from rag_qa.llm import openai_api as chat_api
from rag_qa.llm.chat_model import CHAT_MODELS, ChatModel
from rag_qa.retrieval.reranking import cross_encoder
from rag_qa.retrieval.reranking import llm as llm_reranking
from rag_qa.retrieval.reranking.reranker import RERANKERS, Reranker
from rag_qa.retrieval.retriever import Retriever
from rag_qa.retrieval.sets import Sets
from rag_qa.settings import Settings

KEPT_VECTORS = "vectors.db"
"""The file of the data folder with the vectors that an embeddings server was asked for."""


_WEIGHTS = ("sentence_weights.json", "confidence_weights.json")

T = TypeVar("T")


def _made_once(make: Callable[[Any], T]) -> cached_property[T]:
    """A part that is made when it is first used, by one thread (from Python 3.12 on, functools' own may make it twice)."""
    lock = threading.RLock()

    def made(engine: Any) -> T:
        with lock:
            parts: dict[str, T] = vars(engine)
            if make.__name__ not in parts:
                parts[make.__name__] = make(engine)
            return parts[make.__name__]

    return cached_property(made)


# the modules make themselves known to the registries
_BACKENDS = (minilm, openai_api, static, transformer, chat_api, llm_reranking, cross_encoder)


class Parts:
    """The parts that settings name. `embedder` and `chat_model` stand in for those. Safe to use from several threads."""

    def __init__(self, settings: Settings, given_embedder: Embedder | None = None, given_chat_model: ChatModel | None = None) -> None:
        self.settings = settings
        self._given_embedder = given_embedder
        self._given_chat_model = given_chat_model

    @property
    def uses_llm(self) -> bool:
        """Does a chat model write the answers?"""
        return self._given_chat_model is not None or self.settings.uses_llm

    @property
    def model_name(self) -> str:
        """Who answers. A refusal for which the model is not needed does not fail because its server, which knows the name, is down."""
        try:
            return self.chat_model.name
        except ProviderError:
            return self.settings.llm_model or "llm"

    @_made_once
    def embedder(self) -> Embedder:
        """What texts become vectors by. Raises ProviderError."""
        if self._given_embedder is not None:
            return self._given_embedder
        settings = self.settings
        if settings.embedder == "sentence-transformers":
            return EMBEDDERS[settings.embedder](settings.embedding_model or transformer.DEFAULT_MODEL)
        if settings.embedder != "openai":
            return EMBEDDERS[settings.embedder]()
        key = settings.embedding_api_key or settings.openai_api_key
        return EMBEDDERS["openai"](
            settings.embedding_model or openai_api.DEFAULT_MODEL,
            base_url=settings.embedding_base_url or settings.openai_base_url,
            api_key=key.get_secret_value() if key else None,
            timeout=settings.llm_timeout,
            retries=settings.llm_retries,
        )

    @_made_once
    def store(self) -> Store:
        """The index."""
        url, token = self.settings.chroma_url, self.settings.chroma_token
        server = ChromaServer(url.rstrip("/"), token.get_secret_value() if token else "") if url else None
        return Store((self.settings.data_dir.expanduser() / "index").absolute(), self.embedder_of_index, server=server)

    @_made_once
    def embedder_of_index(self) -> Embedder:
        """Vectors that cost money are kept: a rebuild, or an import that was interrupted, does not pay for them again."""
        if self._given_embedder is not None or self.settings.embedder != "openai":
            return self.embedder
        return Cached(self.embedder, self.settings.data_dir.expanduser().absolute() / KEPT_VECTORS)

    @_made_once
    def retriever(self) -> Retriever:
        """What finds papers."""
        return Retriever(self.store, self.embedder, reranker=self.reranker, depth=self.settings.reranker_depth)

    @_made_once
    def reranker(self) -> Reranker | None:
        """Who judges the first papers once more, if anybody does. Raises ProviderError."""
        settings = self.settings
        match settings.reranker:
            case "none":
                return None
            case "llm":
                model = self._remote_chat(settings.reranker_model) if settings.reranker_model else self.chat_model
                return RERANKERS["llm"](model, reply_tokens=settings.llm_max_output_tokens)
        return RERANKERS[settings.reranker](settings.reranker_model or cross_encoder.DEFAULT_MODEL)

    @_made_once
    def sets(self) -> Sets:
        """What finds every paper that qualifies."""
        return Sets(self.store, self.retriever)

    @_made_once
    def words(self) -> WordVectors:
        """Vectors of words."""
        return WordVectors()

    @_made_once
    def extractive(self) -> ExtractiveAnswerer:
        """The answerer that needs no model."""
        return self.extractive_with(None)

    def extractive_with(self, weights: Weights | None) -> ExtractiveAnswerer:
        """The same with other weights than the shipped ones (to fit them)."""
        return ExtractiveAnswerer(self._corner(), min_confidence=self.min_confidence, weights=weights)

    def extractive_without(self, papers: Sequence[str], threshold: float) -> ExtractiveAnswerer:
        """The same with another threshold, as if some papers had never been indexed: to see how sure it is."""
        return ExtractiveAnswerer(self._corner(papers), min_confidence=threshold)

    def _corner(self, without: Sequence[str] = ()) -> Corner:
        store = self.store

        def frequency(term: str) -> int:
            return store.document_frequency(term) - (len(store.holding(term, without)) if without else 0)

        return Corner(
            embed=self.embedder.embed,
            sentence_vectors=store.sentence_vectors,
            similarity=self.words.of,
            corpus=lambda: Corpus(len(store) - len(without), frequency),
            read=comprehension.shared().read,
        )

    # ----------------------------------------------------------------------------------------------------------- refusing

    @property
    def min_confidence(self) -> float:
        """Below this confidence a question is refused: what is set counts, then what was calibrated for this answerer, then the default."""
        threshold = self.calibrated()
        return self.settings.min_confidence if threshold is None or threshold.other_scorer(self.scorer) else threshold.threshold

    def calibrated(self) -> Kept | None:
        """What was calibrated, unless something else is set or a chat model answers. Raises SettingsError if it can't be read."""
        if self.uses_llm or "min_confidence" in self.settings.model_fields_set:
            return None
        return kept.read(self.data_dir)

    def forget_threshold(self) -> None:
        """Another one is kept from now on."""
        vars(self).pop("extractive", None)

    @property
    def scorer(self) -> Scorer:
        """What the confidence depends on."""
        settings = self.settings
        return {
            "embedder": self.embedder.name,
            "chunker": CHUNKER,
            "re-ranker": " ".join(filter(None, [settings.reranker, settings.reranker_model])),
            "number of papers looked at (RAG_QA_TOP_K)": str(settings.top_k),
            "version of the answerer's weights": kept.fingerprint(
                [*(files("rag_qa.answering").joinpath(name).read_bytes() for name in _WEIGHTS), comprehension.MODEL[-1].encode()]
            ),
        }

    @property
    def data_dir(self) -> Path:
        """Where the index, and what belongs to it, lies."""
        return self.settings.data_dir.expanduser().absolute()

    @_made_once
    def summariser(self) -> Summariser:
        """What sums papers up."""
        return Summariser(Library(self.store.sentence_vectors, self.words.of, lambda: Corpus(len(self.store), self.store.document_frequency)))

    @_made_once
    def generative(self) -> GenerativeAnswerer:
        """What has the chat model answer, and checks it."""
        check = GroundingCheck(self.words.of)
        settings = self.settings
        return GenerativeAnswerer(
            self.chat_model,
            check,
            max_output_tokens=settings.llm_max_output_tokens,
            unsupported=settings.unsupported,
            deadline=settings.llm_deadline,
        )

    @_made_once
    def chat_model(self) -> ChatModel:
        """The chat model. Raises ProviderError."""
        if self._given_chat_model is not None:
            return self._given_chat_model
        return self._remote_chat(self.settings.llm_model)

    def _remote_chat(self, model: str | None) -> ChatModel:
        settings = self.settings
        return CHAT_MODELS["openai"](
            model,
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key.get_secret_value() if settings.openai_api_key else None,
            context_tokens=settings.llm_context_tokens,
            timeout=settings.llm_timeout,
            deadline=settings.llm_deadline,
            retries=settings.llm_retries,
            price=settings.dollars,
        )
