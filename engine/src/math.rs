//! The functions of import module `math`: from `libm`, so that they give the same bits on every machine.

use crate::guest::canonical_f64;

pub enum Function {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
}

pub struct Entry {
    pub name: &'static str,
    pub function: Function,
    pub fuel: u32,
}

const fn one(name: &'static str, function: fn(f64) -> f64, fuel: u32) -> Entry {
    Entry { name, function: Function::One(function), fuel }
}

const fn two(name: &'static str, function: fn(f64, f64) -> f64, fuel: u32) -> Entry {
    Entry { name, function: Function::Two(function), fuel }
}

/// The fuel is a rough measure of the work: large arguments of sin, cos and tan need the longest.
pub const FUNCTIONS: &[Entry] = &[
    one("sin", libm::sin, 24),
    one("cos", libm::cos, 24),
    one("tan", libm::tan, 32),
    one("asin", libm::asin, 24),
    one("acos", libm::acos, 24),
    one("atan", libm::atan, 24),
    two("atan2", libm::atan2, 32),
    one("sinh", libm::sinh, 32),
    one("cosh", libm::cosh, 32),
    one("tanh", libm::tanh, 32),
    one("asinh", libm::asinh, 32),
    one("acosh", libm::acosh, 32),
    one("atanh", libm::atanh, 32),
    one("exp", libm::exp, 24),
    one("exp2", libm::exp2, 24),
    one("expm1", libm::expm1, 24),
    one("log", libm::log, 24),
    one("log2", libm::log2, 24),
    one("log10", libm::log10, 24),
    one("log1p", libm::log1p, 24),
    two("pow", libm::pow, 48),
    two("fmod", libm::fmod, 256),
    one("cbrt", libm::cbrt, 24),
    two("hypot", libm::hypot, 24),
    one("erf", libm::erf, 32),
    one("tgamma", libm::tgamma, 96),
    one("lgamma", libm::lgamma, 64),
];

impl Entry {
    pub fn params(&self) -> u32 {
        match self.function {
            Function::One(_) => 1,
            Function::Two(_) => 2,
        }
    }

    /// Arguments and result as bits.
    pub fn call(&self, args: &[u64]) -> u64 {
        let number = |index: usize| f64::from_bits(args[index]);
        let result = match self.function {
            Function::One(function) => function(number(0)),
            Function::Two(function) => function(number(0), number(1)),
        };
        canonical_f64(result).to_bits()
    }
}
