(module (memory (export "memory") 1))
