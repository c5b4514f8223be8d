//! Declarations that this thread has checked lately.
//!
//! The modules of a population differ in their code: the sections before it (types, functions, memory, globals, exports)
//! are the same to the byte. Checking them takes longer than checking the code of a small module, so it is done once.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use wasmparser::{BinaryReader, CodeSectionReader, FuncToValidate, ValidatorResources};

use crate::artifact::Declarations;
use crate::bounds::Set;
use crate::features;
use crate::plan::Findings;
use crate::prepare::RawSections;

/// How many a thread keeps: those that were used last.
const KEPT: usize = 8;
/// Longer declarations are not kept.
const BYTES_MAX: usize = 512;

const CODE_SECTION: u8 = 10;

/// Everything before the code of a module that was accepted, and what was found there.
pub struct CheckedDeclarations {
    pub bytes: Box<[u8]>,
    pub declared: Arc<Declarations>,
    pub raw: RawSections,
    pub findings: Findings,
    pub resources: ValidatorResources,
}

thread_local! {
    static KNOWN: RefCell<Vec<Rc<CheckedDeclarations>>> = const { RefCell::new(Vec::new()) };
}

/// Returns whether declarations like these are kept: element segments and data counts concern what comes later.
pub fn are_kept(bytes: usize, raw: &RawSections) -> bool {
    bytes <= BYTES_MAX && raw.elements.is_empty() && raw.data_count.is_none() && !raw.custom
}

pub fn keep(checked: CheckedDeclarations) {
    KNOWN.with_borrow_mut(|known| {
        known.truncate(KEPT - 1);
        known.insert(0, Rc::new(checked));
    });
}

/// The declarations that the module starts with, if they were checked by this set of bounds and its code comes next.
pub fn find(wasm: &[u8], set: Set) -> Option<Rc<CheckedDeclarations>> {
    KNOWN.with_borrow_mut(|known| {
        let starts_with = |checked: &Rc<CheckedDeclarations>| {
            checked.findings.load.set == set
                && wasm.starts_with(&checked.bytes)
                && wasm.get(checked.bytes.len()) == Some(&CODE_SECTION)
        };
        let place = known.iter().position(starts_with)?;
        known[..=place].rotate_right(1);
        Some(known[0].clone())
    })
}

