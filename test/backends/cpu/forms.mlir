// RUN: glow-opt %s --start-at llvm --stop-after llvm-ir --cpu-features neon | filecheck %s --check-prefix IR
// RUN: glow-opt %s --start-at llvm --stop-after asm --cpu-features avx512 | filecheck %s --check-prefix AVX512
// RUN: glow-opt %s --start-at llvm --stop-after asm --cpu-features sse2 | filecheck %s --check-prefix SSE2
// RUN: glow-opt %s --start-at llvm --stop-after asm --cpu-features neon | filecheck %s --check-prefix NEON

// IR:         target triple = "aarch64
// IR:         declare <16 x float> @llvm.fmuladd.v16f32(<16 x float>, <16 x float>, <16 x float>)
// IR-LABEL:   define void @tile(ptr noalias %0, ptr %1, i64 %2) nounwind {
// IR:           [[C:%.*]] = getelementptr float, ptr %1, i64 %2
// IR-NEXT:      [[A:%.*]] = load <16 x float>, ptr [[C]], align 4
// IR:           br label %b1
// IR-NEXT:    b1:
// IR-NEXT:      [[K:%.*]] = phi i64 [ 0, %b0 ], [ [[N:%.*]], %b1 ]
// IR-NEXT:      [[S:%.*]] = phi <16 x float> [ [[A]], %b0 ], [ [[T:%.*]], %b1 ]
// IR:           call <16 x float> @llvm.fmuladd.v16f32(
// IR:           call nsz <16 x float> @llvm.maximum.v16f32(<16 x float> {{%.*}}, <16 x float> splat (float 0x0000000000000000))
// IR:           store <16 x float> {{%.*}}, ptr {{%.*}}, align 4

// One register, one broadcast from memory, one instruction for the rectifier.
// AVX512-LABEL: tile:
// AVX512:         vbroadcastss {{.*}}, %zmm
// AVX512:         vfmadd231ps
// AVX512:         vmaxps {{.*}}%zmm
// AVX512-NOT:     vmaxps
// AVX512:         .size

// Without a fused instruction there is a product and a sum, and no call.
// SSE2-LABEL:   tile:
// SSE2:           mulps
// SSE2:           addps
// SSE2-NOT:       call
// SSE2:           .size

// NEON-LABEL:   tile:
// NEON:           fmla v{{\d+}}.4s
// NEON:           .size
func.func @tile(%x: memref<?xf32> {llvm.noalias}, %y: memref<?xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = vector.load %y[%n] : memref<?xf32>, vector<16xf32>
  %r = "scf.for"(%zero, %n, %one, %c) ({
  ^bb0(%k: index, %s: vector<16xf32>):
    %a = memref.load %x[%k] : memref<?xf32>
    %b = vector.broadcast %a : f32 to vector<16xf32>
    %w = vector.load %x[%n] : memref<?xf32>, vector<16xf32>
    %t = vector.fma %b, %w, %s : vector<16xf32>
    scf.yield %t : vector<16xf32>
  }) {nonempty} : (index, index, index, vector<16xf32>) -> vector<16xf32>
  %low = arith.constant dense<0.0> : vector<16xf32>
  %m = arith.maximumf %r, %low fastmath<nsz> : vector<16xf32>
  vector.store %m, %y[%n] : memref<?xf32>, vector<16xf32>
  func.return
}
