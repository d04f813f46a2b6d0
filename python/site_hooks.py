"""What mkdocs does beside building pages: tabs of neighbouring examples, and the documentation of the Rust library."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
#: Where `cargo doc --workspace --no-deps` writes.
RUSTDOC = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "doc"

#: What the tab of a block is called.
TABS = {"console": "Command", "sh": "Command", "python": "Python"}

_BLOCK = r"^```(?:{names})(?: notest)?\n(?:(?!```).*\n)*?```\n"
_ONE = re.compile(_BLOCK.format(names="|".join(TABS)), flags=re.MULTILINE)
#: A block of a command and one of Python with nothing between them.
_PAIR = re.compile(
    _BLOCK.format(names="console|sh") + r"\n?" + _BLOCK.format(names="python").lstrip("^"), flags=re.MULTILINE
)

#: A link whose text is the name of its page's file, as plain Markdown reads best.
_LINK = re.compile(r"\[([\w-]+\.md)\]\((?=\1[)#])")

_RUST = "[The documentation of the Rust library](rust/srrd/index.html) is part of this site."


def tabbed(markdown: str) -> str:
    """Commands and the Python that does the same become tabs. In plain Markdown they are simply neighbours."""

    def tabs(pair: re.Match[str]) -> str:
        parts = []
        for block in _ONE.findall(pair.group()):
            name = TABS[re.match(r"```(\w+)", block).group(1)]  # type: ignore[union-attr]
            indented = "".join(f"    {line}" if line.strip() else line for line in block.splitlines(keepends=True))
            parts.append(f'=== "{name}"\n\n{indented}')
        return "\n" + "\n".join(parts) + "\n"

    return _PAIR.sub(tabs, markdown)


def titled(markdown: str, files: Files) -> str:
    """Links that are called as their files are get the titles of their pages."""

    def title(link: re.Match[str]) -> str:
        file = files.get_file_from_path(link.group(1))
        page = None if file is None else file.page
        return link.group() if page is None or not page.title else f"[{page.title}]("

    return _LINK.sub(title, markdown)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The Rust library's documentation, where it was made before."""
    if (RUSTDOC / "srrd" / "index.html").exists():
        for path in sorted(path for path in RUSTDOC.rglob("*") if path.is_file()):
            place = f"rust/{path.relative_to(RUSTDOC).as_posix()}"
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: Any) -> str:
    # `notest` is for the tests of the documentation; a highlighter does not know it.
    markdown = titled(tabbed(markdown), files).replace("```python notest", "```python")
    if page.file.src_uri == "api.md" and files.get_file_from_path("rust/srrd/index.html"):
        markdown = markdown.replace("<!-- rustdoc -->", _RUST)
    return markdown
