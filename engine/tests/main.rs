// One program for all tests of the crate: to link the engines takes as long as to compile the tests.
mod backtrace;
mod brief;
mod depth;
mod differential;
mod expensive;
mod fuel_exact;
mod guards;
mod looks;
mod nothing_cheap;
mod panics;
mod refusals;
mod scan;
mod spec_suite;
mod support;
mod surface;
