"""A real Chroma server in a process of its own."""

from eval.sharing import chroma_server as chroma_server
from eval.sharing import free_port as free_port
