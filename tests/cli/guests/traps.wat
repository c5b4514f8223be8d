(module
  (func $divide (param i32 i32) (result i32) (i32.div_s (local.get 0) (local.get 1)))
  (func $middle (param i32) (result i32) (i32.add (i32.const 1) (call $divide (i32.const 7) (local.get 0))))
  (func (export "divide_by") (param i32) (result i32) (call $middle (local.get 0)))
  (func (export "unreachable") unreachable)
  (memory 1)
  (func (export "load") (param i32) (result i32) (i32.load (local.get 0))))
