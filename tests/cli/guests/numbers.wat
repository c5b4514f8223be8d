;; Functions of every type, to see numbers come and go.
(module
  (func (export "i32") (param i32) (result i32) (local.get 0))
  (func (export "i64") (param i64) (result i64) (local.get 0))
  (func (export "f32") (param f32) (result f32) (local.get 0))
  (func (export "f64") (param f64) (result f64) (local.get 0))
  (func (export "swap") (param i32 f64) (result f64 i32) (local.get 1) (local.get 0))
  (func (export "nothing"))
  (memory (export "memory") 1)
  (global (export "answer") i32 (i32.const 42)))
