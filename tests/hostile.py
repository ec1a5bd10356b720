"""Hostile notes: what people, plugins, sync tools and accidents put into a vault. The same list every time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

BOM = b"\xef\xbb\xbf"
BODY = "# A heading\n\nSome text with a [[link]] in it.\n\n---\n\nkey: not front matter\n"


@dataclass(frozen=True, slots=True)
class HostileNote:
    """A note's name, its bytes, and whether all of it can be read.

    `sound` means: UTF-8 text, front matter absent or a mapping, no value of a wrong type for a key of ours.
    """

    name: str
    data: bytes
    sound: bool


def hostile_notes() -> list[HostileNote]:
    """All of them, each name once (also when names compare without case and as NFC)."""
    return [*_fronts(), *_raw_notes(), *_bodies(), *_names()]


# ---- front matter of every shape, each with several line endings


def _nine(anchor: str) -> str:
    return ", ".join([f"*{anchor}"] * 9)


SOUND_FRONTS: dict[str, str] = {
    # scalars
    "plain": "title: A note\nimportance: 4\n",
    "single-quoted": "title: 'It''s here'\nimportance: 4\n",
    "double-quoted": 'title: "A \\"note\\" \\u00e9"\n',
    "literal": "summary: |\n  first\n  # not a comment\n  last\nimportance: 2\n",
    "literal-keep": "summary: |+\n  first\n\n\nimportance: 2\n",
    "literal-strip": "summary: |-\n  first\n\n\n# a comment\nimportance: 2\n",
    "literal-last": "importance: 2\nsummary: |\n  first\n  ---not a fence\n\n",
    "literal-indented": "summary: |2\n    deep\n  shallow\nimportance: 2\n",
    "folded": "summary: >\n  one\n  two\n\n  three\nimportance: 2\n",
    "folded-comment": "summary: >-  # folded\n  one\n  two\nimportance: 2\n",
    "multi-line-plain": "summary: one\n  two\n  three # comment\nimportance: 2\n",
    "multi-line-single": "summary: 'one\n  # two\n\n  three' # comment\nimportance: 2\n",
    "multi-line-double": 'summary: "one \\\n  # two\n  three"\nimportance: 2\n',
    "multi-line-last": 'importance: 2\nsummary: "one\n  # two"\n',
    "value-below": "summary:\n  the text\nimportance:\n  2\n",
    "value-below-comment": "summary:\n  # why\n  the text # so\nimportance:\n\n  2\n",
    "empty-values": "title:\ntags:\nlinks:\nimportance:\nprivate:\n",
    "nulls": "title: ~\ntags: null\nlinks: Null\ncategory: NULL\n",
    "empty-strings": "title: ''\ncategory: \"\"\n",
    "yes-and-no": "private: yes\nfinished: no\non: off\ny: n\n",
    "bools": "private: true\nfinished: False\nopen: TRUE\n",
    "quoted-bool": 'private: "true"\n',
    "numbers": "a: 010\nb: 0x1F\nc: 0o17\nd: 1_000\ne: +12\nf: .5\ng: 6.\nh: 1e3\ni: -0\nj: .inf\nk: .nan\nl: -.Inf\n",
    "sexagesimal": "time: 12:30\nlong: 12:30:45\nratio: 190:20:30.15\n",
    "quoted-number": "importance: '4'\nintensity: \"0.5\"\n",
    "dates": "created: 2026-11-15\nvalid_from: 2026-11-15T08:00:00\nlast_confirmed: 2026-11-15 08:00:00 +09:00\n",
    "dates-offset": "created: 2026-11-15T23:25:00+09:00\nvalid_to: 2026-11-15T23:25:00Z\n",
    "date-quoted": "created: '2026-11-15T23:25:00'\n",
    "date-year-one": "born: 0001-01-01\ndied: 9999-12-31T23:59:59\n",
    "equals-sign": "separator: =\n",
    "signs-in-words": "what: why?\nhow: -5 or so\nwhere: 'at: home'\nwho: a&b*c!d|e>f%g@h`i\n",
    "colon-in-value": "url: https://example.org/a?b=c#d\ntime: 10:30\nwindows: C:\\dir\n",
    "hash-in-value": "color: a#b\nchannel: '#general'\ncomment: text #really a comment\n",
    "trailing-spaces": "title: A note   \nimportance: 4\t \ntags:   \n  - a  \n",
    "tab-after-colon": "title:\tA note\nimportance:\t4\t# high\n",
    "spaces-before-colon": "title : A note\nimportance   : 4\n",
    "quoted-keys": "\"title\": A note\n'importance': 4\n\"odd key: yes\": 1\n",
    "indented": "  title: A note\n  importance: 4\n",
    "indented-by-one": " title: A note\n importance: 4\n",
    "blank-lines": "\n\ntitle: A note\n\n\nimportance: 4\n\n",
    "space-lines": "   \ntitle: A note\n  \nimportance: 4\n \n",
    # comments
    "only-comments": "# nothing here\n  # yet\n",
    "comments-everywhere": "# top\ntitle: A # first\n# mid\nimportance: 4 # high\n  # odd\ntags: # mine\n  # one\n"
    "  - a # letter\n  # two\n  - b\n  # end\n# last\n",
    "comment-no-space": "title: A#B\nimportance: 4 #high\n#tags: [a]\n",
    "comment-like-fence": "title: A\n# ---\nimportance: 4\n",
    "commented-out-id": "# id: mem_000000000000\ntitle: A\n",
    "empty": "",
    "blank": "\n",
    # lists
    "block-list": "tags:\n  - a\n  - b\nimportance: 4\n",
    "block-list-flush": "tags:\n- a\n- b\nimportance: 4\n",
    "block-list-wide": "tags:\n      -    a\n      -    'b'\n",
    "block-list-empty-items": "owners:\n  -\n  - a\n  - ''\n  -\n",
    "block-list-dash-alone": "tags:\n  -\n    a\n  - b\n",
    "block-list-multi-line": "tags:\n  - one\n    two\n  - |\n    three\n  - 'four\n\n    five'\n",
    "block-list-numbers": "tags:\n  - 2024\n  - 1.5\n  - true\n  - 2026-11-15\n",
    "flow-list": "tags: [a, 'b', \"c d\"]  # mine\n",
    "flow-list-lines": "tags: [a,\n  b, # second\n  c]\nimportance: 4\n",
    "flow-list-empty": "tags: []\nlinks: [ ]\n",
    "flow-list-trailing-comma": "tags: [a, b, ]\n",
    "tags-as-text": "tags: a, b、c\n",
    "tags-with-hash": "tags:\n  - '#a'\n  - \"#b/c\"\n",
    "unquoted-link": "links: [[some note]]\n",
    "unquoted-links": "links:\n  - [[some note]]\n  - [[other|Other]]\n",
    "quoted-links": 'links:\n  - "[[a-651b9d29|A · similar 0.93]]"\n  - \'[[b]]\'\npeople: ["[[Ann]]", Bob]\n',
    "link-as-text": 'links: "[[a]]"\n',
    "repeated-items": "tags:\n  - a\n  - a\n  - b\n  - a\n",
    # nesting, flow, and the rest of YAML
    "nested-mapping": "kanban:\n  lane:\n    - name: a\n      cards: [1, 2]\n    - name: b\nimportance: 4\n",
    "flow-mapping": "position: {x: 1, y: {z: 2}} # here\nimportance: 4\n",
    "flow-document": "{title: A, importance: 4}\n",
    "flow-document-lines": "{\n  title: A, # comment\n  importance: 4\n}\n",
    "explicit-key": "? title\n: A note\n? importance\n: 4\n",
    "explicit-key-only": "importance: 4\n? lonely\n",
    "anchors": "base: &b hello\nother: *b\nimportance: &i 4\nagain: *i\n",
    "anchored-list": "mine: &t\n  - a\n  - b\ntags: *t\n",
    "anchored-key": "&k title: A\nsame: *k\n",
    "alias-as-key": "first: &k name\n*k : value\n",
    "recursive-alias": "loop: &l [a, *l]\n",
    "merge-key": "base: &b {a: 1}\nderived:\n  <<: *b\n  c: 2\n<<: *b\n",
    "tagged": "number: !!str 42\nimportance: !!int '4'\nset: !!set {a, b}\n",
    "binary": "icon: !!binary R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7\n",
    "tag-on-root": "!!map\ntitle: A\nimportance: 4\n",
    "anchor-on-root": "&root\ntitle: A\nimportance: 4\n",
    "end-marker": "title: A\nimportance: 4\n...\n",
    "document-marker": "--- # a second fence\ntitle: A\nimportance: 4\n",
    "yaml-directive": "%YAML 1.1\n--- # here\ntitle: A\n",
    "duplicate-keys": "title: A\nimportance: 4\ntitle: B\nimportance: 2\n",
    "billion-laughs": "a: &a [x]\n" + "".join(f"{b}: &{b} [{_nine(a)}]\n" for a, b in pairwise("abcdefghijk")),
    "merge-bomb": "a: &a {k: 1}\n" + "".join(f"{b}: &{b} {{<<: [{_nine(a)}]}}\n" for a, b in pairwise("abcdefghijk")),
    "deep-flow": "deep: " + "[" * 60 + "]" * 60 + "\n",
    "deep-block": "deep:\n" + "".join(" " * level + "k:\n" for level in range(1, 60)),
    "many-keys": "".join(f"key{number}: {number}\n" for number in range(400)),
    "long-value": "summary: " + "word " * 8_000 + "\nimportance: 4\n",
    "long-key": "k" * 900 + ": 1\nimportance: 4\n",
    "long-list": "tags:\n" + "".join(f"  - tag{number}\n" for number in range(500)),
    # other schemes, other languages
    "japanese": "タイトル: 青い封筒\ntags:\n  - 日記\n  - 青い　封筒\n人物: [田中, 鈴木]\n",
    "nfd": "cafe\u0301: re\u0301sume\u0301\ntags: [cafe\u0301]\n",
    "emoji": "mood: 😀\ntags: [👩‍👩‍👧, 🇯🇵]\n😀: key\n",
    "right-to-left": "title: שלום \u202eabc\nשם: ערך\n",
    "zero-width": "ti\u200btle: A\u200b\ntags: [\u200c]\n",
    "no-break-space": "title: \u00a0A\u00a0\ntags: [\u00a0]\n",
    "byte-order-mark-inside": "title: A\ufeffB\nim\ufeffportance: 4\n",
    "foreign-id-number": "id: 42\ntitle: A\n",
    "foreign-id-date": "id: 20231104\ntitle: A\n",
    "foreign-id-zettel": "id: 2023-11-04T10-22\naliases: [202311041022]\n",
    "our-id": "id: mem_651b9d294720\ncreated: 2026-11-15T23:25:00\nimportance: 3\nprivate: false\nlinks: []\n",
    "our-id-quoted": "id: 'mem_651b9d294720'\n",
    "our-id-late": "title: A\nimportance: 4\nid: mem_651b9d294720 # ours\n",
    "unknown-keys": "cssclasses:\n  - wide\npublish: false\nbanner: '![[x.png]]'\nposition: 3\n",
    "obsidian": "aliases:\n  - Other name\ntags:\n  - a/b\ncssclasses: []\ndate: 2026-11-15\nfinished: false\n",
    "templater-quoted": "created_by: \"<% tp.user.name() %>\"\ntitle: '{{title}}'\n",
    "templater-plain": "made: <% tp.date.now() %>\n",
    "kanban": "kanban-plugin: basic\n",
    "excalidraw": "excalidraw-plugin: parsed\ntags: [excalidraw]\n",
    "dataview": "rating:: 5\nstatus: open\n",
    "html": "title: <b>bold</b>\nother: \"<script>alert('x')</script>\"\n",
    "path-and-shell": "title: ../../etc/passwd\nother: $(rm -rf ~)\nsource: '; drop table'\n",
}  # fmt: skip

UNSOUND_FRONTS: dict[str, str] = {
    # broken YAML
    "colon-twice": "title: A: B\n",
    "unclosed-quote": 'title: "A\nimportance: 4\n',
    "unclosed-single-quote": "title: 'A\nimportance: 4\n",
    "text-after-quote": 'title: "A" note\n',
    "unclosed-list": "tags: [a, b\nimportance: 4\n",
    "unclosed-braces": "position: {x: 1\n",
    "bad-indent": "title: A\n  importance: 4\n",
    "bad-outdent": "  title: A\nimportance: 4\n",
    "bad-list-indent": "tags:\n  - a\n - b\n",
    "tab-indent": "tags:\n\t- a\n\t- b\n",
    "tab-first": "\ttitle: A\n",
    "question-mark": "what: ?\n",
    "dash": "what: -\n",
    "no-break-space-after-colon": "title:\u00a0A\nimportance: 4\n",
    "anchor-twice": "a: &x 1\nb: *x\nc: &x 2\nd: *x\n",
    "at-sign": "owner: @ann\n",
    "backtick": "code: `x`\n",
    "percent": "%title: A\n",
    "star": "title: *important*\n",
    "exclamation": "title: !important now\n",
    "unknown-tag": "title: !python/object:os.system ls\n",
    "undefined-alias": "title: *nobody\n",
    "line-without-colon": "title: A\njust text\nimportance: 4\n",
    "bad-escape": 'title: "C:\\dir"\n',
    "control-character": "title: A\x07B\n",
    "escape-character": "title: A\x1b[31m\n",
    "two-documents": "title: A\n--- # next\ntitle: B\n",
    "text-after-end": "title: A\n...\nimportance: 4\n",
    "template-braces": "title: {{title}}\ndate: {{date}}\n",
    "template-key": "{{key}}: value\n",
    "templater-percent": "created: <% tp.date.now() %>\ntitle: %x\n",
    "list-as-key": "? [a, b]\n: c\n",
    "unquoted-links-in-a-row": "links: [[a]], [[b]]\n",
    "conflict-markers": "title: A\n<<<<<<< HEAD\nimportance: 4\n=======\nimportance: 5\n>>>>>>> other\n",
    "too-deep": "deep: " + "[" * 40_000 + "]" * 40_000 + "\n",
    "too-deep-dashes": "deep:\n" + "- " * 40_000 + "x\n",
    "too-deep-open": "deep: " + "{" * 40_000 + "\n",
    "line-separator-in-value": "title: one\u2028two\n",
    "next-line-in-value": "title: one\x85two\n",
    # not a mapping
    "a-list": "- a\n- b\n",
    "a-text": "just text\n",
    "a-text-in-quotes": '"just text"\n',
    "a-number": "42\n",
    "a-link": "[[some note]]\n",
    # a value that cannot be what it looks like, or is not what the key wants
    "no-such-date": "created: 2026-13-45\ntitle: A\n",
    "no-such-time": "created: 2026-11-15T25:61:00\n",
    "date-yesterday": "created: yesterday\n",
    "date-list": "created: [2026-11-15]\n",
    "date-number": "valid_to: 20261115.5\n",
    "importance-word": "importance: high\n",
    "importance-six": "importance: 6\n",
    "importance-zero": "importance: 0\n",
    "importance-half": "importance: 2.5\n",
    "importance-bool": "importance: true\n",
    "importance-list": "importance: [3]\n",
    "private-maybe": "private: maybe\n",
    "private-list": "private: []\n",
    "kind-unknown": "kind: thought\n",
    "kind-list": "kind: [fact]\n",
    "tags-mapping": "tags: {a: b}\n",
    "tags-nested": "tags:\n  - a: b\n  - [c, d]\n",
    "links-mapping": "links: {a: b}\n",
    "links-number": "links: 5\n",
    "links-nested": "links:\n  - to: a\n    type: similar\n",
    "category-list": "category: [a, b]\n",
    "emotion-mapping": "emotion: {sad: 0.5}\n",
    "intensity-word": "intensity: strong\n",
    "intensity-range": "intensity: 7\n",
    "confidence-nan": "confidence: .nan\n",
    "supersedes-mapping": "supersedes: {id: mem_651b9d294720}\n",
}  # fmt: skip


def _crlf(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def _cr(text: str) -> bytes:
    return text.replace("\n", "\r").encode()


def _mixed(text: str) -> bytes:
    """Every other line ends as on Windows; the fences must still be found, so a lone carriage return is not used."""
    lines = text.split("\n")
    return "".join(line + ("\r\n" if number % 2 else "\n") for number, line in enumerate(lines[:-1])).encode()


VARIANTS: dict[str, Callable[[str], bytes]] = {
    "crlf": _crlf,
    "bom": lambda text: BOM + text.encode(),
    "cr": _cr,
    "no-final-newline": lambda text: text.rstrip("\n").encode(),
    "mixed": _mixed,
    "bom-crlf": lambda text: BOM + _crlf(text),
    "fence-spaces": lambda text: text.replace("---\n", "--- \t\n", 1).encode(),
    "no-body": lambda text: text.removesuffix(BODY).removesuffix("\n").encode(),
}


def _fronts() -> Iterator[HostileNote]:
    fronts = [(name, front, True) for name, front in SOUND_FRONTS.items()]
    fronts += [(name, front, False) for name, front in UNSOUND_FRONTS.items()]
    variants = list(VARIANTS)
    for number, (name, front, sound) in enumerate(fronts):
        text = f"---\n{front}---\n{BODY}"
        yield HostileNote(f"{name}.md", text.encode(), sound)
        for variant in dict.fromkeys(variants[pick % len(variants)] for pick in (number, 3 * number + 1)):
            yield HostileNote(f"{name}-{variant}.md", VARIANTS[variant](text), sound)


# ---- files that are hardly notes


def _raw_notes() -> Iterator[HostileNote]:
    front = "---\nid: mem_651b9d294720\ntitle: A\n---\n"
    noise = random.Random(651).randbytes(4096).replace(b"\n", b"")
    files = {
        "empty-file": (b"", True),
        "bom-alone": (BOM, True),
        "newline-alone": (b"\n", True),
        "blank-lines": (b"\n \n\t\n\r\n", True),
        "space-before-fence": (b" ---\ntitle: A\n---\nText\n", True),
        "blank-before-fence": (b"\n---\ntitle: A\n---\nText\n", True),
        "four-dashes": (b"----\ntitle: A\n----\nText\n", True),
        "toml-fences": (b"+++\ntitle = 'A'\n+++\nText\n", True),
        "only-fences": (b"---\n---\n", True),
        "only-fences-no-newline": (b"---\n---", True),
        "only-fences-crlf": (b"---\r\n---\r\n", True),
        "three-fences": (b"---\n---\n---\n", True),
        "one-fence": (b"---\n", True),
        "one-fence-no-newline": (b"---", True),
        "rule-then-text": (b"---\nJust a rule above a text.\n", True),
        "unclosed": (b"---\ntitle: A\nimportance: 4\n\nText\n", False),
        "unclosed-crlf": (b"---\r\ntitle: A\r\n\r\nText\r\n", False),
        "unclosed-our-id": (b"---\nid: mem_651b9d294720\nprivate: true\nText\n", False),
        "unclosed-by-dots": (b"---\ntitle: A\n...\nText\n", False),
        "closed-by-four": (b"---\ntitle: A\n----\nText\n", False),
        "closed-indented": (b"---\ntitle: A\n ---\nText\n", False),
        "two-boms": (BOM + BOM + front.encode() + b"Text\n", True),
        "bom-after-fence": (b"---\n" + BOM + b"title: A\n---\nText\n", True),
        "nul-in-body": (front.encode() + b"Te\0xt\n", False),
        "nul-in-front": (b"---\ntitle: A\0B\n---\nText\n", False),
        "nul-only": (b"\0" * 200, False),
        "utf-16": (("\ufeff" + front + "Text\n").encode("utf-16-le"), False),
        "utf-16-big": (("\ufeff" + front + "Text\n").encode("utf-16-be"), False),
        "utf-16-no-bom": ((front + "Text\n").encode("utf-16-le"), False),
        "utf-32": ((front + "Text\n").encode("utf-32"), False),
        "windows-1252": ((front + "Caf\u00e9 \u201cquoted\u201d\n").encode("cp1252"), False),
        "windows-1252-front": ("---\ntitle: Caf\u00e9\n---\nText\n".encode("cp1252"), False),
        "shift-jis": ((front + "青い封筒\n").encode("shift_jis"), False),
        "euc-jp-front": ("---\ntitle: 青い封筒\n---\nText\n".encode("euc_jp"), False),
        "cut-utf-8": ((front + "青い封筒").encode()[:-1], False),
        "overlong-utf-8": (front.encode() + b"\xc0\xaf\n", False),
        "surrogate-utf-8": (front.encode() + b"\xed\xa0\x80\n", False),
        "noise": (b"\xff" + noise, False),
        "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + noise[:200], False),
        "long-line": (front.encode() + b"word " * 150_000, True),
        "long-line-japanese": ((front + "青い封筒" * 50_000).encode(), True),
        "many-lines": (front.encode() + b"- item\n" * 100_000, True),
        "long-front": (("---\n" + "key: value # comment\n" * 6_000 + "---\nText\n").encode(), False),
    }  # fmt: skip
    for name, (data, sound) in files.items():
        yield HostileNote(f"raw-{name}.md", data, sound)


# ---- bodies that look like something else, with and without front matter

BODIES: dict[str, str] = {
    "fences-in-code": "```yaml\n---\nid: not-this\n---\n```\n",
    "tilde-code": "~~~\n---\n~~~\n\n---\n",
    "rules": "Text\n\n---\n\n---\nmore: text\n---\n",
    "setext-heading": "Heading\n---\nText\n",
    "inline-fields": "Rating:: 5\n[mood:: good] (energy:: low)\n- [ ] task [due:: 2026-11-15]\n",
    "dataview-query": "```dataview\nTABLE rating FROM #book\n```\n`= this.file.name`\n",
    "kanban": "## To do\n\n- [ ] one\n- [x] two\n\n%% kanban:settings\n```\n{\"kanban-plugin\":\"basic\"}\n```\n%%\n",
    "excalidraw": "==⚠  Switch to EXCALIDRAW VIEW ⚠==\n\n# Text Elements\nA ^abc\n\n%%\n# Drawing\n```\n{}\n```\n%%\n",
    "templater": "<%* const x = await tp.system.prompt() -%>\n{{date:YYYY}} <% x %>\n",
    "line-separators": "one\u2028two\u2029three\x85four\x0bfive\x0csix\n",
    "no-final-newline": "Text without an end",
    "trailing-blanks": "Text   \n\t\n\n\n   ",
    "leading-blanks": "\n\n\n  \nText\n",
    "crlf-in-lf": "one\r\ntwo\nthree\r\n",
    "lone-carriage-returns": "one\rtwo\rthree\n",
    "right-to-left": "\u202eevil\u202c שלום عربى\n",
    "zero-width": "zero\u200bwidth\u200d\ufeff joiner\n",
    "combining": "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘\n",
    "nfd": "Cafe\u0301 and か\u3099\n",
    "control": "bell \x07 escape \x1b[31m delete \x7f\n",
    "links": "[[a]] [[b|c]] [[#d]] [[e#f^g]] ![[h.png]] [[]] [[ ]] [[[i]]] [[j\n]] [k](l.md)\n",
    "html": "<!-- --- -->\n<details>\n---\n</details>\n<script>alert(1)</script>\n",
    "markers": "- a line [id:mem_651b9d294720]\n<!-- vault-mem:begin -->\n",
    "japanese": "青い封筒は、机の上に置いた。「十四番」だ。\n",
    "comment": "%% hidden\n---\n%%\n",
}  # fmt: skip


def _bodies() -> Iterator[HostileNote]:
    front = "---\ntitle: A\ntags: [a]\n---\n"
    for name, body in BODIES.items():
        yield HostileNote(f"body-{name}.md", body.encode(), True)
        yield HostileNote(f"body-{name}-with-front.md", (front + body).encode(), True)


# ---- names

NAMES = (
    "with spaces.md",
    " leading space.md",
    "trailing space .md",
    "two  spaces.md",
    "quote's.md",
    'double"quotes".md',
    "`backtick`.md",
    "hash#tag.md",
    "100%.md",
    "%41%2e%2e.md",
    "-leading-dash.md",
    "--help.md",
    "~tilde.md",
    "$HOME.md",
    "$(touch x).md",
    "semi;colon & ampersand.md",
    "pipe|bar.md",
    "star*.md",
    "question?.md",
    "colon: here.md",
    "back\\slash.md",
    "<angle>.md",
    "[[brackets]].md",
    "{braces}.md",
    "caret^.md",
    "comma, semicolon.md",
    "equals=plus+.md",
    "exclamation!.md",
    "@at.md",
    "dots...md",
    "UPPER.MD.md",
    "日本語のメモ.md",
    "青い封筒 その１４.md",
    "か\u3099行 (NFD).md",
    "cafe\u0301.md",
    "naïve — dash.md",
    "emoji 😀👩‍👩‍👧.md",
    "שלום.md",
    "rtl \u202egnp.md",
    "zero\u200bwidth.md",
    "no\u00a0break.md",
    "line\u2028separator.md",
    "tab\there.md",
    "bell\x07.md",
    "2026-11-15.md",
    "2026-13-45.md",
    "x" * 200 + ".md",
    "長" * 80 + ".md",
    "README copy.md",
    "note.sync-conflict-20261115-120000-ABCDEFG.md",
    "note (conflicted copy 2026-11-15).md",
    "folder with spaces/日本語/note.md",
    "a/b/c/d/e/f/g/h/deep.md",
    "CON.md",
    "null.md",
    "mem_651b9d294720.md",
    "blue-envelope-14-651b9d29.md",
)


def _names() -> Iterator[HostileNote]:
    for number, name in enumerate(NAMES):
        front = "---\nimportance: 2\n---\n" if number % 2 else ""
        yield HostileNote(name, f"{front}The note number {number}.\n".encode(), True)
