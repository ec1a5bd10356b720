"""Notices that accompany an answer, filled in with `str.format`. `Console.note` prints them on standard error."""

from __future__ import annotations

STALE = "the index is behind; {pending} changed file(s) are not in this answer yet"
CLUSTERS_LEFT_OUT = "{count} more cluster(s) did not fit the budget"
DAEMON_DIED = "the daemon died before it could answer, but this was done"
DEAD_LINKS = (
    "links in {files} of yours are dead now. To change those too: vault-mem undo, then run it again with --update-links"
)
EPISODE_STILL_NAMED = "{key} still names the episode, which is private now"
LEFT_ALONE = "{key} {what} and was left alone"
NO_ANSWER = "checked it, but vault-mem did not answer: {error}"
NO_SERVICE_MANAGER = "the service manager did not respond; run this yourself: {command}"
NO_VAULT_YET = "there is no vault yet; setup would make one in {folder}"
NOT_ON_PATH = "vault-mem is not on your PATH, so agents will not find it. Installing it with pipx puts it there."
NOT_PUT_BACK = "{key} was changed since; its link to the memory was not restored"
STILL_BLOCKED = "the refused text could not be deleted, so --last-blocked still offers it: {error}"
STILL_IN_TEXT = "the text of {key} still links to it; --body turns that into plain text"
