import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const COMMAND = %s;
const STATE = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export default function handler(event) {
  const context = event.context ?? {};
  const entry = context.previousSessionEntry ?? context.sessionEntry ?? {};
  const agent = context.agentId ?? String(event.sessionKey ?? "").split(":")[1] ?? "main";
  const told = {
    session_id: context.sessionId ?? entry.sessionId ?? event.sessionKey,
    transcript_path: join(STATE, "agents", agent, "agent", "openclaw-agent.sqlite"),
    cwd: context.workspaceDir ?? "",
    hook_event_name: `${event.type}:${event.action}`,
  };
  try {
    const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: told.cwd || STATE, stdio: ["pipe", "ignore", "ignore"] });
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(told));
  } catch {}
}
