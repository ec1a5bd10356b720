"""What mkdocs needs to know to make a site of pages that are read in the repository as well (see mkdocs.yml)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

PROJECT = Path(__file__).resolve().parents[1]
# Pages at the top of the repository, by their names on the site.
AT_TOP = {"index.md": "README.md", "README.ja.md": "README.ja.md", "CHANGELOG.md": "CHANGELOG.md"}
AT_TOP |= {"SECURITY.md": "SECURITY.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}
_LINK = re.compile(r"(?<!\\)\[([^\[\]]*)\]\((?:\.\./|docs/)?([\w./-]+)(#[\w-]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are not in docs/."""
    for name, source in AT_TOP.items():
        files.append(File.generated(config, name, content=(PROJECT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links as they are on the site; what is only in the repository (LICENSE, tests) is named and not linked."""

    def on_site(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        name = next((name for name, source in AT_TOP.items() if source == target), target)
        if files.get_file_from_path(name) is None:
            return match[0] if match.start() and markdown[match.start() - 1] == "!" else text
        return f"[{text}]({name}{anchor})"

    return _outside_code(markdown, on_site)


def _outside_code(markdown: str, on_site: Any) -> str:
    lines, fenced = [], False
    for line in markdown.split("\n"):
        fenced ^= line.startswith("```")
        lines.append(line if fenced or line.startswith("    ") else _LINK.sub(on_site, line))
    return "\n".join(lines)
