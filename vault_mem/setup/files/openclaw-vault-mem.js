import { execFile } from "node:child_process";
import { join } from "node:path";

const COMMAND = %s;

export default async function handler(event) {
  if (event.type !== "agent" || event.action !== "bootstrap") return;
  const { workspaceDir, bootstrapFiles } = event.context ?? {};
  if (!Array.isArray(bootstrapFiles)) return;
  const content = await new Promise((resolve) => {
    execFile(COMMAND[0], COMMAND.slice(1), { cwd: workspaceDir, timeout: 30000 }, (error, out) =>
      resolve(error ? "" : out.trim()),
    );
  });
  if (content) {
    bootstrapFiles.push({ name: "VAULT-MEM.md", path: join(workspaceDir, "VAULT-MEM.md"), content, missing: false });
  }
}
