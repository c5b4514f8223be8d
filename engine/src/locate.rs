//! From a place in the rewritten module back to the guest's own: for backtraces, so it may take its time.

use crate::artifact::Artifact;
use crate::meter::{self, Copied};

pub struct Locator {
    copied: Vec<Copied>,
    imported: u32,
    added: u32,
}

impl Locator {
    pub fn new(artifact: &Artifact) -> Locator {
        let analysis = artifact.analyse_again();
        let mut copied = Vec::new();
        meter::rewrite(&artifact.wasm, &analysis, Some(&mut copied));
        Locator { copied, imported: analysis.module.imported_functions, added: meter::Added::new(&analysis).functions }
    }

    /// The guest's index of a function of the rewritten module, unless the meter added it.
    pub fn function(&self, function: u32) -> Option<u32> {
        match function.checked_sub(self.imported) {
            None => Some(function),
            Some(behind) if behind >= self.added => Some(function - self.added),
            Some(_) => None,
        }
    }

    /// The guest's offset of an operator; of one the meter added, that of the operator it stands before.
    pub fn offset(&self, offset: usize) -> usize {
        let after = self.copied.partition_point(|piece| piece.new <= offset);
        let Some(piece) = after.checked_sub(1).map(|before| &self.copied[before]) else { return 0 };
        match self.copied.get(after) {
            Some(next) if offset >= piece.new + piece.length => next.old,
            _ => piece.old + (offset - piece.new).min(piece.length),
        }
    }
}
