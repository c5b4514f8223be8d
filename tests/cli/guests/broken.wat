(module
  (func (export "f")
    (i32.const))
