// RUN: glow-opt %s -p loops-to-llvm --print-debuginfo | filecheck %s

// What an op becomes is where the op was; a loop's own test is where the loop was.
// CHECK:         llvm.br {{.*}} loc("loop")
// CHECK:         llvm.call @sinf{{.*}} loc("sin")
// CHECK:         llvm.add {{.*}} loc("loop")
// CHECK-NEXT:    llvm.icmp {{.*}} loc("loop")
// CHECK-NEXT:    llvm.cond_br {{.*}} loc("loop")
// CHECK:         llvm.return loc("return")
// CHECK:         llvm.func @sinf(f32) -> f32{{.*}} loc("sin")
"builtin.module"() ({
  "func.func"() <{sym_name = "f", function_type = (index, f32) -> ()}> ({
  ^bb0(%n: index, %x: f32):
    "scf.for"(%n, %n, %n) ({
    ^bb1(%i: index):
      %y = "math.sin"(%x) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32 loc("sin")
      "scf.yield"() : () -> () loc("yield")
    }) {nonempty} : (index, index, index) -> () loc("loop")
    "func.return"() : () -> () loc("return")
  }) : () -> () loc("function")
}) : () -> () loc("module")
