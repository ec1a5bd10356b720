"""The page's script is put together from its modules: every way in which they import and export is understood."""

from __future__ import annotations

import re

from vault_mem.web.bundle import bundled
from web.asking import Browser

MODULES = {
    "js/app.js": 'import Ask from "./views/ask.js";\nimport { t as told, html } from "./base.js";\ntold(Ask);\n',
    "js/base.js": 'export const t = 1;\nexport async function wait() {}\nexport { html };\nconst html = "";\n',
    "js/views/ask.js": 'import { t } from "../base.js";\nexport default function Ask() {\n  return t;\n}\n',
    "vendor/small.mjs": 'import{a as b}from"./other.mjs";var x=b;export{x as long,b};\n',
    "vendor/other.mjs": "export class a {}\n",
}


def test_modules_in_the_order_they_are_needed() -> None:
    assert bundled(MODULES, "js/app.js") == (
        "const m0 = (() => {\n"
        'const t = 1;\nasync function wait() {}\n\nconst html = "";\n\nreturn { t, wait, html };\n})();\n'
        "const m1 = (() => {\n"
        "const { t } = m0;\nconst main = function Ask() {\n  return t;\n}\n\nreturn { default: main };\n})();\n"
        "const m2 = (() => {\n"
        "const { default: Ask } = m1;\nconst { t: told, html } = m0;\ntold(Ask);\n\nreturn {  };\n})();\n"
    )


def test_minified_modules() -> None:
    assert bundled(MODULES, "vendor/small.mjs").endswith(
        "const m1 = (() => {\nconst { a: b } = m0;var x=b;\n\nreturn { long: x, b };\n})();\n"
    )


def test_nothing_of_the_page_is_left_out(browser: Browser) -> None:
    page = browser.client.get(browser.folder).text
    (script,) = re.findall(r'<script type="module" src="(.+?)">', page)
    text = browser.client.get(browser.folder + script).text
    assert not re.search(r"^(import|export)\b|\bimport\(|\bexport ?[{*]|import\.meta", text, re.MULTILINE)
    for view in ("Ask", "Agent", "Timeline", "Graph", "Review", "History", "Health", "New", "Memory"):
        assert f"const main = function {view}(" in text
