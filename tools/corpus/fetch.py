"""Packages from their registries: by name, version and hash, kept in a folder."""

import base64
import dataclasses
import hashlib
import io
import json
import pathlib
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile

WASM_BYTES_MIN = 10_000
TIME_MAX_S = 300


@dataclasses.dataclass
class Package:
    registry: str
    name: str
    version: str
    about: str
    files: dict[str, pathlib.Path] = dataclasses.field(default_factory=dict)  # name in the package -> the wasm file
    problem: str = ""


class Gone(Exception):
    """A package that cannot be had, with the sentence why."""


def digest(bytes_, wanted):
    kind = wanted.split("-", 1)[0]
    if kind == "sha512":
        return "sha512-" + base64.b64encode(hashlib.sha512(bytes_).digest()).decode()
    return "sha256-" + hashlib.sha256(bytes_).hexdigest()


def read(url):
    with urllib.request.urlopen(url, timeout=TIME_MAX_S) as answer:
        return answer.read()


def address(registry, name, version, wanted):
    if registry == "npm":
        return f"https://registry.npmjs.org/{name}/-/{name.rsplit('/', 1)[-1]}-{version}.tgz"
    about = json.loads(read(f"https://pypi.org/pypi/{name}/json"))
    for file in about["releases"].get(version, []):
        if "sha256-" + file["digests"]["sha256"] == wanted:
            # Mirrors name their files from the place of the index.
            return urllib.parse.urljoin(f"https://pypi.org/simple/{name}/", file["url"])
    raise Gone(f"{name} {version} of {registry} has no file with the hash of corpus.toml any more")


def archive(registry, wanted, folder):
    """The bytes of the package's archive, which have the wanted hash."""
    title = f"{wanted['name']} {wanted['version']} of {registry}"
    kept = folder / "archives" / hashlib.sha256(wanted["hash"].encode()).hexdigest()
    if kept.is_file() and digest(kept.read_bytes(), wanted["hash"]) == wanted["hash"]:
        return kept.read_bytes()
    try:
        bytes_ = read(address(registry, wanted["name"], wanted["version"], wanted["hash"]))
    except urllib.error.HTTPError as error:
        if error.code in (404, 410):
            raise Gone(f"{title} is gone from its registry; take another version in tools/corpus/corpus.toml") from error
        raise Gone(f"{title} cannot be fetched (HTTP {error.code}); try again later") from error
    except OSError as error:
        raise Gone(f"{title} cannot be fetched ({error}); try again later") from error
    if digest(bytes_, wanted["hash"]) != wanted["hash"]:
        raise Gone(f"{title} has other bytes than its hash in tools/corpus/corpus.toml says; it is not used")
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(bytes_)
    return bytes_


def members(registry, bytes_):
    """Names and contents of the files of an archive; npm puts all of them into one folder."""
    if registry == "pypi":
        with zipfile.ZipFile(io.BytesIO(bytes_)) as opened:
            for name in opened.namelist():
                yield name, lambda name=name: opened.read(name)
        return
    with tarfile.open(fileobj=io.BytesIO(bytes_)) as opened:
        for member in opened:
            if member.isfile():
                yield member.name.split("/", 1)[-1], lambda member=member: opened.extractfile(member).read()


def package(registry, wanted, folder):
    """The package with its wasm files put into the folder, or with its problem."""
    fetched = Package(registry, wanted["name"], wanted["version"], wanted["about"])
    try:
        bytes_ = archive(registry, wanted, folder)
    except Gone as why:
        fetched.problem = str(why)
        return fetched
    place = folder / "modules" / f"{wanted['name'].replace('/', '+')}-{wanted['version']}"
    place.mkdir(parents=True, exist_ok=True)
    for name, content in members(registry, bytes_):
        if not name.endswith(".wasm") or name not in wanted.get("files", [name]):
            continue
        wasm = content()
        if len(wasm) < WASM_BYTES_MIN:
            continue
        # A name from an archive is no path of ours.
        fetched.files[name] = place / name.replace("/", "+")
        fetched.files[name].write_bytes(wasm)
    if not fetched.files:
        fetched.problem = f"{fetched.name} {fetched.version} of {registry} has no wasm file of corpus.toml"
    return fetched
