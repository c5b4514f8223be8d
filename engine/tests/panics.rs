//! A panic inside the crate ends the call it happened in, as a fault, and nothing else. HF17 X13

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::process::Command;
use std::ptr;

use crate::support::*;
use petri_engine::failure::Status;
use petri_engine::ffi::*;
use petri_engine::guest::{Budget, End, EndKind};

const PREPARE: u32 = 1;
const LOAD: u32 = 2;
const INSTANTIATE: u32 = 3;
const CALL: u32 = 4;
const DROP: u32 = 5;
const SCAN: u32 = 6;

/// The report that the C functions fill in: status first, the message at the end.
struct Report(MaybeUninit<Error>);

impl Report {
    fn new() -> Report {
        Report(MaybeUninit::zeroed())
    }

    fn out(&mut self) -> *mut Error {
        self.0.as_mut_ptr()
    }

    /// As `petri_engine.h` lays it out: status, line, column, offset, message_size, message.
    fn message(&self) -> String {
        let start = self.0.as_ptr().cast::<u8>();
        // SAFETY: the struct is plain data, zeroed at first; these are its fields' places.
        unsafe {
            let size = start.add(24).cast::<u32>().read() as usize;
            String::from_utf8_lossy(std::slice::from_raw_parts(start.add(28), size)).into_owned()
        }
    }
}

fn is_fault(status: i32, report: &Report) {
    assert_eq!(status, Status::EngineFault as i32);
    assert_eq!(report.message(), "an engine panicked: asked to panic by a test");
}

/// One guest from start to end through the C functions; the step that is asked to panic is tried again and then works.
fn run_guest(tier: u32, step: u32) {
    let wasm = wasm(
        r#"(module (memory 1) (func (export "f") (param i32) (result i32) (i32.add (local.get 0) (i32.const 1))))"#,
    );
    let mut report = Report::new();
    let (mut artifact, mut code, mut instance) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    let mut scan = ptr::null_mut();
    let mut end = End { kind: EndKind::Refused, code: 0, fuel_used: 0, memory_bytes: 0 };
    let budget = Budget { ..plenty() };
    let mut slots = [41u64];
    // SAFETY: each function is called as petri_engine.h says.
    unsafe {
        let mut run = |this: u32, act: &mut dyn FnMut(*mut Error) -> i32| {
            if this == step {
                petri_panic_at(step);
                is_fault(act(report.out()), &report);
            }
            assert_eq!(act(report.out()), Status::Ok as i32, "{}", report.message());
        };
        run(PREPARE, &mut |error| petri_prepare(wasm.as_ptr(), wasm.len(), 0, &mut artifact, error));
        run(SCAN, &mut |error| petri_artifact_scan(artifact, 10, &mut scan, error));
        assert_eq!(petri_scan_kept(scan), 2);
        run(LOAD, &mut |error| petri_load(artifact, tier, ptr::null(), 0, &mut code, error));
        run(INSTANTIATE, &mut |error| {
            petri_instantiate(code, ptr::null(), ROOMY, &budget, ptr::null_mut(), &mut instance, &mut end, error)
        });
        run(CALL, &mut |error| {
            petri_call(instance, 0, &budget, ptr::null_mut::<c_void>(), slots.as_mut_ptr(), 1, &mut end, error)
        });
        assert_eq!((end.kind, slots[0]), (EndKind::Returned, 42));
        for drop in [
            &mut || petri_instance_drop(instance) as _,
            &mut || petri_code_drop(code),
            &mut || petri_artifact_drop(artifact),
            &mut || petri_scan_drop(scan),
        ] as [&mut dyn FnMut(); 4]
        {
            if step == DROP {
                petri_panic_at(DROP);
            }
            drop();
        }
    }
}

#[test]
fn a_panic_at_each_step_is_a_fault_and_the_step_can_be_tried_again() {
    for tier in [0, 1] {
        for step in [PREPARE, SCAN, LOAD, INSTANTIATE, CALL] {
            run_guest(tier, step);
        }
    }
}

#[test]
fn a_panic_while_something_is_dropped_stays_inside() {
    for tier in [0, 1] {
        run_guest(tier, DROP);
        run_guest(tier, 0);
    }
}

#[test]
fn a_panic_asked_for_on_one_thread_is_not_anothers() {
    petri_panic_at(CALL);
    std::thread::scope(|scope| {
        scope.spawn(|| run_guest(0, 0));
    });
    petri_panic_at(0);
    run_guest(1, 0);
}

/// Set in a process that is to panic and be looked at.
const LOOKED_AT: &str = "PETRI_PANICS_LOOKED_AT";

#[test]
fn a_panic_that_is_caught_writes_nothing_to_standard_error() {
    if std::env::var_os(LOOKED_AT).is_some() {
        [PREPARE, SCAN, LOAD, INSTANTIATE, CALL, DROP].into_iter().for_each(|step| run_guest(0, step));
        return;
    }
    let name = "a_panic_that_is_caught_writes_nothing_to_standard_error";
    let program = std::env::current_exe().expect("it runs");
    let output = Command::new(program).args(["--exact", name, "--nocapture"]).env(LOOKED_AT, "1").output();
    let output = output.expect("it runs again");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("panicked") && !text.contains(".rs"), "{text}");
}

#[test]
fn null_handles_are_misuse_and_dropping_them_is_nothing() {
    let mut report = Report::new();
    // SAFETY: null is what is tried here; the functions check for it.
    unsafe {
        assert_eq!(petri_load(ptr::null(), 0, ptr::null(), 0, ptr::null_mut(), report.out()), Status::Misuse as i32);
        assert_eq!(
            petri_instantiate(
                ptr::null(),
                ptr::null(),
                0,
                ptr::null(),
                ptr::null_mut(),
                ptr::null_mut(),
                ptr::null_mut(),
                report.out()
            ),
            Status::Misuse as i32
        );
        assert_eq!(
            petri_call(
                ptr::null_mut(),
                0,
                ptr::null(),
                ptr::null_mut(),
                ptr::null_mut(),
                0,
                ptr::null_mut(),
                ptr::null_mut()
            ),
            Status::Misuse as i32
        );
        assert_eq!(petri_artifact_scan(ptr::null(), 1, ptr::null_mut(), report.out()), Status::Misuse as i32);
        assert_eq!(petri_scan_finding(ptr::null(), 0, ptr::null_mut()), Status::Misuse as i32);
        assert_eq!((petri_scan_kept(ptr::null()), petri_scan_count(ptr::null(), 0)), (0, 0));
        petri_scan_drop(ptr::null_mut());
        petri_artifact_drop(ptr::null_mut());
        petri_code_drop(ptr::null_mut());
        petri_instance_drop(ptr::null_mut());
    }
}
