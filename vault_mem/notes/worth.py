"""What looks worth keeping in what a person says to an agent: sentences by rules, in English and Japanese, no model.

Precise rather than complete: a person reads what is proposed, and stops reading if it is junk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Most sure first: of more than fit a day, the first are proposed.
RULES = ("asked", "correction", "decision", "preference", "person", "date", "version", "statement")
_KINDS = {"decision": "event", "person": "fact", "date": "event"}

_FENCE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^\s*(?:[>|$#+]|at .+\(.*:\d+|File \"|\d+[:|]\s|[\w./-]+:\d+:|[{}\[\]();]+$).*$", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•・]|\d+[.)])\s+")
_ABBREVIATED = "".join(
    rf"(?<!\b{each}\.)" for each in ("Dr", "Mr", "Mrs", "Ms", "Prof", "St", "vs", "etc", "e\\.g", "i\\.e")
)
_END = re.compile(rf"{_ABBREVIATED}(?<=[.!?])[\"')\]]*\s+|(?<=[。！？])|\n+", re.IGNORECASE)
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_LEAST, _LEAST_JAPANESE, _MOST = 14, 8, 280
_LEAST_WORDS = 4
_LONGEST_STATEMENT = 140

# Questions and requests for work now matter only in this session.
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
# It refers to something said before that is not in the sentence.
_DANGLING = re.compile(
    r"(?:and|but|so|or|because|then|well|oh|hmm|yeah|yes|no|ok(?:ay)?)?[,]?\s*"
    r"(?:it|this|that|these|those|they|them|he|she|here|there|which|same)(?:'s|'re|'ll|\b)",
    re.IGNORECASE,
)
_DANGLING_JA = re.compile(
    r"(?:(?:でも|だから|じゃあ|では|で|あ|あと)、?)?(?:それ(?!と)|これ(?!から)|あれ|そこ|ここ|この|その|あの|そう|こう|彼|彼女)"
)
# In Japanese, "it was settled for Saturday" leaves out what was settled.
_TOPIC_JA = re.compile(r"[はがをも]|って|から|、")

_ASKED = re.compile(
    r"(?:^|[,;]\s*|\b)(?:please\s+|and\s+|also\s+|so\s+)*"
    r"(?:remember(?:\s+(?:that|this|:))|(?:make a )?note(?:\s+that|:)|for the record[,:]|keep in mind(?:\s+that|:)"
    r"|don'?t forget(?:\s+that|:)|fyi[,:]?|just so you know[,:]?|for (?:future|later) reference[,:]"
    r"|bear in mind(?:\s+that|:))"
    r"\s*(?P<said>.+)",
    re.IGNORECASE | re.DOTALL,
)
# "I prefer tea, just so you know": what to keep comes before it.
_ASKED_AFTER = re.compile(
    r"(?P<said>.{14,}?)[,;]?\s+(?:just so you know|for (?:the record|(?:future|later) reference)|fyi"
    r"|(?:please )?remember (?:that|this))"
    r"(?: for next time)?[.!]*$",
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
_AILMENT = (
    r"(?:allerg\w+|asthma|diabet\w+|c(?:o)?eliac|migraines?|epilep\w+|pregnant|hay fever|intoleran\w+|dyslexi\w+|adhd"
    r"|autis\w+"
    r"|blood pressure|surgery|operation|diagnosed|colou?r-?\s?blind|(?:sea|car|motion) ?sick)"
)
_PREFERENCE = re.compile(
    r"\bi(?:'d| would) (?:really |much |always |still |actually |generally |usually )*(?:prefer|rather)\b"
    r"|\bi (?:really |much |always |still |actually |generally |usually )*"
    r"(?:prefer|like|love|hate|dislike|enjoy|rather|(?:can'?t|cannot) (?:stand|have|eat|drink|bear)|don'?t (?:like"
    r"|want|eat|drink|use|need)"
    r"|never (?:use|eat|want|drink)"
    r"|avoid|am allergic|'m allergic)\b"
    rf"|\bi(?:'m| am|'ve| have| had| get| got| was) (?:\w+ ){{0,3}}{_AILMENT}\b|\b(?:i|we)(?:'ve| have)? (?:stopped"
    rf"|quit|gave up|given up) \w+ing\b"
    r"|\bi(?:'m| am) (?:vegetarian|vegan|left-handed|not a (?:big )?fan)\b|\bmy (?:favou?rite|preferred|preference)\b"
    r"|\b(?:i|we) (?:\w+ )?(?:only|never|always) (?:travel|fly|drive|cook|work|read|write|take|buy|order|wear|speak"
    r"|use|eat|drink)\b"
    r"|, (?:never|not|no) (?:plain |the )?\w+[,.]? (?:please|ever|the|it|because|since)\b|\b(?:no"
    r"|without) \w+,? please\b"
    r"|\b\w+days? (?:don'?t|doesn'?t|won'?t|never) works?\b|\bonly (?:after|before|until|between) \d"
    r"|^(?:please |and )*(?:always|never) (?!mind)\w+|\b(?:please|and) (?:always|never) \w+"
    r"|^(?:please )?(?:do not|don'?t) (?:ever|use|add|put|write|call|mock|commit|touch|include|start"
    r"|mix)\b.*\b(?:ever|again|unless|anywhere"
    r"|in (?:this|our|the) (?:repo|project|code\w*)|instead|comments?|emojis?|tests?)\b",
    re.IGNORECASE,
)
_PREFERENCE_JA = re.compile(
    r"(?:が|は)(?:大好き|好き|好み|嫌い|大嫌い|苦手|得意|駄目|ダメ)(?!で(?:は|も)ない)|(?:の|な)(?:方"
    r"|ほう)が(?:いい|良い|好き|好み|楽|助かる)"
    r"|(?:いつも|必ず|常に|絶対に?|毎回)[^。]{2,}(?:[しっいえけんせべめれ][てで]|で(?:お願い)?|ください|しない|ほしい|欲しい|てる|ている)"
    r"|アレルギー|船酔い|車酔い|花粉症|喘息|ぜんそく|糖尿病|高血圧|持病|妊娠|(?:の|お)?薬を飲ん(?:で|だ)|手術(?:した|を受けた)"
    r"|(?:は|が)[^。、]{0,12}(?:食べられない|飲めない|できない|だめ|ダメ|無理)|しか(?:無理|だめ|ダメ|でき\S*ない)|(?:だけ|まで)にして(?:る|いる|います)"
    r"|(?:は|を)[^。]{1,20}(?:じゃなく|ではなく)て?[^。]{2,}(?:して|ほしい|欲しい|ください)|(?:は|を)[^。]{2,}(?:以内|以下|まで)(?:に|で)[^。]{0,6}(?:して"
    r"|ほしい|欲しい|ください)"
    r"|(?:禁止|決まり|ルール|約束)(?:に(?:なって|し)\S*|だ|です|で)"
    r"|(?:は|を|に)?[^。、]{0,8}(?:使わないで|書かないで|しないで|入れないで|変えないで|つけないで)"
)
_CORRECTION = re.compile(
    r"^(?:no|nope|no wait|wrong|not quite|actually(?: no)?|sorry|wait)[,.!:—-]+\s*(?=.*\b(?:is|are|was|were|should"
    r"|has|have"
    r"|uses?|runs?|lives?|means?"
    r"|it'?s|we|i|not)\b)|\bthat'?s (?:wrong|not (?:right|correct|true|how))\b|\byou (?:got|have|had) .{1,60} wrong\b"
    r"|\b(?:is|are|was|were|it'?s|means|called|named|use|uses|in|on|at) [^,.;]{1,50}, not \w+|\b(?:it'?s|is"
    r"|was) not [^,.;]{1,50}[,;] (?:but|it'?s)\b"
    r"|\bit should (?:be|have been)\b(?! (?:fine|ok\w*|good|enough|easy))|\binstead of\b.*\b(?:is|are|use)\b",
    re.IGNORECASE,
)
_CORRECTION_JA = re.compile(
    r"^(?:いや|いいえ|(?:違う)+|違います|(?:ちがう)+|そうじゃな\S*|そうではな\S*|間違い)[、。]\s*\S+|(?:ではなく(?:て)?"
    r"|じゃなく(?:て)?)[、]?[^。]{2,}"
    r"|正しくは|(?:が|は)(?:間違い|誤り)(?:で|だ)"
)
_RELATIVE = (
    r"(?:(?:mother|father|sister|brother|son|daughter)[- ]in[- ]law|wife|husband|partner|girlfriend|boyfriend|son"
    r"|daughter|child|kid|kids|baby|mother|mom|mum|father|dad"
    r"|parents|sister|brother"
    r"|grandmother|grandfather|aunt|uncle|cousin|niece|nephew|boss|manager|colleague|coworker|co-worker"
    r"|cofounder|co-founder|teammate"
    r"|friend|neighbou?r|landlord|landlady|doctor|dentist|physio\w*|therapist|trainer|lawyer|accountant|electrician"
    r"|plumber|passport|client|customer|teacher|cat|dog|name|birthday)"
)
_STATES = (
    r"(?:is|was|are|were|'s|has|have|had|works?|worked|lives?|lived|moved|joined|left|quit|started|likes?|loves?"
    r"|hates?|prefers?|owns?"
    r"|runs?|manages?|leads?|speaks?|teaches|studies|turns?|turned|got|will|wants?|needs?|hired|married|handles?"
    r"|maintains?|takes over"
    r"|took over|reports?|said|says|told me|gets?|can'?t|cannot|won'?t|doesn'?t|isn'?t|only|never|always|runs out"
    r"|expires)"
)
_PERSON = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur) (?:\w+ )?{_RELATIVE}(?:'s \w+)?,? (?:[A-Z]\w+,? )?{_STATES}\b"
    rf"|(?i:\b(?:the )?{_RELATIVE} is (?:called|named|dr|prof|mrs?|ms)\b|^(?:\w+ )?(?:mum|mom|dad|grandma|grandpa"
    rf"|granny|the landlord|the landlady) {_STATES}\b)"
    rf"|(?i:\b(?:her|his|their) name is) [A-Z]|\b(?:belongs? to|(?:is|are) (?:owned|maintained|run) by) [A-Z]"
    rf"|^(?!(?:The|This|That|These|Those|There|Here|What|When|Where|Why|How|Which|Who|If|But|And|It|Then|Now"
    rf"|Also|So|Yes|No|Every\w*|Some\w*"
    rf"|Any\w*|All|Both|Each|Not|Nothing|One|Tests?|Code|Error"
    rf"|Build)\b)[A-Z][a-zà-ÿ]{{2,}}(?: [A-Z][a-zà-ÿ]+)?(?:'s \w+)? "
    rf"(?:lives|lived|moved|joined|left|quit|likes|loves|hates|prefers|works|worked|owns|manages|leads|teaches"
    rf"|studies|turned|married"
    rf"|handles|maintains|took over|takes over|reports to|gets|is (?:our|my|the|in charge|responsible|on (?:leave"
    rf"|holiday|vacation|call)|allergic|a|(?:\d+|six|seven|eight|nine|ten|eleven|twelve)(?= |,|\.|$)))\b"
    rf"|\b(?i:i|we) (?:live|work|grew up|was born|moved|have (?:a|two|three|four) (?:kid|child|son|daughter|cat|dog"
    rf"|sister|brother)\w*|am a|'m a|am an|'m an)\b",
)
_PERSON_JA = re.compile(
    r"(?:妻|夫|旦那|主人|娘|息子|母|父|姉|妹|兄|弟|祖母|祖父|子供|子ども|上司|部長|課長|同僚|友人|友達|彼女|彼氏|先生|犬"
    r"|猫)(?:の\S{1,8})?(?:は|が)[^。]{4,}"
    r"|[\u4e00-\u9fff\u30a0-\u30ffA-Za-z]{1,10}(?:さん|ちゃん|くん|君|氏|先生)(?:の\S{1,10})?(?:は|が)[^。]{3,}"
    r"|(?:上|下|真ん中)の子は[^。]{3,}|(?:担当|担任|主治医|かかりつけ|上司|大家|名前)(?:者|医)?は[^。]{2,}"
    r"|(?:おばあちゃん|おじいちゃん|お母さん|お父さん)(?:は|が|も)[^。]{4,}"
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
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th)"
_DAY = (
    rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|{_MONTH} (?:{_NTH}|\d{{1,2}})"
    rf"|(?:the )?(?:{_NTH}|\d{{1,2}})(?: of)? {_MONTH}|the {_NTH})"
)
# What is on a day, or from then on; and what comes again and again.
_DATE = re.compile(
    rf"\b{_OCCASION}\b.{{0,60}}?\b{_WHEN}\b|\b{_WHEN}\b.{{0,60}}?\b{_OCCASION}\b"
    rf"|\b(?:is|are|was|falls|turns? \w+|leave|leaves|arrive|arrives|back|booked|born)\b(?: \w+){{0,6}},? (?:on|from"
    rf"|until|by|for) {_DAY}\b"
    rf"|\b(?:from|until|by|before|starting|as of|since) {_DAY}\b.*\b(?:i|we|my|our)\b|\b(?:i|we|my|our)\b.*\b(?:from"
    rf"|until|by|before|as of|since) (?:{_DAY}|{_MONTH})(?= |,|\.|$)"
    rf"|\b(?:i|we|my \w+|our \w+)\b.*\b(?:every (?:other |second )?(?:\w+day|week|month|morning|evening|night)"
    rf"|on \w+days)\b",
    re.IGNORECASE,
)
_WHEN_JA = (
    r"(?:\d{4}年)?\d{1,2}月(?:\d{1,2}日|末|中旬|上旬|下旬)|\d{1,2}日|[来今]週|来月|来年|明日|明後日|あさって"
    r"|[月火水木金土日]曜(?:日)?|月末|年末|\d{1,2}/\d{1,2}"
)
_OCCASION_JA = (
    r"(?:締め?切|〆切|期限|納期|予定|会議|打ち合わせ|面接|予約|リリース|公開|発売|出張|旅行|試験|結婚式|誕生日"
    r"|休暇|休み|更新|納品|デモ|発表|引っ越|開始|終了)"
)
_DATE_JA = re.compile(
    rf"(?:{_WHEN_JA})[^。]{{0,40}}{_OCCASION_JA}|{_OCCASION_JA}[^。]{{0,40}}(?:{_WHEN_JA})"
    r"|[はがを][^。]*\d{1,2}月\d{1,2}日|\d{1,2}月\d{1,2}日(?:まで|から|以降)[^。]{3,}|(?:来週|来月|来年|今年|先月|今月)から[^。]{5,}"
    r"|毎(?:週|朝|晩|日|月|年)[^。]{4,}(?:る|ます|いる|てる)"
)
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
    rf"|\b(?:minimum|required|pinned|supported) (?:\w+ )?version\b[^?]*{_NUMBER}"
    rf"|\bbudget (?:is|of)\b.*\d|\bwe have \d[\d,.]* ?(?:euros?|dollars?|pounds?|€|\$|£)",
    re.IGNORECASE,
)
_VERSION_JA = re.compile(
    rf"(?:サーバー?|データベース|DB|API|ポート|環境|本番|ステージング|バージョン|リポジトリ|ブランチ|うち|弊社"
    rf"|プロジェクト)[^。]{{0,30}}"
    rf"(?:は|が|で)[^。]{{0,30}}(?:{_NUMBER}|を使って(?:いる|います|る)|にある|で動いて(?:いる|います|る)|番)"
)
# Beside requests, questions and remarks on the work at hand, people tell agents how things are. No list of subjects
# covers that, so a plain statement in the present counts, unless something in it is of the moment or an opinion.
_STATEMENT = re.compile(
    r"^(?:(?i:the|our|my|all|every|each|any|we|no|dad|mum|mom)|(?!\w+(?:ly|ing)\b)[A-Z][a-z]+|[a-z]{3,}s"
    r"|[a-z]+ (?:[A-Z]\w*|\w?\d+))\b[^:,]{0,60}"
    r"\b(?:is|are|has|have|must|may|can'?t|cannot|won'?t|doesn'?t|don'?t|needs?|wants?|go(?:es)?|gets?|takes?|runs?|uses?"
    r"|pays?|allows?|lives?|works?|booked|does|draws?|signs?|reports?|targets?|stays?|keeps?|expects?|comes?|belongs?"
    r"|supports?|requires?|left|always|never|only)\b"
)
_PASSING = re.compile(
    r"^(?:ok(?:ay)?|yes|yeah|nah|nope|thanks|thx|hm+|hi|hey|hello|sorry|so|some|and|but|or|then|also|well|like|if"
    r"|while|when|as|for|since|after|before|with|in|on|at|to|by|makes|however|your?|what|why|how|where|which|who"
    r"|is|are|does|do|can|could|should|would|will|let'?s)\b"
    r"|\b(?:now|again|too|currently|to(?:day|night)|so far|yet|errors?|fail\w*|broken|slow|exception"
    r"|crash(?:es|ed)|bugs?|trying|going to|would|could|might|feel\w*|worried|stuck|sure|hope\w*|wonder\w*|please"
    r"|you|how|what|why|which|goal|following|below|above|(?:must )?ha(?:ve|s) been|looks?|seems?|sounds?|confus\w+"
    r"|think|help\w*|needs? to|want to|this|that|these|those|it|amazing|great\w*|perfect|best|better|good|nice"
    r"|cool|love\w*|favou?rite)\b|!",
    re.IGNORECASE,
)
_STATEMENT_JA = re.compile(
    r"^[^、。]{1,20}(?:は|も)[^。]{4,70}(?:です|ます|ません|でした|ました|(?:て|で)(?:い)?る|ない|った)(?:から|ので)?。?$"
)
_PASSING_JA = re.compile(
    r"今|もう|また|まだ|もっと|先に|後で|あとで|エラー|落ち|動か|失敗|直(?:り|っ)|いい感じ|ありがと|助か|なるほど|了解|思|ください|お願い"
)
# These express a feeling about the work at hand, nothing lasting.
_MOMENT = re.compile(
    r"\b(?:i (?:think|guess|wonder|suppose|see|mean|get|got|just|tried|ran|don'?t (?:know|think|understand|see"
    r"|get|want (?:you )?to))|looks? (?:good|fine|like)"
    r"|seems?|maybe|perhaps|still (?:fails?|failing|broken|getting|not)|doesn'?t work|not working|same error"
    r"|i (?:really )?(?:like|love|enjoy|hate) (?:it|that|this|the idea|the \w+[.!]*$)"
    r"|if (?:we|you|i|it)|what if)\b",
    re.IGNORECASE,
)
_MOMENT_JA = re.compile(
    r"かもしれ|たぶん|多分|と思う|と思います|気がする|みたい(?!な)|ようです|動かない|エラー|もし|なら(?:ば)?、"
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
# As wishes to the agent, only these are worth keeping; other wishes are work at hand.
_MAY_BE_WISHES = ("preference", "decision")


@dataclass(frozen=True)
class WorthKeeping:
    """A sentence that looks worth keeping, by which rule, and the kind of memory it would be."""

    text: str
    rule: str

    @property
    def kind(self) -> str:
        """The kind of memory."""
        return _KINDS.get(self.rule, "fact")


def worth_keeping(text: str, *, at_work: bool = False) -> Iterator[WorthKeeping]:
    """The sentences of what a person said that look worth keeping, in order.

    `at_work`: the agent works on something with its tools. There plain statements tell how that is; in small talk they
    are mostly opinions.
    """
    for sentence in sentences(text):
        found = _judged(sentence, at_work)
        if found is not None:
            yield found


def sentences(text: str) -> Iterator[str]:
    """The sentences that a person wrote: no code, no output, no quotes."""
    for each in _END.split(_CODE.sub("", _FENCE.sub("\n", text))):
        plain = _BULLET.sub("", (each or "").strip()).strip()
        if plain:
            yield plain


def _judged(sentence: str, at_work: bool) -> WorthKeeping | None:
    japanese = bool(_JAPANESE.search(sentence))
    asked = _ASKED_JA.match(sentence) or _NOTED_JA.match(sentence) if japanese else _ASKED.search(sentence)
    if not japanese:
        asked = _ASKED_AFTER.match(sentence) or asked
    if asked and not _QUESTION.search(sentence):
        said = asked["said"].strip(" ,、:：")
        return WorthKeeping(_capital(said), "asked") if _LEAST_JAPANESE <= len(said) <= _MOST else None
    if not _long_enough(sentence, japanese) or _QUESTION.search(sentence):
        return None
    if (_MOMENT_JA if japanese else _MOMENT).search(sentence):
        return None
    if (_DANGLING_JA if japanese else _DANGLING).match(sentence):
        return None
    wish = bool(_TO_DO_JA.search(sentence)) if japanese else bool(_TO_DO.match(sentence))
    rules = _IN_JAPANESE if japanese else _ENGLISH
    if japanese and not _TOPIC_JA.search(sentence):
        return None
    for rule, pattern in rules.items():
        if pattern.search(sentence) and not (wish and rule not in _MAY_BE_WISHES):
            return WorthKeeping(sentence, rule)
    states = at_work and not wish and _is_statement(sentence, japanese)
    return WorthKeeping(sentence, "statement") if states else None


def _is_statement(sentence: str, japanese: bool) -> bool:
    if len(sentence) > _LONGEST_STATEMENT:
        return False
    if japanese:
        return bool(_STATEMENT_JA.search(sentence)) and not _PASSING_JA.search(sentence)
    return bool(_STATEMENT.search(sentence)) and not _PASSING.search(sentence)


def _long_enough(text: str, japanese: bool) -> bool:
    least = _LEAST_JAPANESE if japanese else _LEAST
    return least <= len(text) <= _MOST and (japanese or len(text.split()) >= _LEAST_WORDS)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
