//! Shared parts of the tests: a guest from text, in either tier, called by the names of its exports.
#![allow(dead_code)] // no test uses all of it

pub mod externref;
pub mod heavy;
pub mod random;
pub mod spec_files;

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use petri_engine::artifact::{Artifact, Extern};
use petri_engine::bounds::Set;
use petri_engine::code::{Code, Instance, START, Tier};
use petri_engine::failure::{Failure, Result};
use petri_engine::guest::{Budget, End, EndKind, Trap};
use petri_engine::raw::{Caller, Context, Host, HostFunction};

pub const TIERS: [Tier; 2] = [Tier::Interpreted, Tier::Compiled];
pub const MEBIBYTE: u64 = 1 << 20;
pub const ROOMY: u64 = 256 * MEBIBYTE;

/// Far more fuel than any test uses, no deadline, the default call depth.
pub fn plenty() -> Budget {
    Budget { fuel: 1 << 40, deadline_ns: u64::MAX, turn_ns: u64::MAX, call_depth: 1024 }
}

pub fn fuel(fuel: u64) -> Budget {
    Budget { fuel, ..plenty() }
}

pub fn depth(call_depth: u32) -> Budget {
    Budget { call_depth, ..plenty() }
}

pub fn wasm(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap_or_else(|error| panic!("{error}"))
}

pub fn prepare(wasm: &[u8]) -> Arc<Artifact> {
    prepare_by(Set::Candidate, wasm)
}

pub fn prepare_by(set: Set, wasm: &[u8]) -> Arc<Artifact> {
    Arc::new(Artifact::prepare(wasm, set).unwrap_or_else(|failure| panic!("{}", failure.message)))
}

/// Why the gate refuses these bytes.
pub fn refusal(wasm: &[u8]) -> Failure {
    refusal_by(Set::Candidate, wasm)
}

pub fn refusal_by(set: Set, wasm: &[u8]) -> Failure {
    match Artifact::prepare(wasm, set) {
        Ok(_) => panic!("the gate accepted what it should refuse"),
        Err(failure) => failure,
    }
}

/// A host function without context.
pub fn host(callback: petri_engine::raw::Callback, fuel: u32) -> HostFunction {
    HostFunction { callback: Some(callback), data: Context(ptr::null_mut()), fuel, intrinsic: 0 }
}

/// A function of import module `math`.
pub fn intrinsic(name: &str) -> HostFunction {
    let index = petri_engine::math::FUNCTIONS.iter().position(|entry| entry.name == name).expect("math has it");
    let fuel = petri_engine::math::FUNCTIONS[index].fuel;
    HostFunction { callback: None, data: Context(ptr::null_mut()), fuel, intrinsic: index as u32 }
}

/// Answers nothing and lets the guest continue.
pub unsafe extern "C" fn idle(_data: *mut c_void, _caller: *mut Caller, _args: *const u64, _results: *mut u64) -> u32 {
    0
}

pub struct Guest {
    pub artifact: Arc<Artifact>,
    pub instance: Instance,
}

/// The result of a call: how it ended, and its results when it returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub end: End,
    pub values: Vec<u64>,
}

impl Answer {
    pub fn kind(&self) -> EndKind {
        self.end.kind
    }

    pub fn fuel(&self) -> u64 {
        self.end.fuel_used
    }

    pub fn trap(&self) -> Option<Trap> {
        (self.end.kind == EndKind::Trapped).then(|| trap_of(self.end.code))
    }
}

pub fn trap_of(code: i32) -> Trap {
    const ALL: [Trap; 8] = [
        Trap::Unreachable,
        Trap::IntegerDivideByZero,
        Trap::IntegerOverflow,
        Trap::BadConversionToInteger,
        Trap::MemoryOutOfBounds,
        Trap::TableOutOfBounds,
        Trap::IndirectCallToNull,
        Trap::BadSignature,
    ];
    ALL[code as usize]
}

impl Guest {
    pub fn new(tier: Tier, text: &str) -> Guest {
        Guest::linked(tier, text, &[])
    }

    pub fn linked(tier: Tier, text: &str, functions: &[HostFunction]) -> Guest {
        Guest::from_wasm(tier, &wasm(text), functions)
    }

    pub fn from_wasm(tier: Tier, wasm: &[u8], functions: &[HostFunction]) -> Guest {
        let artifact = prepare(wasm);
        let made = Guest::instantiate(&artifact, tier, functions, ROOMY)
            .unwrap_or_else(|failure| panic!("{}", failure.message));
        made.unwrap_or_else(|end| panic!("the instance was not made: {end:?}"))
    }

