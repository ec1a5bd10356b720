import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

const COMMAND = %s;

export const VaultMem = async ({ directory }) => ({
  event: async ({ event }) => {
    if (event.type !== "session.idle") return;
    const data = process.env.XDG_DATA_HOME || join(homedir(), ".local", "share");
    const told = {
      session_id: event.properties.sessionID,
      transcript_path: join(data, "opencode", "opencode.db"),
      cwd: directory,
      hook_event_name: "session.idle",
    };
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "ignore", "ignore"] });
      child.on("error", () => {});
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(told));
    } catch {}
  },
});
