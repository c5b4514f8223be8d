;; The candidate of bench/small_module.cpp. The constant is the one that is replaced, so that no two candidates are alike.
(module
  (func (export "f") (param f64) (result f64) (local f64)
    (local.set 1 (f64.mul (local.get 0) (local.get 0)))
    (f64.add
      (f64.mul (f64.const 1234567.890625) (local.get 1))
      (f64.sub
        (f64.mul (local.get 1) (f64.const 0.375))
        (f64.div (local.get 0) (f64.add (local.get 1) (f64.const 1.25)))))))
