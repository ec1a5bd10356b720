# ruff: noqa: I001 - which would give each name a line of its own
"""The types of the library: what the methods of `Vault` take and return.

`from vault_mem import Vault` loads them, so that type hints resolve at run time; a command of the shell needs few of
them and loads those alone. `X as X` tells type checkers that a name is public.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import date, datetime

from vault_mem.index.sync import Progress as Progress, SyncReport as SyncReport
from vault_mem.model import (
    Episode as Episode,
    Kind as Kind,
    Link as Link,
    LinkType as LinkType,
    Memory as Memory,
    MetaValue as MetaValue,
    Problem as Problem,
)
from vault_mem.notes.checklist import Proposal as Proposal
from vault_mem.notes.session import Said as Said
from vault_mem.operations.day.budget import Excerpt as Excerpt
from vault_mem.operations.day.emotion_trend import EmotionTrend as EmotionTrend
from vault_mem.operations.day.introspect import Introspection as Introspection
from vault_mem.operations.day.update_self import SelfResult as SelfResult
from vault_mem.operations.day.wake_up import WakeUp as WakeUp
from vault_mem.operations.git.copies import SideBySide as SideBySide
from vault_mem.operations.memory.compare import Comparison as Comparison
from vault_mem.operations.memory.drafts import Draft as Draft
from vault_mem.operations.memory.filters import Filters as Filters
from vault_mem.operations.memory.recall import RecallResult as RecallResult, Request as Request
from vault_mem.operations.memory.remember import RememberResult as RememberResult
from vault_mem.operations.memory.remember_many import RememberedMany as RememberedMany
from vault_mem.operations.memory.results import Found as Found
from vault_mem.operations.memory.show import (
    Count as Count,
    Counts as Counts,
    ListResult as ListResult,
    ShowResult as ShowResult,
)
from vault_mem.operations.memory.similar import SimilarResult as SimilarResult
from vault_mem.operations.memory.why_not import WhyNot as WhyNot
from vault_mem.operations.sessions.candidates import Candidate as Candidate
from vault_mem.operations.sessions.hint import HintStats as HintStats
from vault_mem.operations.sessions.import_sessions import SessionsReport as SessionsReport
from vault_mem.operations.sessions.sessions import (
    Removed as Removed,
    SessionFile as SessionFile,
    SessionHit as SessionHit,
)
from vault_mem.operations.upkeep.answers import Answer as Answer
from vault_mem.operations.upkeep.backup import BackupResult as BackupResult
from vault_mem.operations.upkeep.consolidate import ConsolidationStats as ConsolidationStats
from vault_mem.operations.upkeep.edit_memory import EditResult as EditResult
from vault_mem.operations.upkeep.episodes import (
    EpisodeChange as EpisodeChange,
    EpisodeList as EpisodeList,
    EpisodeResult as EpisodeResult,
)
from vault_mem.operations.upkeep.forget import (
    ForgetResult as ForgetResult,
    RestoreResult as RestoreResult,
    Trashed as Trashed,
)
from vault_mem.operations.upkeep.graph import GraphOverview as GraphOverview, GraphResult as GraphResult
from vault_mem.operations.upkeep.link import LinkResult as LinkResult, UnlinkResult as UnlinkResult
from vault_mem.operations.upkeep.merge import MergeResult as MergeResult
from vault_mem.operations.upkeep.private import PrivateResult as PrivateResult
from vault_mem.operations.upkeep.publish import PublishResult as PublishResult
from vault_mem.operations.upkeep.purge import Purge as Purge
from vault_mem.operations.upkeep.rename import RenameResult as RenameResult
from vault_mem.operations.upkeep.summaries import Scope as Scope
from vault_mem.operations.upkeep.tidy import TidyReport as TidyReport
from vault_mem.operations.upkeep.tidy_candidates import TidyCandidates as TidyCandidates
from vault_mem.operations.upkeep.tidy_plan import PlanResult as PlanResult
from vault_mem.operations.upkeep.undo import (
    HistoryResult as HistoryResult,
    NextUndo as NextUndo,
    Operation as Operation,
    UndoResult as UndoResult,
)
from vault_mem.operations.vaults.configure import SettingView as SettingView
from vault_mem.operations.vaults.doctor import Diagnosis as Diagnosis
from vault_mem.operations.vaults.evaluate import Report as Report
from vault_mem.operations.vaults.export import ExportReport as ExportReport
from vault_mem.operations.vaults.import_ import ImportReport as ImportReport
from vault_mem.operations.vaults.init import InitResult as InitResult
from vault_mem.operations.vaults.several import OtherVault as OtherVault
from vault_mem.operations.vaults.stats import Stats as Stats
from vault_mem.operations.vaults.status import Status as Status
from vault_mem.operations.vaults.views import RebuildResult as RebuildResult
from vault_mem.vault.history import Revision as Revision

# A memory, or a way to name one: its id or the start of it, its title, or the path of its file.
Ref = str | os.PathLike[str] | Memory | Found
# One text, or any number of them.
Texts = Iterable[str]
# A date means its first moment; times without a zone are in the vault's.
When = datetime | date | str
Metadata = Mapping[str, MetaValue]
StrPath = str | os.PathLike[str]
