(module
  (func (export "spin") (loop $again (br $again))))
