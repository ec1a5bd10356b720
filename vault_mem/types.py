"""The types of the library: what the methods of `Vault` take and return.

`from vault_mem import Vault` loads them, so that type hints resolve at run time; a command of the shell needs few of
them and loads those alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import date, datetime

from vault_mem.index.sync import Progress, SyncReport
from vault_mem.model import Episode, Kind, Link, LinkType, Memory, MetaValue, Problem
from vault_mem.notes.checklist import Proposal
from vault_mem.notes.session import Said
from vault_mem.operations.day.budget import Excerpt
from vault_mem.operations.day.emotion_trend import EmotionTrend
from vault_mem.operations.day.introspect import Introspection
from vault_mem.operations.day.update_self import SelfResult
from vault_mem.operations.day.wake_up import WakeUp
from vault_mem.operations.git.copies import SideBySide
from vault_mem.operations.memory.compare import Comparison
from vault_mem.operations.memory.drafts import Draft
from vault_mem.operations.memory.filters import Filters
from vault_mem.operations.memory.recall import RecallResult, Request
from vault_mem.operations.memory.remember import RememberResult
from vault_mem.operations.memory.remember_many import RememberedMany
from vault_mem.operations.memory.results import Found
from vault_mem.operations.memory.show import Count, Counts, ListResult, ShowResult
from vault_mem.operations.memory.similar import SimilarResult
from vault_mem.operations.memory.why_not import WhyNot
from vault_mem.operations.sessions.candidates import Candidate
from vault_mem.operations.sessions.hint import HintStats
from vault_mem.operations.sessions.import_sessions import SessionsReport
from vault_mem.operations.sessions.sessions import Removed, SessionFile, SessionHit
from vault_mem.operations.upkeep.answers import Answer
from vault_mem.operations.upkeep.backup import BackupResult
from vault_mem.operations.upkeep.consolidate import ConsolidationStats
from vault_mem.operations.upkeep.edit_memory import EditResult
from vault_mem.operations.upkeep.episodes import EpisodeChange, EpisodeList, EpisodeResult
from vault_mem.operations.upkeep.forget import ForgetResult, RestoreResult, Trashed
from vault_mem.operations.upkeep.graph import GraphOverview, GraphResult
from vault_mem.operations.upkeep.link import LinkResult, UnlinkResult
from vault_mem.operations.upkeep.merge import MergeResult
from vault_mem.operations.upkeep.private import PrivateResult
from vault_mem.operations.upkeep.publish import PublishResult
from vault_mem.operations.upkeep.purge import Purge
from vault_mem.operations.upkeep.rename import RenameResult
from vault_mem.operations.upkeep.summaries import Scope
from vault_mem.operations.upkeep.tidy import TidyReport
from vault_mem.operations.upkeep.tidy_candidates import TidyCandidates
from vault_mem.operations.upkeep.tidy_plan import PlanResult
from vault_mem.operations.upkeep.undo import HistoryResult, NextUndo, Operation, UndoResult
from vault_mem.operations.vaults.configure import SettingView
from vault_mem.operations.vaults.doctor import Diagnosis
from vault_mem.operations.vaults.evaluate import Report
from vault_mem.operations.vaults.export import ExportReport
from vault_mem.operations.vaults.import_ import ImportReport
from vault_mem.operations.vaults.init import InitResult
from vault_mem.operations.vaults.several import OtherVault
from vault_mem.operations.vaults.stats import Stats
from vault_mem.operations.vaults.status import Status
from vault_mem.operations.vaults.views import RebuildResult
from vault_mem.vault.history import Revision

# A memory, or what names one: its id or the beginning of it, its title, the path of its file.
Ref = str | os.PathLike[str] | Memory | Found
# One text, or any number of them.
Texts = Iterable[str]
# A date is its first moment; without a zone, all times are in the vault's.
When = datetime | date | str
Metadata = Mapping[str, MetaValue]
StrPath = str | os.PathLike[str]

__all__ = [
    "Answer",
    "BackupResult",
    "Candidate",
    "Comparison",
    "ConsolidationStats",
    "Count",
    "Counts",
    "Diagnosis",
    "Draft",
    "EditResult",
    "EmotionTrend",
    "Episode",
    "EpisodeChange",
    "EpisodeList",
    "EpisodeResult",
    "Excerpt",
    "ExportReport",
    "Filters",
    "ForgetResult",
    "Found",
    "GraphOverview",
    "GraphResult",
    "HintStats",
    "HistoryResult",
    "ImportReport",
    "InitResult",
    "Introspection",
    "Kind",
    "Link",
    "LinkResult",
    "LinkType",
    "ListResult",
    "Memory",
    "MergeResult",
    "MetaValue",
    "Metadata",
    "NextUndo",
    "Operation",
    "OtherVault",
    "PlanResult",
    "PrivateResult",
    "Problem",
    "Progress",
    "Proposal",
    "PublishResult",
    "Purge",
    "RebuildResult",
    "RecallResult",
    "Ref",
    "RememberResult",
    "RememberedMany",
    "Removed",
    "RenameResult",
    "Report",
    "Request",
    "RestoreResult",
    "Revision",
    "Said",
    "Scope",
    "SelfResult",
    "SessionFile",
    "SessionHit",
    "SessionsReport",
    "SettingView",
    "ShowResult",
    "SideBySide",
    "SimilarResult",
    "Stats",
    "Status",
    "StrPath",
    "SyncReport",
    "Texts",
    "TidyCandidates",
    "TidyReport",
    "Trashed",
    "UndoResult",
    "UnlinkResult",
    "WakeUp",
    "When",
    "WhyNot",
]