impl CheckedDeclarations {
    /// The module's code section. None unless it is the last one and has a body for each function, as far as that can be
    /// seen from its start.
    pub fn code_of<'a>(&self, wasm: &'a [u8]) -> Option<CodeSectionReader<'a>> {
        let start = self.bytes.len() + 1;
        let mut header = BinaryReader::new_features(&wasm[start..], start, features::accepted());
        let size = header.read_var_u32().ok()? as usize;
        let content = header.original_position();
        if wasm.len() - content != size {
            return None;
        }
        let reader = BinaryReader::new_features(&wasm[content..], content, features::accepted());
        let bodies = CodeSectionReader::new(reader).ok()?;
        (bodies.count() as usize == self.defined()).then_some(bodies)
    }

    pub fn defined(&self) -> usize {
        self.declared.functions.len() - self.declared.imported_functions as usize
    }

    /// The validator for the body of a function, as the whole module's validator would give it.
    pub fn function(&self, defined: usize) -> FuncToValidate<ValidatorResources> {
        let index = self.declared.imported_functions as usize + defined;
        FuncToValidate {
            resources: self.resources.clone(),
            index: index as u32,
            ty: self.declared.functions[index],
            features: features::accepted(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::Artifact;
    use crate::code::{Code, Tier};
    use crate::guest::{Budget, EndKind};
    use crate::raw::{Context, Host};

    fn wasm(text: &str) -> Vec<u8> {
        wat::parse_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// The description of a module, and the bytes that the engines get, by a thread that has prepared `before`.
    fn prepared_after(before: &[Vec<u8>], wasm: &[u8]) -> Result<(Vec<u8>, String), String> {
        let (before, wasm) = (before.to_vec(), wasm.to_vec());
        let work = move || {
            before.iter().for_each(|wasm| drop(Artifact::prepare(wasm, Set::Candidate)));
            let artifact = Artifact::prepare(&wasm, Set::Candidate);
            let artifact = artifact.map_err(|failure| format!("{} at {:?}", failure.message, failure.offset))?;
            Ok((artifact.metered(), format!("{:?}", artifact.module)))
        };
        std::thread::spawn(work).join().expect("nothing panics")
    }

    fn is_found_after(before: &[u8], wasm: &[u8]) -> bool {
        let (before, wasm) = (before.to_vec(), wasm.to_vec());
        std::thread::spawn(move || {
            drop(Artifact::prepare(&before, Set::Candidate));
            find(&wasm, Set::Candidate).is_some_and(|checked| checked.code_of(&wasm).is_some())
        })
        .join()
        .expect("nothing panics")
    }

    fn with_body(body: &str) -> Vec<u8> {
        wasm(&format!(
            r#"(module (type (func (param i32))) (memory 1) (global (mut i32) (i32.const 7))
               (func (export "f") (param i32) (result i32) {body}) (func (param i32) (drop (local.get 0))))"#
        ))
    }

    #[test]
    fn a_module_is_described_and_rewritten_alike_whether_its_declarations_are_known_or_not() {
        let first = with_body("(local.get 0)");
        for body in [
            "(i32.add (local.get 0) (global.get 0))",
            "(if (result i32) (local.get 0) (then (i32.const 1)) (else (i32.load (local.get 0))))",
            "(loop (br_if 0 (local.get 0))) (i32.const 2)",
            "(call 1 (local.get 0)) (memory.grow (i32.const 1))",
            "(local i64 f32) (select (i32.const 1) (i32.const 2) (local.get 0))",
            // Not valid: refused with the same words at the same place.
            "(i64.const 1)",
            "(drop (f32.load (i32.const 0)))",
            "(br 3)",
        ] {
            let second = with_body(body);
            assert!(is_found_after(&first, &second), "{body}");
            let alone = prepared_after(&[], &second);
            assert_eq!(prepared_after(std::slice::from_ref(&first), &second), alone, "{body}");
        }
    }

    #[test]
    fn what_stands_behind_the_code_or_is_cut_off_is_read_as_a_whole() {
        let first = with_body("(local.get 0)");
        assert!(is_found_after(&first, &first));
        let mut custom = first.clone();
        custom.extend([0, 2, 1, b'x']);
        let mut empty_data = first.clone();
        empty_data.extend([11, 1, 0]);
        let mut twice = first.clone();
        twice.extend(&first[first.len() - 10..]);
        let shorter = first[..first.len() - 1].to_vec();
        for other in [custom, empty_data, twice, shorter] {
            assert!(!is_found_after(&first, &other));
            assert_eq!(prepared_after(std::slice::from_ref(&first), &other), prepared_after(&[], &other));
        }
    }

    #[test]
    fn nothing_behind_the_code_of_a_kept_module_concerns_the_next_one() {
        let mut long = with_body(&format!("{} (local.get 0)", "(drop (i64.const 1311768467463790320))".repeat(20)));
        // A data section of no segments is as good as none, but it stands where a shorter module has already ended.
        long.extend([11, 1, 0]);
        let short = with_body("(local.get 0)");
        assert!(is_found_after(&long, &short));
        let alone = prepared_after(&[], &short);
        assert!(alone.is_ok());
        assert_eq!(prepared_after(&[long], &short), alone);
    }

    #[test]
    fn a_wrong_number_of_bodies_or_bytes_is_refused_as_ever() {
        let first = wasm(r#"(module (func (export "f")))"#);
        let at = first.len() - 5;
        assert_eq!(first[at..], [4, 1, 2, 0, 0x0b], "size, bodies, size, locals, end");
        let mut two = first[..at].to_vec();
        two.extend([7, 2, 2, 0, 0x0b, 2, 0, 0x0b]);
        let mut bytes_left = first[..at].to_vec();
        bytes_left.extend([5, 1, 2, 0, 0x0b, 0]);
        for wrong in [two, bytes_left] {
            assert_eq!(prepared_after(std::slice::from_ref(&first), &wrong), prepared_after(&[], &wrong));
            assert!(prepared_after(&[], &wrong).is_err());
        }
    }

    #[test]
    fn declarations_that_only_a_large_module_may_have_are_refused_in_a_small_one() {
        // 64 points a type: above what a small module is given free, within what many bytes of code pay for.
        let types = "(type (func))".repeat(100);
        let functions = "(func)".repeat(40);
        let text = |body: &str| wasm(&format!("(module {types} (func (export \"f\") {body}) {functions})"));
        let large = text(&"(drop (i64.const 1311768467463790320))".repeat(1_500));
        let small = text("");
        assert!(prepared_after(&[], &large).is_ok());
        let refused = prepared_after(&[], &small);
        assert_eq!(prepared_after(std::slice::from_ref(&large), &small), refused);
    }

    #[test]
    fn long_declarations_and_element_segments_are_not_kept() {
        let exports: String = (0..60).map(|number| format!("(export \"name-{number}\" (func 0))")).collect();
        for text in [
            format!("(module {exports} (func))"),
            "(module (table 1 funcref) (elem (i32.const 0) 0) (func))".into(),
            "(module (memory 1) (data \"x\") (func (data.drop 0)))".into(),
        ] {
            let module = wasm(&text);
            assert!(!is_found_after(&module, &module), "{text:.80}");
        }
    }

    #[test]
    fn a_thread_keeps_those_it_used_last() {
        let module = |number: usize| wasm(&format!("(module (func (export \"{number}\")))"));
        let kept = std::thread::spawn(move || {
            (0..KEPT).for_each(|number| drop(Artifact::prepare(&module(number), Set::Candidate)));
            assert!(find(&module(0), Set::Candidate).is_some(), "it is the last used one now");
            drop(Artifact::prepare(&module(KEPT), Set::Candidate));
            (0..=KEPT).map(|number| find(&module(number), Set::Candidate).is_some()).collect::<Vec<_>>()
        });
        let kept = kept.join().expect("nothing panics");
        assert_eq!(kept.iter().filter(|kept| **kept).count(), KEPT);
        assert!(kept[0] && !kept[1] && kept[KEPT], "{kept:?}");
    }

    #[test]
    fn a_module_of_known_declarations_runs_in_both_tiers() {
        drop(Artifact::prepare(&with_body("(local.get 0)"), Set::Candidate));
        let artifact = Artifact::prepare(&with_body("(i32.mul (local.get 0) (global.get 0))"), Set::Candidate);
        let artifact = Arc::new(artifact.unwrap_or_else(|failure| panic!("{}", failure.message)));
        for tier in [Tier::Interpreted, Tier::Compiled] {
            let code = Code::load(artifact.clone(), tier, &[]).unwrap_or_else(|failure| panic!("{}", failure.message));
            let made = code.instantiate(Host::none(), 1 << 20).unwrap_or_else(|failure| panic!("{}", failure.message));
            let Ok(mut instance) = made else { panic!("there is an instance") };
            let budget = Budget { fuel: 100, deadline_ns: u64::MAX, turn_ns: u64::MAX, call_depth: 10 };
            let mut slots = [6];
            let end = instance.call(0, &budget, Context::none(), &mut slots);
            let end = end.unwrap_or_else(|failure| panic!("{}", failure.message));
            assert_eq!((end.kind, end.fuel_used, slots[0]), (EndKind::Returned, 3, 42));
        }
    }
}
