;; The third version: count is called visits, and a table in memory describes a greeting.
(module
  (memory (export "memory") 1)
  (global (export "petri_state") i32 (i32.const 64))
  (global $visits (export "state.visits") (mut i64) (i64.const 0))
  (global $paid (export "state.paid") (mut f64) (f64.const 0))
  (data (i32.const 0) "hello")                ;; the greeting, up to 16 bytes
  (data (i32.const 32) "greeting")            ;; what the field is called
  (data (i32.const 64) "PSTA\01\00\00\00\01\00\00\00\18\00\00\00")
  (data (i32.const 80) "\20\00\00\00\08\00\00\00\0d\00\00\00\00\00\00\00\10\00\00\00\01\00\00\00")
  (func (export "visit") (result i32)
    (global.set $visits (i64.add (global.get $visits) (i64.const 1)))
    (i32.wrap_i64 (global.get $visits)))
  (func (export "pay") (param f64) (result f64)
    (global.set $paid (f64.add (global.get $paid) (local.get 0)))
    (global.get $paid)))
