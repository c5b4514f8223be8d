//! Random modules (wasm-smith) of the accepted features, and what both tiers make of them. A seed says it all.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arbitrary::Unstructured;
use petri_engine::artifact::{Artifact, Extern, Kind, Signature};
use petri_engine::bounds::Set;
use petri_engine::code::{Code, START, Tier};
use petri_engine::failure::Status;
use petri_engine::guest::{Budget, EndKind};
use petri_engine::math;
use petri_engine::raw::{Caller, HostFunction};

use super::{Answer, Guest, MEBIBYTE, externref, host, intrinsic, plenty, wasm};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number, with a liking for those where something happens.
    fn number(&mut self) -> u64 {
        const EDGES: [u64; 16] = [
            0,
            1,
            u64::MAX,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x7fff_ffff_ffff_ffff,
            0x8000_0000_0000_0000,
            0x7fc0_0000,           // f32: the canonical NaN
            0x7fa0_0001,           // f32: a signalling one
            0x4f00_0000,           // f32: 2^31
            0x7ff8_0000_0000_0000, // f64: the canonical NaN
            0xfff4_0000_0000_0001, // f64: a signalling one
            0x43e0_0000_0000_0000, // f64: 2^63
            0x3ff0_0000_0000_0000, // f64: 1
            65_533,
        ];
        match self.below(4) {
            0 => self.next(),
            1 => self.below(100),
            _ => EDGES[self.below(EDGES.len() as u64) as usize],
        }
    }
}

/// Imports that random modules may have, and what they get.
const IMPORTS: &str = r#"(module
    (import "h" "none" (func))
    (import "h" "mix" (func (param i32 i64 f32 f64) (result i64)))
    (import "h" "float" (func (param i64) (result f32)))
    (import "h" "double" (func (param i32) (result f64)))
    (import "h" "many" (func (param f64 i32) (result i32 f32 i64 f64)))
    (import "math" "sin" (func (param f64) (result f64)))
    (import "math" "pow" (func (param f64 f64) (result f64))))"#;

/// Mixes its arguments into each result; `data` says how many of both there are. The bits of floats may be any NaN's.
unsafe extern "C" fn mix(data: *mut c_void, _caller: *mut Caller, args: *const u64, results: *mut u64) -> u32 {
    let (params, answers) = (data as usize >> 8, data as usize & 0xff);
    // SAFETY: `function` bound this callback to an import of these counts.
    let (args, results) =
        unsafe { (std::slice::from_raw_parts(args, params), std::slice::from_raw_parts_mut(results, answers)) };
    let mut random = Random(args.iter().fold(7, |sum, arg| sum.rotate_left(9) ^ arg));
    results.iter_mut().for_each(|slot| *slot = random.number());
    0
}

/// An import of any name is given a function of its type; those of `math` are the crate's own.
fn function(artifact: &Artifact, index: usize) -> HostFunction {
    let import = &artifact.module.imports[index];
    let Signature { params, results } = &artifact.module.types[import.type_index as usize];
    let named = |entry: &&math::Entry| {
        artifact.text(&import.module) == b"math" && artifact.text(&import.name) == entry.name.as_bytes()
    };
    let typed = |entry: &&math::Entry| *params == vec![Kind::F64; entry.params() as usize] && *results == [Kind::F64];
    if let Some(entry) = math::FUNCTIONS.iter().filter(named).find(typed) {
        return intrinsic(entry.name);
    }
    let mut function = host(mix, 3 + index as u32);
    function.data.0 = (params.len() << 8 | results.len()) as *mut c_void;
    function
}

/// A module of the accepted features. wasm-smith gives up on some noise; then the next is tried.
pub fn module(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes =
        std::iter::repeat_with(|| try_module(&mut random)).flatten().next().expect("some noise makes a module");
    externref::to_funcref(&mut bytes);
    bytes
}

fn try_module(random: &mut Random) -> Option<Vec<u8>> {
    let size = 512 << random.below(4);
    let noise: Vec<u8> = (0..size / 8).flat_map(|_| random.next().to_le_bytes()).collect();
    let config = wasm_smith::Config {
        available_imports: Some(wasm(IMPORTS)),
        export_everything: true,
        disallow_traps: random.below(2) == 0,
        reference_types_enabled: random.below(3) > 0,
        max_imports: random.below(5) as usize,
        min_funcs: 1,
        max_funcs: 1 + random.below(12) as usize,
        max_instructions: 20 << random.below(5),
        max_types: 12,
        max_globals: 8,
        max_tables: 3,
        max_memories: 1,
        min_memories: random.below(4).min(1) as u32,
        min_tables: random.below(3).min(1) as u32,
        max_element_segments: 6,
        max_elements: 20,
        max_data_segments: 6,
        max_memory32_bytes: 4 << 16,
        max_table_elements: 40,
        memory_max_size_required: random.below(2) == 0,
        table_max_size_required: random.below(2) == 0,
        max_nesting_depth: 8,
        custom_descriptors_enabled: false,
        exceptions_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        relaxed_simd_enabled: false,
        simd_enabled: false,
        tail_call_enabled: false,
        threads_enabled: false,
        wide_arithmetic_enabled: false,
        ..wasm_smith::Config::default()
    };
    Some(wasm_smith::Module::new(config, &mut Unstructured::new(&noise)).ok()?.to_bytes())
}

