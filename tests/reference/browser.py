"""A real browser for the tests of pages and figures."""

import contextlib
import shutil
import sys


@contextlib.contextmanager
def chromium():
    """The system's headless Chromium, driven by playwright; ends the program with status 77 where either is missing."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if not path:
        print("needs playwright and chromium")
        sys.exit(77)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
