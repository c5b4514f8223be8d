;; The clock and a random number: what a seed and virtual time decide.
(module
  (import "petri" "clock_ms" (func $clock_ms (result i64)))
  (import "petri" "random" (func $random (result i64)))
  (func (export "clock") (result i64) (call $clock_ms))
  (func (export "random") (result i64) (call $random)))
