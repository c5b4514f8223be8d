//! The interpreter's engines: one for each module, but for small ones that are soon gone, which share one.

use std::cell::RefCell;

use wasmi::{CompilationMode, Config, Engine};

use crate::artifact::Artifact;

pub fn config() -> Config {
    let mut config = Config::default();
    config
        .compilation_mode(CompilationMode::Eager)
        .ignore_custom_sections(true)
        .wasm_multi_memory(false)
        .wasm_tail_call(false)
        // The meter's call depth ends recursion long before these.
        .set_max_recursion_depth(1 << 20)
        .set_max_stack_height(1 << 30)
        .set_max_cached_stacks(1);
    config
}

/// The most that an engine may keep of values between two calls: it never gives back what a call has made its stack
/// grow to.
const KEPT_STACK_MAX: u64 = 256 << 10;

/// How large the values of a call can be together; half of what its frames are reckoned to be, at the usual depth.
fn value_bytes_max(artifact: &Artifact) -> u64 {
    const DEPTH_USUAL: u64 = 1_024;
    (artifact.module.stack_bytes_fixed + DEPTH_USUAL * artifact.module.stack_bytes_per_depth) / 2
}

/// How long loaded code is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    Long,
    /// For an evaluation: the code may be freed a little after it is dropped.
    Brief,
}

/// An engine for small modules of one thread that are soon gone. To make one takes a third of the time of loading such a
/// module; what it keeps of them is bounded by how much it takes.
struct SharedEngine {
    engine: Engine,
    bytes_left: usize,
    functions_left: usize,
}

impl SharedEngine {
    const BYTES: usize = 32 << 10;
    /// It has room for so many before it allocates for more.
    const FUNCTIONS: usize = 96;

    fn new() -> SharedEngine {
        SharedEngine { engine: Engine::new(&config()), bytes_left: Self::BYTES, functions_left: Self::FUNCTIONS }
    }

    /// Returns false if the module does not fit in what is left.
    fn take(&mut self, bytes: usize, functions: usize) -> bool {
        let fits = bytes <= self.bytes_left && functions <= self.functions_left;
        if fits {
            self.bytes_left -= bytes;
            self.functions_left -= functions;
        }
        fits
    }
}

thread_local! {
    static SHARED: RefCell<Option<SharedEngine>> = const { RefCell::new(None) };
}

/// The thread's shared engine, or the next one; none for a module that is not small.
fn shared_engine(bytes: usize, functions: usize) -> Option<Engine> {
    const SMALL_BYTES: usize = SharedEngine::BYTES / 8;
    const SMALL_FUNCTIONS: usize = SharedEngine::FUNCTIONS / 8;
    if bytes > SMALL_BYTES || functions > SMALL_FUNCTIONS {
        return None;
    }
    SHARED.with_borrow_mut(|shared| {
        if !shared.as_mut().is_some_and(|shared| shared.take(bytes, functions)) {
            let mut next = SharedEngine::new();
            next.take(bytes, functions);
            *shared = Some(next);
        }
        shared.as_ref().map(|shared| shared.engine.clone())
    })
}

/// After a panic on this thread: nobody knows in which state it left the engine, so that modules to come have another.
pub fn leave_shared_engine() {
    // An engine that cannot be borrowed was being exchanged for a new one when the panic came.
    SHARED.with(|shared| shared.try_borrow_mut().map(|mut shared| *shared = None).ok());
}

pub fn engine_for(artifact: &Artifact, metered_bytes: usize, stay: Stay) -> Engine {
    let keeps_stack = value_bytes_max(artifact) <= KEPT_STACK_MAX;
    let shared = if keeps_stack && stay == Stay::Brief {
        shared_engine(metered_bytes, artifact.module.functions.len())
    } else {
        None
    };
    shared.unwrap_or_else(|| {
        let mut config = config();
        config.set_max_cached_stacks(usize::from(keeps_stack));
        Engine::new(&config)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Set;
    use crate::interpreted::Code;

    fn load(text: &str, stay: Stay) -> Code {
        let wasm = wat::parse_str(text).expect("the text is right");
        let artifact = Artifact::prepare(&wasm, Set::Candidate).unwrap_or_else(|failure| panic!("{}", failure.message));
        Code::load(&artifact, stay).unwrap_or_else(|failure| panic!("{}", failure.message))
    }

    fn shares(one: &Code, other: &Code) -> bool {
        Engine::same(&one.engine, &other.engine)
    }

    /// A module of so many functions, with as much data as makes it large or not.
    fn module(functions: usize, data_bytes: usize) -> String {
        let data =
            if data_bytes > 0 { format!(r#"(memory 1) (data "{}")"#, "x".repeat(data_bytes)) } else { String::new() };
        format!("(module {} {data})", "(func)".repeat(functions))
    }

    #[test]
    fn small_modules_that_are_soon_gone_share_an_engine_until_it_is_full() {
        let small = module(SharedEngine::FUNCTIONS / 8, 0);
        let first = load(&small, Stay::Brief);
        for _ in 1..8 {
            assert!(shares(&first, &load(&small, Stay::Brief)));
        }
        assert!(!shares(&first, &load(&small, Stay::Brief)));
    }

    #[test]
    fn bytes_fill_a_shared_engine_too() {
        let small = module(1, SharedEngine::BYTES / 8 - 100);
        let first = load(&small, Stay::Brief);
        let shared = (1..20).take_while(|_| shares(&first, &load(&small, Stay::Brief))).count();
        assert_eq!(shared, 7);
    }

    #[test]
    fn modules_that_stay_or_are_large_or_deep_have_an_engine_of_their_own() {
        let small = module(1, 0);
        let deep = format!("(module (func $f (local {}) (call $f)))", "i64 ".repeat(30));
        let brief = load(&small, Stay::Brief);
        for (text, stay) in [
            (small.as_str(), Stay::Long),
            (&module(SharedEngine::FUNCTIONS / 8 + 1, 0), Stay::Brief),
            (&module(1, SharedEngine::BYTES / 8), Stay::Brief),
            (&deep, Stay::Brief),
        ] {
            assert!(!shares(&brief, &load(text, stay)), "{text:.60}");
        }
        assert!(shares(&brief, &load(&small, Stay::Brief)), "it is not used up by those");
    }

    #[test]
    fn after_a_panic_modules_have_another_shared_engine() {
        let small = module(1, 0);
        let before = load(&small, Stay::Brief);
        assert!(shares(&before, &load(&small, Stay::Brief)));
        let panics = || panic!("asked to panic by a test");
        let status = crate::ffi::guarded(crate::ffi::Step::Load, std::ptr::null_mut(), panics);
        assert_eq!(status, crate::failure::Status::EngineFault as i32);
        assert!(!shares(&before, &load(&small, Stay::Brief)));
    }
}
