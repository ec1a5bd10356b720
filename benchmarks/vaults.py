"""Generated vaults: believable small memories, English and Japanese mixed, the same for the same seed.

Every memory is two to four sentences (60 to 250 characters) put together from the templates below, so that
words repeat as they do in real life, while numbers, names and combinations keep the texts apart.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

from vault_mem import Memory, Vault
from vault_mem.model import Link
from vault_mem.notes.parse import title_of
from vault_mem.notes.write import file_name, note_text

ZONE = ZoneInfo("Asia/Tokyo")
FIRST_DAY = datetime(2025, 1, 1, 7, 0, tzinfo=ZONE)
MONTHS = 20
SHORTEST, LONGEST = 60, 250

PEOPLE_EN = ["Haruka", "Tomás", "Ingrid", "Wei", "Odette", "Priya", "Callum", "Noor", "Jonas", "Mireille", "Dag"]
PEOPLE_JA = ["遥さん", "健吾", "美咲さん", "小林先生", "悠斗", "由紀", "高橋さん", "凛", "大輔さん", "母"]
EMOTIONS = ["happy", "calm", "curious", "anxious", "proud", "frustrated", "moved", "excited"]
CATEGORIES = ["technical", "health", "travel", "preference", "decision", "lesson", "relationship"]
TAGS_EN = ["garden", "firmware", "kitchen", "band", "accounts", "running", "library", "bicycle", "school", "backup"]
TAGS_JA = ["庭", "会議", "台所", "読書", "自転車", "通院", "写真", "旅行", "買い物", "勉強"]

SLOTS: dict[str, list[str]] = {
    "person": PEOPLE_EN, "jp_person": PEOPLE_JA, "slug": TAGS_EN,
    "project": ["the tide logger", "the seed catalogue", "Project Kestrel", "the choir website", "the invoice importer",
                "the greenhouse controller", "the museum guide", "the bus timetable app", "the bakery ledger"],
    "thing": ["the spare key", "the blue envelope", "the sewing machine", "the old router", "the rain barrel",
              "the violin case", "the passport", "the camping stove", "the label printer", "the tool chest"],
    "place": ["Porto", "the harbour office", "Kanazawa", "the third floor", "the workshop", "Ghent", "the allotment",
              "the clinic on Mill Road", "the reading room", "platform 4", "Sendai", "the shed"],
    "food": ["barley tea", "rye bread", "pickled plums", "oat porridge", "smoked trout", "quince jam", "miso soup"],
    "tool": ["PostgreSQL", "ripgrep", "KiCad", "Blender", "nginx", "SQLite", "Ansible", "Inkscape", "ffmpeg"],
    "subject": ["the sampling rate", "the roof repair", "the pension form", "the cover letter", "the heating bill",
                "the release date", "the seating plan", "the backup schedule", "the vaccination record"],
    "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "feeling": ["relieved", "a little ashamed", "glad", "tired but content", "uneasy", "unreasonably proud"],
    "jp_project": ["潮位計", "種の目録", "合唱団のサイト", "請求書の取り込み", "温室の制御盤", "町の図書案内"],
    "jp_thing": ["合鍵", "青い封筒", "ミシン", "古いルーター", "雨水タンク", "旅券", "工具箱", "水筒", "老眼鏡"],
    "jp_place": ["金沢", "港の事務所", "三階の会議室", "工房", "駅前の眼科", "市民農園", "閲覧室", "仙台", "坂の上"],
    "jp_food": ["麦茶", "ライ麦パン", "梅干し", "味噌汁", "鯖の燻製", "かりんのジャム", "おにぎり"],
    "jp_subject": ["測定の間隔", "屋根の修理", "年金の書類", "送り状", "暖房費", "公開の日取り", "席順", "予防接種"],
    "jp_day": ["月曜", "火曜", "水曜", "木曜", "金曜", "土曜", "日曜"],
    "jp_feeling": ["ほっとした", "少し恥ずかしかった", "うれしかった", "落ち着かなかった", "妙に誇らしかった"],
}  # fmt: skip

ENGLISH = [
    "{person} moved the meeting about {subject} from {day} to {day2} at {time}.",
    "{person} found {thing} in {place}, under a pile of {count} old newspapers.",
    "{Project} now runs on {tool} {version}; the old setup stays on port {port} until {day}.",
    "We decided against {tool} for {project} because {person} would have to maintain it alone.",
    "{person} drinks {food} instead of coffee after {time}, ever since the trip to {place}.",
    "The order for {count} parts (no. {part}) came to {price} yen and arrives on {day}.",
    "I got {subject} wrong: I trusted the first number and never asked {person} for the second.",
    "{person} and {person2} cycled {km} km to {place} and came home by train.",
    "The appointment in {place} is on {day} at {time}; {person} brings the papers.",
    "Error {part} in {project} came from a clock that was {count} seconds slow.",
    "{person} passed the exam with {count} points and was {feeling} about it all evening.",
    "{Thing} is lent to {person2} until {day}; the receipt number is {part}.",
]
ENGLISH_AFTER = [
    "{person2} wants it in writing before {day2}.",
    "The notes are in `docs/{slug}/{part}.md`.",
    "It took {count} minutes longer than planned.",
    "I felt {feeling} when it was done.",
    "Nobody had asked, and it helped anyway.",
    "Next time we start in {place} and not at the end.",
    "The bill was {price} yen, paid in cash.",
    "{person} laughed and said it was the {food}.",
    "Ask again in {count} days.",
    "The exact setting is `{slug}_limit = {port}`.",
]
JAPANESE = [
    "{jp_subject}についての打ち合わせは、{jp_day}から{jp_day2}の{hour}時に変わった。",
    "{jp_person}が{jp_place}で{jp_thing}を見つけた。{count}日も探していたものだった。",
    "{jp_project}は {tool} {version} で動くようになった。古い方は{jp_day}まで残しておく。",
    "{jp_person}は{hour}時を過ぎると{jp_food}しか口にしない。眠りが浅くなるからだという。",
    "部品 {part} を{count}個注文した。合わせて{price}円で、{jp_day}に届く。",
    "{jp_person}と{jp_person2}が{jp_place}まで自転車で{km}キロ走った。",
    "{jp_place}の予約は{jp_day}の{hour}時半。書類は{jp_person}が持っていく。",
    "{jp_subject}のことを勘違いしていた。{jp_person}にもう一度きけばよかった。",
    "{jp_thing}は{jp_person2}に貸してある。返してもらうのは{jp_day2}の約束。",
    "{jp_project}の不具合 {part} は、時計が{count}秒遅れていたせいだった。",
]
JAPANESE_AFTER = [
    "終わったときは{jp_feeling}。",
    "{jp_person2}は{jp_day2}までに書面がほしいと言っている。",
    "思ったより{count}分長くかかった。",
    "メモは `docs/{slug}/{part}.md` に置いた。",
    "帰りに{jp_place}で{jp_food}を買った。",
    "費用は{price}円で、現金で払った。",
    "誰にも頼まれていなかったが、役に立った。",
    "次は{jp_place}から始めるつもりでいる。",
    "{count}日たったら、もう一度きいてみる。",
]
QUESTIONS = [
    "When is the meeting about {subject}?", "where did {person} find {thing}", "Which version of {tool} do we run?",
    "who borrowed {thing}?", "how much were the parts we ordered", "What does {person} drink in the evening?",
    "cycling to {place}", "the clock that was slow", "appointment in {place}", "{part}",
    "{jp_subject}の打ち合わせはいつ", "{jp_thing}はどこにある", "{jp_person}と自転車", "{jp_place}の予約",
    "注文した部品の値段",
]  # fmt: skip


def memories(count: int, seed: int = 1, *, words: int = 0) -> Iterator[Memory]:
    """Yield this many memories in order of time, spread over the months; later ones link to earlier ones.

    With `words`, each has about that many words; two characters of Japanese count as one.
    """
    random = Random(seed)
    step = timedelta(days=30.4 * MONTHS) / count
    earlier: list[Memory] = []
    seen: set[str] = set()
    for number in range(count):
        japanese = random.random() < 0.45
        memory = Memory(
            id=f"mem_{random.getrandbits(48):012x}",
            content=_new_text(random, japanese, seen, words),
            created=(FIRST_DAY + step * number).replace(microsecond=0),
            importance=random.choice([2, 3, 3, 3, 4, 5]),
            tags=random.sample(TAGS_JA if japanese else TAGS_EN, random.randint(0, 2)),
            people=random.sample(PEOPLE_JA if japanese else PEOPLE_EN, random.randint(0, 2)),
        )
        memory.title = title_of(memory.content)
        if random.random() < 0.4:
            memory.category = random.choice(CATEGORIES)
            memory.kind = random.choice(["event", "fact", "fact", "task", "relation"])
        if random.random() < 0.3:
            memory.emotion = random.choice(EMOTIONS)
            memory.intensity, memory.valence = round(random.random(), 1), round(random.uniform(-1, 1), 1)
        for other in random.sample(earlier, min(len(earlier), random.choice([0, 0, 0, 1, 2]))):
            similarity = round(random.uniform(0.7, 0.94), 2)
            memory.links.append(Link(file_name(other).removesuffix(".md"), "similar", similarity, other.title))
        earlier = [*earlier[-199:], memory]
        yield memory


def questions(count: int, seed: int = 2) -> list[str]:
    """Questions that somebody may ask such a vault, in both languages."""
    random = Random(seed)
    return [_fill(QUESTIONS[number % len(QUESTIONS)], random) for number in range(count)]


def write_vault(root: Path, contents: Iterable[Memory]) -> Vault:
    """A vault that holds these memories in monthly folders, every file an hour old; it is not indexed yet."""
    Vault.init(root, timezone=ZONE.key)
    vault = Vault(root)
    an_hour_ago = datetime.now(ZONE).timestamp() - 3600
    for memory in contents:
        folder = root / "memories" / f"{memory.created.astimezone(ZONE):%Y-%m}"
        folder.mkdir(exist_ok=True)
        path = folder / file_name(memory)
        path.write_text(note_text(memory, ZONE), encoding="utf-8", newline="\n")
        os.utime(path, (an_hour_ago, an_hour_ago))  # if just written, it would be read again by the next sync
    return vault


def _new_text(random: Random, japanese: bool, seen: set[str], words: int) -> str:
    while (text := _text(random, japanese, words)) in seen:
        pass
    seen.add(text)
    return text


def _text(random: Random, japanese: bool, words: int) -> str:
    first, after, gap = (JAPANESE, JAPANESE_AFTER, "") if japanese else (ENGLISH, ENGLISH_AFTER, " ")
    text = _fill(random.choice(first), random)
    wanted, longest = random.randint(SHORTEST, 190), LONGEST
    if words:
        wanted = longest = words * (2 if japanese else 6)
    for template in random.sample(after, len(after)):
        longer = text + gap + _fill(template, random)
        if len(text) >= wanted or len(longer) > longest:
            break
        text = longer
    return text


def _fill(template: str, random: Random) -> str:
    """A template with each of its slots filled at random; a slot that ends in 2 differs from its partner without it."""
    numbers = {
        "time": f"{random.randint(7, 21)}:{random.choice(['00', '15', '30', '45'])}",
        "hour": str(random.randint(7, 21)),
        "count": str(random.randint(2, 96)),
        "km": str(random.randint(8, 140)),
        "price": f"{random.randint(3, 900) * 120:,}",
        "port": str(random.randint(1024, 9999)),
        "part": f"{random.choice('ABDKRSX')}{random.choice('XLMQ')}-{random.randint(1000, 9999)}",
        "version": f"{random.randint(1, 18)}.{random.randint(0, 12)}",
    }
    pairs: dict[str, list[str]] = {}

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name in numbers:
            return numbers[name]
        kind = name.lower().removesuffix("2")
        if kind not in pairs:
            pairs[kind] = random.sample(SLOTS[kind], 2)
        chosen = pairs[kind][name.endswith("2")]
        return chosen[0].upper() + chosen[1:] if name[0].isupper() else chosen

    return re.sub(r"\{(\w+)\}", value, template)
