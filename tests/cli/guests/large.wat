(module
  (memory 1024)
  (func (export "size") (result i32) (memory.size)))
