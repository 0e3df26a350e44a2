"""Takes the picture of the chat page that the README shows: `python -m tests.picture`. It needs a Chromium."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.conftest import CHROMIUM_NAMES, PROJECT
from tests.documents import environment

QUESTION = "How does NetMoE make training faster?"
PICTURE = PROJECT / "docs" / "page.png"
SIZE = (1100, 860)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


@contextmanager
def served() -> Iterator[str]:
    """The address of the real page over the shipped abstracts."""
    with tempfile.TemporaryDirectory(prefix="rag-qa-picture-", ignore_cleanup_errors=True) as name:
        home = Path(name) / "rag_qa"
        shutil.copytree(PROJECT / "seeds", home / "seeds")
        variables = environment(Path(name))
        subprocess.run(["rag-qa", "index", "seeds"], cwd=home, env=variables, check=True, stdout=subprocess.DEVNULL)
        program = subprocess.Popen(
            ["rag-qa", "serve", "--port", "0"], cwd=home, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            assert program.stdout
            yield next(address.group() for line in program.stdout if (address := re.search(r"http://\S+", line)))
        finally:
            program.terminate()
            program.wait()


def take(path: Path) -> None:
    """Ask the question and photograph the answer."""
    chromium = next(found for name in CHROMIUM_NAMES if (found := shutil.which(name)))
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light")
        page.goto(address)
        page.fill("textarea", QUESTION)
        page.keyboard.press("Enter")
        page.wait_for_selector(".rq-check")
        page.wait_for_timeout(1000)  # the page comes to rest
        page.screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    take(PICTURE)
    sys.stdout.write(f"{PICTURE.relative_to(PROJECT)}: {PICTURE.stat().st_size / 1000:.0f} KB; look at it\n")
