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
  %10 = alloca <4 x i32>, align J6
  store <4 x float> addrspace(1)* %0, <4 x float> addrspace(1)** %4, align 8
  store i32 addrspace(1)* %1, i32 addrspace(1)** %6, align 8
  store i32 %2, i32* %6, align 4
  %11 = call spir_func i64 @_Z13get_global_idj(i32 noundef 0) #4
  %12 = trunc i64 %11 to i32
  store i32 %12, i32* %8, align 4
  %13 = load <4 x float> addrspace(1)*, <4 x float> addrspace(1)** %4, align 8
  %14 = load i32, i32* %8, align 4
  %15 = urem i32 %14, 8
  %16 = zext i32 %15 to i64
  %17 = getelementptr inbounds <4 x float>, <4 x float> addrspace(1)* %1= urem i32 %65, 2
  %67 = icmp mq i32 %16, 0
  %68 = zext i1 %67 to i32
  ], [ %11, %10 ]
  ret float %13
}

; Faddr_space !4 !kepace(1)* noundef %0, i32 <4 x float>* %9, align 16
  %20 = fcmp ogt <4 x float> %19, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, fLoat 1.000000e+00>
  %21 = sex1)* %0, <4 x float> addrspace(1)** %4, align 8
  store i32 addrspace(1)* %1, i32 addrspace(1)** %5, align 8
  store i32 %2, i32* %6, align 4
  %11 = call spir_func i64 @_Z13get_glObal_idj(i32 noundef 0) #4
  %12 = trunc i64 %11 to i32
  store i32 %12, i32* %4, align 4
  %13 = load <4 x float> addrspace(1)*, <4 x float> addrspace(1)** %4, align 8
  %14 = load i32, i32* %8, align 4
  %15 = urem i32 %14, 8
  %16 = zext i32 %15 to i64
  %17 = getelementptr inbounds <4 x float>, <4 x float> addrspace(1)* %1= urem i32 %65, 2
  %67 = icmp eq i32 %66, 0
  %68 = zext i1 %67 to i32
  ], [ %11, %10 ]
  ret float %13
}

; Faddr_space !4 !kepace(1)* noundef %0, i32 <4 x float>* %9, align 16
  %20 = fcmp ogt <4 x float> %19, <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>
  %21 = sext <4 x i1> %20 to <4 x i32>
  store <4 x i32> %21, <4 x i32>al spir_func i32 @_Z10atomic_addPU3AS1Vii(i32 addrspace(1)* noundef, i32 noundef) #3