/// All that can be observed of a guest.
#[derive(Debug, PartialEq, Eq)]
pub struct Observation {
    what: String,
    answer: Result<Answer, String>,
    memory: u64,
    globals: Vec<Option<u64>>,
}

const CALLS_MAX: usize = 12;

/// Mostly enough; sometimes so little that it ends anywhere.
fn budget(random: &mut Random) -> Budget {
    let short = random.below(4) == 0;
    let fuel = if short { random.below(400) } else { 100_000 };
    let call_depth = if short { random.below(20) as u32 } else { 200 };
    Budget { fuel, call_depth, ..plenty() }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let mut hash = words.by_ref().fold(0u64, |sum, word| {
        (sum ^ u64::from_le_bytes(word.try_into().expect("eight bytes")))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(23)
    });
    words.remainder().iter().for_each(|byte| hash = hash.wrapping_mul(31) ^ u64::from(*byte));
    hash ^ bytes.len() as u64
}

fn observe(guest: &mut Guest, export: u32, args: &[u64], budget: Budget) -> Observation {
    let answer = guest.call_export(export, args, budget).map_err(|failure| failure.message);
    Observation {
        what: format!("export {export} of {args:x?}"),
        answer,
        memory: hash(guest.memory()),
        globals: guest.globals(),
    }
}

/// Observations of a module in one tier: started, then its functions called; after each end that is one, a new
/// instance.
fn observed(artifact: &Arc<Artifact>, tier: Tier, seed: u64) -> Result<Vec<Observation>, String> {
    let functions: Vec<_> = (0..artifact.module.imports.len()).map(|index| function(artifact, index)).collect();
    // Every other one shares an engine with others before it, if it is small.
    let code = match tier {
        Tier::Interpreted if seed.is_multiple_of(2) => Code::load_brief(artifact.clone(), &functions),
        _ => Code::load(artifact.clone(), tier, &functions),
    };
    let code = code.map_err(|failure| failure.message)?;
    let mut random = Random(!seed);
    let mut seen = Vec::new();
    let mut live: Option<Guest> = None;
    let module = &artifact.module;
    let exports =
        (0..module.exports.len() as u32).filter(|export| module.exports[*export as usize].kind == Extern::Function);
    for export in exports.cycle().take(CALLS_MAX) {
        if live.is_none() {
            match code.instantiate(petri_engine::raw::Host::none(), MEBIBYTE).map_err(|failure| failure.message)? {
                Ok(instance) => live = Some(Guest { artifact: artifact.clone(), instance }),
                Err(end) => {
                    seen.push(Observation {
                        what: "instantiation".into(),
                        answer: Ok(Answer { end, values: Vec::new() }),
                        memory: 0,
                        globals: Vec::new(),
                    });
                    return Ok(seen);
                }
            }
            if module.start.is_some() {
                seen.push(observe(live.as_mut().expect("just made"), START, &[], budget(&mut random)));
            }
        }
        let guest = live.as_mut().expect("just made");
        let args: Vec<u64> =
            module.signature(module.exports[export as usize].index).params.iter().map(|_| random.number()).collect();
        seen.push(observe(guest, export, &args, budget(&mut random)));
        if !matches!(&seen[seen.len() - 1].answer, Ok(answer) if answer.kind() == EndKind::Returned) {
            live = None;
        }
    }
    Ok(seen)
}

pub enum Verdict {
    Refused(String),
    Same(Vec<Observation>),
    Different(String),
    /// The interpreter panicked or would not take the module.
    Unfit(String),
}

impl Verdict {
    pub fn describe(&self) -> String {
        match self {
            Verdict::Refused(text) | Verdict::Different(text) | Verdict::Unfit(text) => text.clone(),
            Verdict::Same(seen) => format!("the same in {} calls", seen.len()),
        }
    }
}

/// The module of this seed, with so many of its bits flipped.
pub fn compare(seed: u64, flips: u64) -> Verdict {
    let (mut bytes, mut random) = (module(seed), Random(seed ^ FLIP));
    for _ in 0..flips {
        let bit = random.below(bytes.len() as u64 * 8);
        bytes[bit as usize / 8] ^= 1 << (bit % 8);
    }
    let artifact = match Artifact::prepare(&bytes, Set::Candidate) {
        Ok(artifact) => Arc::new(artifact),
        Err(failure) if failure.status == Status::Rejected => return Verdict::Refused(failure.message),
        Err(failure) => return Verdict::Different(failure.message),
    };
    compare_artifact(&artifact, seed)
}

