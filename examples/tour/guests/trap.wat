;; Divides by zero, three calls down.
(module
  (func $ratio (param i32 i32) (result i32) (i32.div_s (local.get 0) (local.get 1)))
  (func $average (param i32) (result i32) (i32.add (i32.const 1) (call $ratio (i32.const 100) (local.get 0))))
  (func (export "report") (param i32) (result i32) (i32.mul (i32.const 2) (call $average (local.get 0)))))