    pub fn instantiate(
        artifact: &Arc<Artifact>,
        tier: Tier,
        functions: &[HostFunction],
        memory: u64,
    ) -> Result<std::result::Result<Guest, End>> {
        let code = Code::load(artifact.clone(), tier, functions)?;
        let made = code.instantiate(Host::none(), memory)?;
        Ok(made.map(|instance| Guest { artifact: artifact.clone(), instance }))
    }

    /// The position of a function export among all exports.
    pub fn find(&self, name: &str) -> u32 {
        let exports = &self.artifact.module.exports;
        let found = exports
            .iter()
            .position(|export| export.kind == Extern::Function && self.artifact.text(&export.name) == name.as_bytes());
        found.unwrap_or_else(|| panic!("no function is exported as {name}")) as u32
    }

    pub fn call(&mut self, name: &str, args: &[u64], budget: Budget) -> Answer {
        let export = self.find(name);
        self.call_export(export, args, budget).unwrap_or_else(|failure| panic!("{}", failure.message))
    }

    pub fn start(&mut self, budget: Budget) -> Answer {
        self.call_export(START, &[], budget).unwrap_or_else(|failure| panic!("{}", failure.message))
    }

    pub fn call_export(&mut self, export: u32, args: &[u64], budget: Budget) -> Result<Answer> {
        let module = &self.artifact.module;
        let results =
            if export == START { 0 } else { module.signature(module.exports[export as usize].index).results.len() };
        let mut slots = args.to_vec();
        slots.resize(args.len().max(results), 0);
        let end = self.instance.call(export, &budget, Context(ptr::null_mut()), &mut slots)?;
        slots.truncate(if end.kind == EndKind::Returned { results } else { 0 });
        Ok(Answer { end, values: slots })
    }

    pub fn memory(&mut self) -> &[u8] {
        let (data, size) = self.instance.memory();
        if size == 0 {
            return &[];
        }
        // SAFETY: the instance's memory stays where it is while nobody calls it, which the borrow sees to.
        unsafe { std::slice::from_raw_parts(data, size) }
    }

    /// Every global that can be reached, by index.
    pub fn globals(&mut self) -> Vec<Option<u64>> {
        (0..self.artifact.module.globals.len() as u32).map(|index| self.instance.global(index)).collect()
    }
}

/// Calls `name` in a fresh instance of each tier; both must give the same, which is the answer.
pub fn same_in_both(text: &str, name: &str, args: &[u64], budget: Budget) -> Answer {
    same_in_both_linked(text, &[], name, args, budget)
}

pub fn same_in_both_linked(text: &str, functions: &[HostFunction], name: &str, args: &[u64], budget: Budget) -> Answer {
    let bytes = wasm(text);
    let [interpreted, compiled] = TIERS.map(|tier| Guest::from_wasm(tier, &bytes, functions).call(name, args, budget));
    assert_eq!(interpreted, compiled, "the tiers differ on {name} of {text}");
    interpreted
}

/// A section with its id and size before its content.
pub fn section(id: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![id];
    leb(&mut out, content.len() as u64);
    out.extend_from_slice(content);
    out
}

/// Unsigned LEB128.
pub fn leb(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            return out.push(byte);
        }
        out.push(byte | 0x80);
    }
}

pub fn module(sections: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"\0asm\x01\0\0\0".to_vec();
    sections.iter().for_each(|section| out.extend_from_slice(section));
    out
}

/// The module with a custom section at its end that makes it this long, or as it is when it is longer.
pub fn padded(wasm: &[u8], length: usize) -> Vec<u8> {
    const NAME: &[u8] = &[3, b'p', b'a', b'd'];
    // The section's id and a size of five bytes stand before its content.
    let Some(content) = length.checked_sub(wasm.len() + 6 + NAME.len()) else { return wasm.to_vec() };
    let size = (NAME.len() + content) as u32;
    let size_bytes = [0, 7, 14, 21, 28].map(|shift| (size >> shift & 0x7f) as u8 | if shift < 28 { 0x80 } else { 0 });
    [wasm, &[0], &size_bytes, NAME, &vec![0; content]].concat()
}

/// Runs on a thread with a stack of this size and hands a panic on.
pub fn on_stack<T: Send>(bytes: usize, action: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, action).expect("a thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
