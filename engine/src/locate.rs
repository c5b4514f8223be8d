//! From a place in the rewritten module back to the guest's own: for backtraces, so it may take its time.

use crate::artifact::Artifact;
use crate::meter::{self, Copied};
use crate::prepare::Analysis;
use crate::trap_site::Body;

pub struct Locator {
    analysis: Analysis,
    copied: Vec<Copied>,
    imported: u32,
    added: u32,
}

impl Locator {
    pub fn new(artifact: &Artifact) -> Locator {
        let analysis = artifact.analyse_again();
        let mut copied = Vec::new();
        meter::rewrite(&artifact.wasm, &analysis, Some(&mut copied));
        let (imported, added) = (analysis.module.imported_functions, meter::Added::new(&analysis).functions);
        Locator { analysis, copied, imported, added }
    }

    /// The guest's index of a function of the rewritten module, unless the meter added it.
    pub fn function(&self, function: u32) -> Option<u32> {
        match function.checked_sub(self.imported) {
            None => Some(function),
            Some(behind) => behind
                .checked_sub(self.added)
                .filter(|own| (*own as usize) < self.analysis.plans.len())
                .map(|own| self.imported + own),
        }
    }

    /// The guest's offset of an operator; of one the meter added, that of the operator it stands before.
    pub fn offset(&self, offset: usize) -> usize {
        let after = self.copied.partition_point(|piece| piece.new <= offset);
        let before = after.checked_sub(1).map(|before| &self.copied[before]);
        match (before, self.copied.get(after)) {
            (Some(piece), _) if offset < piece.new + piece.length => piece.old + (offset - piece.new),
            (_, Some(next)) => next.old,
            (Some(last), None) => last.old + last.length,
            (None, None) => 0,
        }
    }
    /// The guest's offset of the `unreachable` that a function of the guest's trapped with at `offset`.
    pub fn unreachable(&self, artifact: &Artifact, function: u32, offset: usize) -> usize {
        let place = self.offset(offset);
        let plan = function.checked_sub(self.imported).and_then(|defined| self.analysis.plans.get(defined as usize));
        let code = plan.map(|plan| Body::new(&artifact.wasm[plan.code..plan.body.end], plan.code));
        code.map_or(place, |body| body.trap_from(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Set;

    #[test]
    fn functions_of_the_meters_are_none_of_the_guests() {
        let text = format!(r#"(module (import "a" "b" (func)) {})"#, "(func (loop (call 0)))".repeat(16));
        let wasm = wat::parse_str(text).expect("the text is right");
        let artifact = Artifact::prepare(&wasm, Set::Candidate).unwrap_or_else(|failure| panic!("{}", failure.message));
        let locator = Locator::new(&artifact);
        let found: Vec<_> = (0..19).map(|function| locator.function(function)).collect();
        let (import, refill, next_slice) = ([Some(0)], [None], [None]);
        let expected: Vec<_> = import.into_iter().chain(refill).chain((1..=16).map(Some)).chain(next_slice).collect();
        assert_eq!(found, expected);
    }
}
