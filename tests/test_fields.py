"""The table of fields: a line of it is all that it takes to have one more."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import vault_mem

PACKAGE = Path(vault_mem.__file__).parent
LINE = '    weather: str | None = described_field(Form.TEXT, "What the sky was like.", example="drizzle")\n'
USE = """
import json, sys
from pathlib import Path
from vault_mem import Vault, model
from vault_mem.cli.main import cli
from vault_mem.mcp.tools import BY_NAME
from vault_mem.operations.vaults.obsidian import PROPERTY_TYPES
sys.path.insert(0, sys.argv[2])
import generate_fields

Vault.init(Path(sys.argv[1]))
with Vault(Path(sys.argv[1])) as vault:
    saved = vault.remember("The fair was cancelled", weather="drizzle")
    vault.edit(saved.memory.id, fields={"weather": "hail"})
    shown = vault.show(saved.memory.id).memory
    note = (vault.root / shown.path).read_text()
option = next(each for each in cli.get_command(None, "remember").params if each.name == "weather")
print(json.dumps({
    "read": shown.weather,
    "written": "\\nweather: hail\\n" in note,
    "json": shown.to_dict()["weather"],
    "option": [option.opts[0], option.help],
    "tool": BY_NAME["remember"].input_schema()["properties"]["weather"],
    "obsidian": PROPERTY_TYPES.get("weather"),
    "docs": "| `weather` | text | not set | `drizzle` | what the sky was like |" in generate_fields.page(),
}))
"""


WRITE = """
import sys
sys.path.insert(0, sys.argv[1])
import generate_fields
generate_fields.LIBRARY.write_text(generate_fields.keywords())
"""


def test_a_field_is_one_line(tmp_path: Path) -> None:
    # B-1, O-1: model, parsing, writing, editing, option, tool, docs and the library's keyword follow from the table
    copy = tmp_path / "with-weather/vault_mem"
    copy.mkdir(parents=True)
    for each in PACKAGE.iterdir():
        if each.name not in ("model.py", "library.py", "__pycache__"):
            (copy / each.name).symlink_to(each)
    table = (PACKAGE / "model.py").read_text()
    (copy / "model.py").write_text(
        table.replace("    status: str | None = described_field(", LINE + "    status: str | None = described_field(")
    )
    shutil.copy(PACKAGE / "library.py", copy)
    docs = PACKAGE.parent / "docs"
    env = {"PYTHONPATH": str(copy.parent), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}

    def run(*words: object) -> str:
        command = [sys.executable, *map(str, words)]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("-c", WRITE, docs)
    assert json.loads(run("-c", USE, tmp_path / "vault", docs)) == {
        "read": "hail",
        "written": True,
        "json": "hail",
        "option": ["--weather", "What the sky was like."],
        "tool": {"type": "string", "description": "What the sky was like."},
        "obsidian": None,
        "docs": True,
    }
