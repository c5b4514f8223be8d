//! Where petri's C++ meets its two WebAssembly engines.
//!
//! A module comes in as bytes. `prepare` validates it as it was sent, holds it to the bounds and describes it; `meter`
//! rewrites it so that it counts its own fuel and call depth; `interpreted` (wasmi) and `compiled` (Wasmtime) run the
//! rewritten module with the same values, the same fuel and the same end: `live` is what they share. `scan` reports what a module would do, from its
//! wasm alone. `ffi` shows all of it as `petri_engine.h`.
//!
//! The crate knows nothing of sandboxes. Unsafe code stands in `ffi` (the C surface) and `raw` (calls out, raw engine
//! calls, mappings), `allocator`, `pages`, `slabs` and `warm`, and nowhere else.
#![deny(unsafe_code)]
// Code that only the real allocator needs is unused then.
#![cfg_attr(miri, allow(dead_code))]

mod account;
#[allow(unsafe_code)]
pub mod allocator;
pub mod artifact;
mod bare;
pub mod bounds;
mod bytes;
mod charging;
pub mod code;
mod compiled;
pub mod costs;
mod endless;
pub mod failure;
pub mod features;
#[allow(unsafe_code)]
pub mod ffi;
mod frames;
mod graph;
pub mod guest;
mod instance;
mod interpreted;
mod joins;
mod large_memory;
mod linked;
mod live;
mod load;
mod locate;
mod long_acts;
pub mod math;
mod meter;
#[allow(unsafe_code)]
mod pages;
mod plan;
mod prepare;
mod proposals;
#[allow(unsafe_code)]
pub mod raw;
pub mod scan;
mod services;
mod shared_declarations;
#[allow(unsafe_code)]
mod slabs;
mod text;
mod touched;
mod trap_site;
#[allow(unsafe_code)]
mod warm;

// Miri has an allocator of its own, which knows each piece and cannot call mimalloc.
#[cfg_attr(not(miri), global_allocator)]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;