const FLIP: u64 = 0x666c_6970;

/// The seed chooses the arguments.
pub fn compare_artifact(artifact: &Arc<Artifact>, seed: u64) -> Verdict {
    if artifact.module.imports.iter().any(|import| import.kind != Extern::Function) {
        return Verdict::Refused("the module imports what is not a function".into());
    }
    let compiled = match caught(|| observed(artifact, Tier::Compiled, seed)) {
        Ok(seen) => seen,
        Err(why) => return Verdict::Different(format!("compiled: {why}")),
    };
    match caught(|| observed(artifact, Tier::Interpreted, seed)) {
        Err(why) => Verdict::Unfit(why),
        Ok(interpreted) if interpreted == compiled => Verdict::Same(interpreted),
        Ok(interpreted) => Verdict::Different(first_difference(&interpreted, &compiled)),
    }
}

fn caught(action: impl FnOnce() -> Result<Vec<Observation>, String>) -> Result<Vec<Observation>, String> {
    let text = |panic: Box<dyn std::any::Any + Send>| match panic.downcast_ref::<String>() {
        Some(text) => format!("panic: {text}"),
        None => format!("panic: {}", panic.downcast_ref::<&str>().unwrap_or(&"without a message")),
    };
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| Err(text(panic)))
}

fn first_difference(interpreted: &[Observation], compiled: &[Observation]) -> String {
    let pairs = interpreted.iter().zip(compiled);
    let different = pairs.enumerate().find(|(_, (one, other))| one != other);
    different.map_or_else(
        || format!("{} observations against {}", interpreted.len(), compiled.len()),
        |(index, (one, other))| format!("call {index}\n  interpreted {one:?}\n  compiled    {other:?}"),
    )
}

/// The sums of a run over many seeds.
#[derive(Default)]
pub struct Tally {
    pub modules: u64,
    pub calls: u64,
    pub refused: BTreeMap<String, u64>,
    pub ends: BTreeMap<String, u64>,
    pub unfit: Vec<(u64, String)>,
    pub different: Vec<(u64, String)>,
}

impl Tally {
    pub fn add(&mut self, seed: u64, verdict: Verdict) {
        self.modules += 1;
        match verdict {
            Verdict::Refused(message) => *self.refused.entry(without_numbers(&message)).or_default() += 1,
            Verdict::Unfit(why) => self.unfit.push((seed, why)),
            Verdict::Different(how) => self.different.push((seed, how)),
            Verdict::Same(seen) => {
                self.calls += seen.len() as u64;
                seen.iter().for_each(|one| *self.ends.entry(end_of(one)).or_default() += 1);
            }
        }
    }

    pub fn merge(mut self, other: Tally) -> Tally {
        self.modules += other.modules;
        self.calls += other.calls;
        other.refused.into_iter().for_each(|(name, count)| *self.refused.entry(name).or_default() += count);
        other.ends.into_iter().for_each(|(name, count)| *self.ends.entry(name).or_default() += count);
        self.unfit.extend(other.unfit);
        self.different.extend(other.different);
        self
    }

    pub fn refused_count(&self) -> u64 {
        self.refused.values().sum()
    }

    pub fn print(&self) {
        println!("modules {}, refused by the gate {}, calls {}", self.modules, self.refused_count(), self.calls);
        self.refused.iter().for_each(|(reason, count)| println!("  refused {count:>8}  {reason}"));
        self.ends.iter().for_each(|(end, count)| println!("  ended   {count:>8}  {end}"));
        self.unfit.iter().for_each(|(seed, why)| println!("  the interpreter did not take seed {seed}: {why}"));
        println!("differences {}", self.different.len());
        self.different.iter().for_each(|(seed, how)| println!("  seed {seed}: {how}"));
    }
}

fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        let character = if character.is_ascii_digit() { '#' } else { character };
        if character != '#' || !out.ends_with('#') {
            out.push(character);
        }
    }
    out
}

fn end_of(observation: &Observation) -> String {
    match &observation.answer {
        Err(_) => "not callable from outside".into(),
        Ok(answer) => answer.trap().map_or_else(|| format!("{:?}", answer.kind()), |trap| format!("Trapped {trap:?}")),
    }
}

/// Compares `count` seeds from `first` on, on this many threads.
pub fn run(first: u64, count: u64, threads: u64, flips: u64) -> Tally {
    std::thread::scope(|scope| {
        let work = |thread: u64| {
            move || {
                let mut tally = Tally::default();
                (first + thread..first + count)
                    .step_by(threads as usize)
                    .for_each(|seed| tally.add(seed, compare(seed, flips)));
                tally
            }
        };
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(work(thread))).collect();
        workers.into_iter().fold(Tally::default(), |all, worker| all.merge(worker.join().expect("a worker")))
    })
}
