;; Offers every customer ten percent off.
(module
  (global $offers (export "state.offers") (mut i32) (i32.const 0))
  (func (export "offer") (param $customer i32) (result i32)
    (global.set $offers (i32.add (global.get $offers) (i32.const 1)))
    (i32.const 10)))
