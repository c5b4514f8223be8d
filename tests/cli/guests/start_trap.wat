(module
  (func $begin unreachable)
  (start $begin)
  (func (export "f")))
