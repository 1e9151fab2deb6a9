target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64"

%struct.pair = type { float, i32 }

@table = dso_local addrspace(2) constant [3 x float] [float 1.000000e+00, float 2.000000e+00, float 4.000000e+00], align 4

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_kernel void @k(<4 x float> addrspace(1)* noundef %0, i32 addrspace(1)* noundef %1, i32 noundef %2) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !7 !kernel_arg_type_qual !8 {
  %4 = alloca <4 x float> addrspace(1)*, align 8
  %5 = alloca i32 addrspace(1)*, align 8
  %6 = alloca i32, align 4
  %7 = alloca [2 x %struct.pair], align 4
  %8 = alloca i32, align 4
  %9 = alloca <4 x float>, align 16
  %10 = alloca <4 x i32>, align 16
  store <4 x float> addrspace(1)* %0, <4 x float> addrspace(1)** %4, align 8
  store i32 addrspace(1)* %1, i32 addrspace(1)** %5, align 8
  store i32 %2, i32* %6, align 4
  %11 = call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %12 = trunc i64 %11 to i32
  store i32 %12, i32* %8, align 4
  %13 = load <4 x float> addrspace(1)*, <4 x float> addrspace(1)** %4, align 8
  %14 = load i32, i32* %8, align 4
  %15 = urem i32 %14, 8
  %16 = zext i32 %15 to i64
  %17 = getelementptr inbounds <4 x float>, <4 x float> addrspace(1)* %13, i64 %16
  %18 = load <4 x float>, <4 x float> addrspace(1)* %17, align 16
  store <4 x float> %18, <4 x float>* %9, align 16
  %19 = load <4 x float>, <4 x float>* %9, align 16
  %20 = fcmp ogt <4 x float> %19, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %21 = sext <4 x i1> %20 to <4 x i32>
  store <4 x i32> %21, <4 x i32>* %10, align 16
  %22 = load <4 x float>, <4 x float>* %9, align 16
  %23 = extractelement <4 x float> %22, i64 0
  %24 = load <4 x float>, <4 x float>* %9, align 16
  %25 = extractelement <4 x float> %24, i64 3
  %26 = load i32, i32* %8, align 4
  %27 = urem i32 %26, 3
  %28 = zext i32 %27 to i64
  %29 = getelementptr inbounds [3 x float], [3 x float] addrspace(2)* @table, i64 0, i64 %28
  %30 = load float, float addrspace(2)* %29, align 4
  %31 = call float @llvm.fmuladd.f32(float %25, float %30, float %23)
  %32 = load i32, i32* %8, align 4
  %33 = and i32 %32, 1
  %34 = zext i32 %33 to i64
  %35 = getelementptr inbounds [2 x %struct.pair], [2 x %struct.pair]* %7, i64 0, i64 %34
  %36 = getelementptr inbounds %struct.pair, %struct.pair* %35, i32 0, i32 0
  store float %31, float* %36, align 4
  %37 = load <4 x float>, <4 x float>* %9, align 16
  %38 = extractelement <4 x float> %37, i64 1
  %39 = call spir_func i32 @_Z15convert_int_satf(float noundef %38) #4
  %40 = load i32, i32* %8, align 4
  %41 = and i32 %40, 1
  %42 = zext i32 %41 to i64
  %43 = getelementptr inbounds [2 x %struct.pair], [2 x %struct.pair]* %7, i64 0, i64 %42
  %44 = getelementptr inbounds %struct.pair, %struct.pair* %43, i32 0, i32 1
  store i32 %39, i32* %44, align 4
  %45 = load i32, i32* %6, align 4
  switch i32 %45, label %64 [
    i32 1, label %46
    i32 7, label %57
  ]

46:                                               ; preds = %3
  %47 = load i32, i32* %8, align 4
  %48 = and i32 %47, 1
  %49 = zext i32 %48 to i64
  %50 = getelementptr inbounds [2 x %struct.pair], [2 x %struct.pair]* %7, i64 0, i64 %49
  %51 = getelementptr inbounds %struct.pair, %struct.pair* %50, i32 0, i32 1
  %52 = load i32, i32* %51, align 4
  %53 = load i32 addrspace(1)*, i32 addrspace(1)** %5, align 8
  %54 = load i32, i32* %8, align 4
  %55 = zext i32 %54 to i64
  %56 = getelementptr inbounds i32, i32 addrspace(1)* %53, i64 %55
  store i32 %52, i32 addrspace(1)* %56, align 4
  br label %87

57:                                               ; preds = %3
  %58 = load <4 x i32>, <4 x i32>* %10, align 16
  %59 = call spir_func i32 @_Z3anyDv4_i(<4 x i32> noundef %58) #4
  %60 = load i32 addrspace(1)*, i32 addrspace(1)** %5, align 8
  %61 = load i32, i32* %8, align 4
  %62 = zext i32 %61 to i64
  %63 = getelementptr inbounds i32, i32 addrspace(1)* %60, i64 %62
  store i32 %59, i32 addrspace(1)* %63, align 4
  br label %87

64:                                               ; preds = %3
  %65 = load <4 x i32>, <4 x i32>* %10, align 16
  %66 = extractelement <4 x i32> %65, i64 0
  %67 = load i32, i32* %8, align 4
  %68 = and i32 %67, 1
  %69 = zext i32 %68 to i64
  %70 = getelementptr inbounds [2 x %struct.pair], [2 x %struct.pair]* %7, i64 0, i64 %69
  %71 = getelementptr inbounds %struct.pair, %struct.pair* %70, i32 0, i32 0
  %72 = load float, float* %71, align 4
  %73 = bitcast float %72 to i32
  %74 = load i32, i32* %8, align 4
  %75 = icmp ugt i32 %74, 2
  br i1 %75, label %76, label %79

76:                                               ; preds = %64
  %77 = load i32, i32* %6, align 4
  %78 = icmp ugt i32 %77, 4
  br label %79

79:                                               ; preds = %76, %64
  %80 = phi i1 [ false, %64 ], [ %78, %76 ]
  %81 = zext i1 %80 to i32
  %82 = call spir_func i32 @_Z6selectiii(i32 noundef %66, i32 noundef %73, i32 noundef %81) #4
  %83 = load i32 addrspace(1)*, i32 addrspace(1)** %5, align 8
  %84 = load i32, i32* %8, align 4
  %85 = zext i32 %84 to i64
  %86 = getelementptr inbounds i32, i32 addrspace(1)* %83, i64 %85
  store i32 %82, i32 addrspace(1)* %86, align 4
  br label %87

87:                                               ; preds = %79, %57, %46
  br label %88

88:                                               ; preds = %97, %87
  %89 = load i32, i32* %6, align 4
  %90 = udiv i32 %89, 2
  store i32 %90, i32* %6, align 4
  %91 = load <4 x float>, <4 x float>* %9, align 16
  %92 = load <4 x float>, <4 x float>* %9, align 16
  %93 = shufflevector <4 x float> %92, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %94 = load <4 x float>, <4 x float>* %9, align 16
  %95 = call spir_func <4 x float> @_Z3expDv4_f(<4 x float> noundef %94) #4
  %96 = call spir_func <4 x float> @_Z3fmaDv4_fS_S_(<4 x float> noundef %91, <4 x float> noundef %93, <4 x float> noundef %95) #4
  store <4 x float> %96, <4 x float>* %9, align 16
  br label %97

97:                                               ; preds = %88
  %98 = load i32, i32* %6, align 4
  %99 = icmp ne i32 %98, 0
  br i1 %99, label %88, label %100

100:                                              ; preds = %97
  %101 = load i32 addrspace(1)*, i32 addrspace(1)** %5, align 8
  %102 = getelementptr inbounds i32, i32 addrspace(1)* %101, i64 0
  %103 = load <4 x float>, <4 x float>* %9, align 16
  %104 = extractelement <4 x float> %103, i64 1
  %105 = fptosi float %104 to i32
  %106 = call spir_func i32 @_Z10atomic_addPU3AS1Vii(i32 addrspace(1)* noundef %102, i32 noundef %105) #5
  ret void
}

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local spir_func i64 @_Z13get_global_idj(i32 noundef) #1

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare float @llvm.fmuladd.f32(float, float, float) #2

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local spir_func i32 @_Z15convert_int_satf(float noundef) #1

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local spir_func i32 @_Z3anyDv4_i(<4 x i32> noundef) #1

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local spir_func i32 @_Z6selectiii(i32 noundef, i32 noundef, i32 noundef) #1

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local spir_func <4 x float> @_Z3fmaDv4_fS_S_(<4 x float> noundef, <4 x float> noundef, <4 x float> noundef) #1

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local spir_func <4 x float> @_Z3expDv4_f(<4 x float> noundef) #1

; Function Attrs: convergent
declare dso_local spir_func i32 @_Z10atomic_addPU3AS1Vii(i32 addrspace(1)* noundef, i32 noundef) #3



