"""What looks worth keeping in what a person says to an agent: sentences by rules, in English and Japanese, no model.

Precise rather than complete: a person reads what is proposed, and stops reading if it is junk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Most sure first: of more than fit a day, the first are proposed.
RULES = ("asked", "correction", "decision", "preference", "person", "date", "version")
_KINDS = {"decision": "event", "person": "fact", "date": "event"}

_FENCE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^\s*(?:[>|$#+]|at .+\(.*:\d+|File \"|\d+[:|]\s|[\w./-]+:\d+:|[{}\[\]();]+$).*$", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•・]|\d+[.)])\s+")
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(A-Z0-9À-Þ\u3040-\u9fff])|(?<=[。！？])|\n+")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_LEAST, _LEAST_JAPANESE, _MOST = 14, 8, 280
_LEAST_WORDS = 4

# A question, and what is said to get something done now, is about this session and no longer.
_QUESTION = re.compile(r"[?？]\s*$|(?:です|ます|でしょう)か。?$|(?:かな|だっけ)。?$")
_TO_DO = re.compile(
    r"(?:(?:ok(?:ay)?|yes|now|then|so|great|thanks|hmm|and|also|first|next|please|just|go ahead and|sure"
    r"|cool)[,.!]?\s+)*"
    r"(?:can|could|would|will) you\b|(?:(?:ok(?:ay)?|yes|now|then|so|great|thanks|and|also|first|next|please|just"
    r"|go ahead and)[,.!]?\s+)*(?:run|fix|add|write|make|show|check|look|try|find|open|read|create|update|remove"
    r"|delete"
    r"|rename|move|change|refactor|implement|commit|push|test|explain|summari[sz]e|list|give|tell|help|do|stop"
    r"|continue"
    r"|revert|install|build|print|search|draft|rewrite|translate|compare|review|debug|deploy|generate|start"
    r"|merge|put|get)\b",
    re.IGNORECASE,
)
_TO_DO_JA = re.compile(
    r"(?:して|って|んで|いて|えて|せて|べて|めて|れて)(?:ください|下さい|くれ(?:る|ますか)?|もらえ\S*|ほしい"
    r"|欲しい|みて|おいて)?"
    r"(?:[。！]|ね|よ)*$|(?:お願い(?:します)?|頼む|頼みます)[。！]*$|(?:ましょう)か?[。！]*$"
)
# What it speaks of was said before, and is not in the sentence.
_DANGLING = re.compile(
    r"(?:and|but|so|or|because|then|well|oh|hmm|yeah|yes|no|ok(?:ay)?)?[,]?\s*"
    r"(?:it|this|that|these|those|they|them|he|she|here|there|which|same)(?:'s|'re|'ll|\b)",
    re.IGNORECASE,
)
_DANGLING_JA = re.compile(r"(?:でも|だから|じゃあ|では|それ|これ|あれ|そこ|ここ|この|その|あの|そう|こう|彼|彼女)")

_ASKED = re.compile(
    r"(?:^|[,;]\s*|\b)(?:please\s+|and\s+|also\s+|so\s+)*"
    r"(?:remember(?:\s+(?:that|this|:))|(?:make a )?note(?:\s+that|:)|for the record[,:]|keep in mind(?:\s+that|:)"
    r"|don'?t forget(?:\s+that|:)|fyi[,:]?|just so you know[,:]?|for (?:future|later) reference[,:]"
    r"|bear in mind(?:\s+that|:))"
    r"\s*(?P<said>.+)",
    re.IGNORECASE | re.DOTALL,
)
_ASKED_JA = re.compile(
    r"(?P<said>.{5,}?)(?:(?:という)?こと)?[をは、]?(?:覚えて(?:おいて|て|ください|おくれ)|覚えといて|記憶して"
    r"|メモして(?:おいて)?"
    r"|忘れないで|記録して(?:おいて)?)"
)
_NOTED_JA = re.compile(r"(?:ちなみに|参考までに|念のため|前提として)[、,]\s*(?P<said>.+)", re.DOTALL)

_DECISION = re.compile(
    r"\b(?:we|i|the team|[A-Z]\w+ and i)(?:'ve|'re| have| had| are| was| were| am|'m)? (?:all |just |finally "
    r"|already |now )?"
    r"(?:decided|agreed|chose|chosen|settled on|picked|opted|switched (?:to|from)|moved (?:to|away from)"
    r"|migrated|dropped"
    r"|standardi[sz]ed|committed to|ruled out)\b"
    r"|\b(?:we|i)(?:'ll| will| are going to|'re going to|'m going to| am going to) (?:always |only |not |no longer )?"
    r"(?:use|go with|stick with|keep using|stay (?:on|with)|switch to|move to|drop|support|ship|target|deploy (?:on"
    r"|to)|host|store)\b"
    r"|\blet'?s (?:go with|stick with|settle on|use \w+ (?:for|instead|from now)|keep \w+ as|not use|drop)\b"
    r"|\bfrom now on\b|\bgoing forward\b|\bthe (?:decision|plan|rule|convention|policy|agreement) is\b|\bit(?:'s"
    r"| is) decided\b",
    re.IGNORECASE,
)
_DECISION_JA = re.compile(
    r"に(?:決めた|決めました|決まった|決まりました|決定した|決定しました|決定)|(?:こと|事)に(?:した|しました"
    r"|します|する|なった|なりました)"
    r"|(?:今後|これから|以後|次から|次回から)は|で行(?:く|きます|こう)|でいく(?:こと)?|(?:に|を)採用(?:した"
    r"|しました|する|します|決定)"
    r"|に(?:乗り換え|切り替え|移行)(?:た|ました|る|ます|し\S*|する)|方針(?:は|として)|(?:は|を)(?:やめた"
    r"|やめました|廃止し\S*|使わない(?:こと)?)"
)
_PREFERENCE = re.compile(
    r"\bi(?:'d| would) (?:really |much |always |still |actually |generally |usually )*(?:prefer|rather)\b"
    r"|\bi (?:really |much |always |still |actually |generally |usually )*"
    r"(?:prefer|like|love|hate|dislike|enjoy|rather|can'?t stand|don'?t (?:like|want|eat|drink|use|need)"
    r"|never (?:use|eat|want|drink)"
    r"|avoid|am allergic|'m allergic)\b"
    r"|\bi'm (?:allergic|vegetarian|vegan|left-handed|colou?r-?blind|not a (?:big )?fan)\b|\bmy (?:favou?rite"
    r"|preferred|preference)\b"
    r"|^(?:please |and )*(?:always|never) (?!mind)\w+|\b(?:please|and) (?:always|never) \w+"
    r"|^(?:please )?(?:do not|don'?t) (?:ever|use|add|put|write|call|mock|commit|touch|include|start"
    r"|mix)\b.*\b(?:ever|again|unless|anywhere"
    r"|in (?:this|our|the) (?:repo|project|code\w*)|instead|comments?|emojis?|tests?)\b",
    re.IGNORECASE,
)
_PREFERENCE_JA = re.compile(
    r"(?:が|は)(?:大好き|好き|好み|嫌い|大嫌い|苦手|得意|駄目|ダメ)(?!で(?:は|も)ない)|(?:の|な)(?:方"
    r"|ほう)が(?:いい|良い|好き|好み|楽|助かる)"
    r"|(?:いつも|必ず|常に|絶対に?)[^。]{2,}(?:して|使って|書いて|つけて|で(?:お願い)?|ください|しない)|アレルギー"
    r"|(?:は|を)?(?:使わないで|書かないで|しないで|入れないで|変えないで|つけないで)"
)
_CORRECTION = re.compile(
    r"^(?:no|nope|wrong|not quite|actually|sorry|wait)[,.!:—-]+\s*(?=.*\b(?:is|are|was|were|should|has|have"
    r"|uses?|runs?|lives?|means?"
    r"|it'?s|we|i|not)\b)|\bthat'?s (?:wrong|not (?:right|correct|true|how))\b|\byou (?:got|have|had) .{1,60} wrong\b"
    r"|\b(?:is|are|was|were|it'?s|means|called|named|use|uses|in|on|at) [^,.;]{1,50}, not \w+|\b(?:it'?s|is"
    r"|was) not [^,.;]{1,50}[,;] (?:but|it'?s)\b"
    r"|\bit should (?:be|have been)\b|\binstead of\b.*\b(?:is|are|use)\b",
    re.IGNORECASE,
)
_CORRECTION_JA = re.compile(
    r"^(?:いや|いいえ|違う|違います|ちがう|そうじゃな\S*|そうではな\S*|間違い)[、。]\s*\S+|(?:ではなく(?:て)?"
    r"|じゃなく(?:て)?)[、]?[^。]{2,}"
    r"|正しくは|(?:が|は)(?:間違い|誤り)(?:で|だ)"
)
_RELATIVE = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|child|kid|kids|baby|mother|mom|mum|father|dad"
    r"|parents|sister|brother"
    r"|grandmother|grandfather|aunt|uncle|cousin|niece|nephew|boss|manager|colleague|coworker|co-worker"
    r"|cofounder|co-founder|teammate"
    r"|friend|neighbou?r|landlord|doctor|dentist|client|customer|teacher|cat|dog|name|birthday)"
)
_STATES = (
    r"(?:is|was|are|were|'s|has|have|had|works?|worked|lives?|lived|moved|joined|left|quit|started|likes?|loves?"
    r"|hates?|prefers?|owns?"
    r"|runs?|manages?|leads?|speaks?|teaches|studies|turns?|turned|got|will|wants?|needs?|hired|married|handles?"
    r"|maintains?|takes over"
    r"|took over|reports?)"
)
_PERSON = re.compile(
    rf"\bmy (?:\w+ )?{_RELATIVE}(?:'s \w+)?,? (?:[A-Z]\w+,? )?{_STATES}\b"
    rf"|^(?!(?:The|This|That|These|Those|There|Here|What|When|Where|Why|How|Which|Who|If|But|And|It|Then|Now"
    rf"|Also|So|Yes|No|Every\w*|Some\w*"
    rf"|Any\w*|All|Both|Each|Not|Nothing|One|Tests?|Code|Error"
    rf"|Build)\b)[A-Z][a-zà-ÿ]{{2,}}(?: [A-Z][a-zà-ÿ]+)?(?:'s \w+)? "
    rf"(?:lives|lived|moved|joined|left|quit|likes|loves|hates|prefers|works|worked|owns|manages|leads|teaches"
    rf"|studies|turned|married"
    rf"|handles|maintains|took over|takes over|reports to|is (?:our|my|the|in charge|responsible|on (?:leave"
    rf"|holiday|vacation|call)|allergic|a))\b"
    rf"|\bi (?:live|work|grew up|was born|moved|have (?:a|two|three|four) (?:kid|child|son|daughter|cat|dog"
    rf"|sister|brother)\w*|am a|'m a|am an|'m an)\b",
)
_PERSON_JA = re.compile(
    r"(?:妻|夫|娘|息子|母|父|姉|妹|兄|弟|祖母|祖父|子供|子ども|上司|部長|課長|同僚|友人|友達|彼女|彼氏|先生|犬"
    r"|猫)(?:の\S{1,8})?(?:は|が)[^。]{4,}"
    r"|[\u4e00-\u9fff\u30a0-\u30ffA-Za-z]{1,10}(?:さん|ちゃん|くん|君|氏|先生)(?:の\S{1,10})?(?:は|が)[^。]{3,}"
    r"|(?:私|僕|俺|自分)(?:の\S{1,10})?は[^。]{4,}(?:です|だ|ます|いる|した|住ん\S*)"
)
_WHEN = (
    r"(?:\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}(?:/\d{2,4})?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
    r"|dec)\w*\.? \d{1,2}(?:st|nd|rd|th)?"
    r"|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|(?:next |this "
    r"|on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|tomorrow|next (?:week|month|year)|(?:in|by|until|since) (?:january|february|march|april|may|june|july"
    r"|august|september|october|november"
    r"|december|q[1-4]|20\d\d)|end of (?:the )?(?:month|year|week|q[1-4]|\w+day))"
)
_OCCASION = (
    r"(?:deadline|due|release|launch|ships?|shipping|demo|meeting|interview|appointment|flight|fly|exam|wedding"
    r"|birthday|conference|vacation"
    r"|holiday|leave|expires?|renew\w*|cut-?off|freeze|go(?:es|ing)? live|trip|trial|starts?|ends?|moves?|moving"
    r"|maintenance|migration|party|visit\w*)"
)
_DATE = re.compile(rf"\b{_OCCASION}\b.{{0,60}}?\b{_WHEN}\b|\b{_WHEN}\b.{{0,60}}?\b{_OCCASION}\b", re.IGNORECASE)
_WHEN_JA = (
    r"(?:\d{4}年)?\d{1,2}月(?:\d{1,2}日|末|中旬|上旬|下旬)|\d{1,2}日|[来今]週|来月|来年|明日|明後日|あさって"
    r"|[月火水木金土日]曜(?:日)?|月末|年末|\d{1,2}/\d{1,2}"
)
_OCCASION_JA = (
    r"(?:締め?切|〆切|期限|納期|予定|会議|打ち合わせ|面接|予約|リリース|公開|発売|出張|旅行|試験|結婚式|誕生日"
    r"|休暇|休み|更新|納品|デモ|発表|引っ越|開始|終了)"
)
_DATE_JA = re.compile(rf"(?:{_WHEN_JA})[^。]{{0,40}}{_OCCASION_JA}|{_OCCASION_JA}[^。]{{0,40}}(?:{_WHEN_JA})")
_NUMBER = r"(?:v?\d+(?:\.\d+)+\w*|v\d+|\d{2,5})"
_VERSION = re.compile(
    rf"\b(?:we|our \w+(?: \w+)?|the (?:staging|prod\w*|dev|test|build|api|db|database|backend|frontend|web|mail"
    rf"|main|ci|internal)? ?"
    rf"(?:server|service|database|db|cluster|api|port|app|site|repo|bucket|queue|box|host|machine|runner|image"
    rf"|branch|password|endpoint)s?)\b"
    rf"[^.?]{{0,40}}\b(?:is|are|runs?|use[sd]?|using|lives?|on|at|called|listens?|requires?|needs?|supports?"
    rf"|stuck|pinned|hosted)\b[^?]{{0,40}}"
    rf"(?:\b{_NUMBER}\b|\bport\b|\bversion\b|`[^`]+`|\b[A-Z]\w+(?:SQL|DB|OS|JS)\b|\b(?:Postgres|Redis|Kubernetes"
    rf"|Docker|AWS|GCP|Azure|Python|Node|Django|React)\b)"
    rf"|\b(?:minimum|required|pinned|supported) (?:\w+ )?version\b[^?]*{_NUMBER}",
    re.IGNORECASE,
)
_VERSION_JA = re.compile(
    rf"(?:サーバー?|データベース|DB|API|ポート|環境|本番|ステージング|バージョン|リポジトリ|ブランチ|うち|弊社"
    rf"|プロジェクト)[^。]{{0,30}}"
    rf"(?:は|が|で)[^。]{{0,30}}(?:{_NUMBER}|を使って(?:いる|います|る)|にある|で動いて(?:いる|います|る)|番)"
)
# They tell a state of mind about the work at hand, and nothing that holds longer.
_MOMENT = re.compile(
    r"\b(?:i (?:think|guess|wonder|suppose|see|mean|get|got|just|tried|ran|don'?t (?:know|think|understand|see"
    r"|get|want (?:you )?to))|looks? (?:good|fine|like)"
    r"|seems?|maybe|perhaps|still (?:fails?|failing|broken|getting|not)|doesn'?t work|not working|same error"
    r"|i like (?:it|that|this|the idea)"
    r"|i love (?:it|that|this)|if (?:we|you|i|it)|what if)\b",
    re.IGNORECASE,
)
_MOMENT_JA = re.compile(
    r"かもしれ|たぶん|多分|と思う|と思います|気がする|みたい|ようです|動かない|エラー|もし|なら(?:ば)?、"
)

_ENGLISH = {
    "correction": _CORRECTION,
    "decision": _DECISION,
    "preference": _PREFERENCE,
    "person": _PERSON,
    "date": _DATE,
    "version": _VERSION,
}
_IN_JAPANESE = {
    "correction": _CORRECTION_JA,
    "decision": _DECISION_JA,
    "preference": _PREFERENCE_JA,
    "person": _PERSON_JA,
    "date": _DATE_JA,
    "version": _VERSION_JA,
}
# These may be said as a wish to the agent; the others are then work at hand.
_MAY_BE_WISHES = ("preference", "decision")


@dataclass(frozen=True)
class Worth:
    """A sentence that looks worth keeping, by which rule, and the kind of memory it would be."""

    text: str
    rule: str

    @property
    def kind(self) -> str:
        """The kind of memory."""
        return _KINDS.get(self.rule, "fact")


def worth_keeping(text: str) -> Iterator[Worth]:
    """The sentences of what a person said that look worth keeping, in order."""
    for sentence in sentences(text):
        found = _judged(sentence)
        if found is not None:
            yield found


def sentences(text: str) -> Iterator[str]:
    """The sentences that a person wrote: no code, no output, no quotes."""
    for each in _END.split(_CODE.sub("", _FENCE.sub("\n", text))):
        plain = _BULLET.sub("", (each or "").strip()).strip()
        if plain:
            yield plain


def _judged(sentence: str) -> Worth | None:
    japanese = bool(_JAPANESE.search(sentence))
    asked = _ASKED_JA.match(sentence) or _NOTED_JA.match(sentence) if japanese else _ASKED.search(sentence)
    if asked and not _QUESTION.search(sentence):
        said = asked["said"].strip(" ,、:：")
        return Worth(_capital(said), "asked") if _LEAST_JAPANESE <= len(said) <= _MOST else None
    if not _long_enough(sentence, japanese) or _QUESTION.search(sentence):
        return None
    if (_MOMENT_JA if japanese else _MOMENT).search(sentence):
        return None
    if (_DANGLING_JA if japanese else _DANGLING).match(sentence):
        return None
    wish = bool(_TO_DO_JA.search(sentence)) if japanese else bool(_TO_DO.match(sentence))
    rules = _IN_JAPANESE if japanese else _ENGLISH
    for rule in RULES[1:]:
        if rules[rule].search(sentence) and not (wish and rule not in _MAY_BE_WISHES):
            return Worth(sentence, rule)
    return None


def _long_enough(text: str, japanese: bool) -> bool:
    least = _LEAST_JAPANESE if japanese else _LEAST
    return least <= len(text) <= _MOST and (japanese or len(text.split()) >= _LEAST_WORDS)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
