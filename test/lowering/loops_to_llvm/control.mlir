// RUN: glow-opt %s -p loops-to-llvm | filecheck %s

// A loop that may be empty is tested in front, too.
// CHECK-LABEL: @loop
// CHECK:         [[RUNS:%.*]] = llvm.icmp "slt" %a{{\w*}}, %b{{\w*}} : i64
// CHECK-NEXT:    llvm.cond_br [[RUNS]], ^bb[[HEAD:\d+]](%a{{\w*}}, %x{{\w*}} : i64, f32), ^bb[[EXIT:\d+]](%x{{\w*}} : f32)
// CHECK-NEXT:  ^bb[[HEAD]](%i{{\w*}}: i64, %acc{{\w*}}: f32):
// CHECK-NEXT:    [[SUM:%.*]] = llvm.fadd %acc{{\w*}}, %acc{{\w*}} : f32
// CHECK-NEXT:    [[NEXT:%.*]] = llvm.add %i{{\w*}}, %b{{\w*}} overflow<nsw> : i64
// CHECK-NEXT:    [[MORE:%.*]] = llvm.icmp "slt" [[NEXT]], %b{{\w*}} : i64
// CHECK-NEXT:    llvm.cond_br [[MORE]], ^bb[[HEAD]]([[NEXT]], [[SUM]] : i64, f32), ^bb[[EXIT]]([[SUM]] : f32)
// CHECK-NEXT:  ^bb[[EXIT]](%r{{\w*}}: f32):
// CHECK-NEXT:    llvm.return %r{{\w*}} : f32
func.func @loop(%a: index, %b: index, %x: f32) -> f32 {
  %r = scf.for %i = %a to %b step %b iter_args(%acc = %x) -> (f32) {
    %0 = arith.addf %acc, %acc : f32
    scf.yield %0 : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: @nonempty_loop
// CHECK-NEXT:    llvm.br ^bb[[HEAD:\d+]](%a{{\w*}} : i64)
// CHECK-NEXT:  ^bb[[HEAD]](%i{{\w*}}: i64):
func.func @nonempty_loop(%a: index, %b: index) {
  "scf.for"(%a, %b, %b) ({
  ^bb0(%i: index):
    scf.yield
  }) {nonempty} : (index, index, index) -> ()
  func.return
}

// CHECK-LABEL: @choice
// CHECK-NEXT:    llvm.cond_br %c{{\w*}}, ^bb[[THEN:\d+]], ^bb[[ELSE:\d+]]
// CHECK-NEXT:  ^bb[[THEN]]:
// CHECK-NEXT:    llvm.br ^bb[[EXIT:\d+]](%x{{\w*}} : f32)
// CHECK-NEXT:  ^bb[[ELSE]]:
// CHECK-NEXT:    llvm.br ^bb[[EXIT]](%y{{\w*}} : f32)
// CHECK-NEXT:  ^bb[[EXIT]](%r{{\w*}}: f32):
func.func @choice(%c: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: @choice_without_else
// CHECK-NEXT:    llvm.cond_br %c{{\w*}}, ^bb[[THEN:\d+]], ^bb[[EXIT:\d+]]
// CHECK-NEXT:  ^bb[[THEN]]:
// CHECK-NEXT:    llvm.br ^bb[[EXIT]]
// CHECK-NEXT:  ^bb[[EXIT]]:
// CHECK-NEXT:    llvm.return
func.func @choice_without_else(%c: i1) {
  scf.if %c {
  }
  func.return
}

// CHECK-LABEL: @while
// CHECK-NEXT:    llvm.br ^bb[[BEFORE:\d+]](%a{{\w*}} : i64)
// CHECK-NEXT:  ^bb[[BEFORE]](%i{{\w*}}: i64):
// CHECK-NEXT:    [[MORE:%.*]] = llvm.icmp "slt" %i{{\w*}}, %b{{\w*}} : i64
// CHECK-NEXT:    llvm.cond_br [[MORE]], ^bb[[AFTER:\d+]](%i{{\w*}} : i64), ^bb[[EXIT:\d+]](%i{{\w*}} : i64)
// CHECK-NEXT:  ^bb[[AFTER]](%j{{\w*}}: i64):
// CHECK-NEXT:    [[NEXT:%.*]] = llvm.add %j{{\w*}}, %b{{\w*}} : i64
// CHECK-NEXT:    llvm.br ^bb[[BEFORE]]([[NEXT]] : i64)
// CHECK-NEXT:  ^bb[[EXIT]](%r{{\w*}}: i64):
func.func @while(%a: index, %b: index) -> index {
  %r = scf.while (%i = %a) : (index) -> index {
    %more = arith.cmpi slt, %i, %b : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%j: index):
    %next = arith.addi %j, %b : index
    scf.yield %next : index
  }
  func.return %r : index
}

// CHECK-LABEL: @branches
// CHECK-NEXT:    llvm.cond_br %c{{\w*}}, ^bb[[A:\d+]](%x{{\w*}} : f32), ^bb[[B:\d+]]
// CHECK-NEXT:  ^bb[[A]](%y{{\w*}}: f32):
// CHECK-NEXT:    llvm.br ^bb[[B]]
// CHECK-NEXT:  ^bb[[B]]:
func.func @branches(%c: i1, %x: f32) {
  cf.cond_br %c, ^a(%x : f32), ^b
^a(%y: f32):
  cf.br ^b
^b:
  func.return
}

// CHECK-LABEL: llvm.func internal @callee
// CHECK-SAME:    no_inline
// CHECK:         [[A:%.*]] = llvm.insertvalue %x{{\w*}}, {{%.*}}[0] : !llvm.struct<(f32, i64)>
// CHECK-NEXT:    [[B:%.*]] = llvm.insertvalue %i{{\w*}}, [[A]][1] : !llvm.struct<(f32, i64)>
// CHECK-NEXT:    llvm.return [[B]] : !llvm.struct<(f32, i64)>
func.func private @callee(%x: f32, %i: index) -> (f32, index) {
  func.return %x, %i : f32, index
}

// CHECK-LABEL: llvm.func @caller
// CHECK-NEXT:    [[R:%.*]] = llvm.call @callee(%x{{\w*}}, %i{{\w*}}) : (f32, i64) -> !llvm.struct<(f32, i64)>
// CHECK-NEXT:    {{%.*}} = llvm.extractvalue [[R]][0] : !llvm.struct<(f32, i64)>
// CHECK-NEXT:    [[B:%.*]] = llvm.extractvalue [[R]][1] : !llvm.struct<(f32, i64)>
// CHECK-NEXT:    llvm.return [[B]] : i64
func.func @caller(%x: f32, %i: index) -> index {
  %0, %1 = func.call @callee(%x, %i) : (f32, index) -> (f32, index)
  func.return %1 : index
}

// A private function without a body comes from elsewhere.
// CHECK-LABEL: llvm.func @elsewhere(f32) -> f32
func.func private @elsewhere(f32) -> f32

// CHECK-LABEL: llvm.func @attributes(%a{{\w*}}: !llvm.ptr {llvm.noalias}, %b{{\w*}}: i64)
func.func @attributes(%a: memref<?xf32> {llvm.noalias, glow.note = "mine"}, %b: index) {
  func.return
}

// CHECK-LABEL: llvm.func @call_of_an_address
// CHECK-NEXT:    llvm.call %f{{\w*}}(%n{{\w*}}) : !llvm.ptr, (i64) -> ()
func.func @call_of_an_address(%f: memref<?xi8>, %n: index) {
  llvm_ext.call_pointer %f(%n) : memref<?xi8>, index
  func.return
}

// The counter is read where it stands: before and after a call.
// CHECK-LABEL: llvm.func @counts
// CHECK:         %a{{\w*}} = llvm.call_intrinsic "llvm.readcyclecounter"
// CHECK-NEXT:    {{.*}}llvm.call @elsewhere
// CHECK-NEXT:    %b{{\w*}} = llvm.call_intrinsic "llvm.readcyclecounter"
func.func @counts(%x: f32) -> (i64, i64) {
  %a = llvm_ext.cycle_counter : i64
  %0 = func.call @elsewhere(%x) : (f32) -> f32
  %b = llvm_ext.cycle_counter : i64
  func.return %a, %b : i64, i64
}
