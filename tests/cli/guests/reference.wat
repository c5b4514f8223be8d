(module
  (func (export "f") (param funcref)))
