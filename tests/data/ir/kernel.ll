target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"

@relu.part = internal addrspace(3) global [4 x float] undef, align 4
@__const.relu.mine = private unnamed_addr addrspace(2) constant [3 x float] [float 1.000000e+00, float 2.000000e+00, float 3.000000e+00], align 4

; Function Attrs: convergent noinline norecurse nounwind
define dso_local spir_kernel void @relu(float addrspace(1)* noundef %0, float addrspace(1)* noundef %1, i32 noundef %2) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
  %4 = alloca float addrspace(1)*, align 8
  %5 = alloca float addrspace(1)*, align 8
  %6 = alloca i32, align 4
  %7 = alloca [3 x float], align 4
  %8 = alloca i32, align 4
  store float addrspace(1)* %0, float addrspace(1)** %4, align 8
  store float addrspace(1)* %1, float addrspace(1)** %5, align 8
  store i32 %2, i32* %6, align 4
  %9 = bitcast [3 x float]* %7 to i8*
  call void @llvm.memcpy.p0i8.p2i8.i64(i8* align 4 %9, i8 addrspace(2)* align 4 bitcast ([3 x float] addrspace(2)* @__const.relu.mine to i8 addrspace(2)*), i64 12, i1 false)
  store i32 0, i32* %8, align 4
  br label %10

10:                                               ; preds = %40, %3
  %11 = load i32, i32* %8, align 4
  %12 = load i32, i32* %6, align 4
  %13 = icmp ult i32 %11, %12
  br i1 %13, label %14, label %43

14:                                               ; preds = %10
  %15 = load float addrspace(1)*, float addrspace(1)** %4, align 8
  %16 = load i32, i32* %8, align 4
  %17 = zext i32 %16 to i64
  %18 = getelementptr inbounds float, float addrspace(1)* %15, i64 %17
  %19 = load float, float addrspace(1)* %18, align 4
  %20 = call spir_func float @twice(float noundef %19) #3
  %21 = load i32, i32* %8, align 4
  %22 = urem i32 %21, 3
  %23 = zext i32 %22 to i64
  %24 = getelementptr inbounds [3 x float], [3 x float]* %7, i64 0, i64 %23
  %25 = load float, float* %24, align 4
  %26 = fadd float %20, %25
  %27 = load i32, i32* %8, align 4
  %28 = urem i32 %27, 4
  %29 = zext i32 %28 to i64
  %30 = getelementptr inbounds [4 x float], [4 x float] addrspace(3)* @relu.part, i64 0, i64 %29
  store float %26, float addrspace(3)* %30, align 4
  %31 = load i32, i32* %8, align 4
  %32 = urem i32 %31, 4
  %33 = zext i32 %32 to i64
  %34 = getelementptr inbounds [4 x float], [4 x float] addrspace(3)* @relu.part, i64 0, i64 %33
  %35 = load float, float addrspace(3)* %34, align 4
  %36 = load float addrspace(1)*, float addrspace(1)** %5, align 8
  %37 = load i32, i32* %8, align 4
  %38 = zext i32 %37 to i64
  %39 = getelementptr inbounds float, float addrspace(1)* %36, i64 %38
  store float %35, float addrspace(1)* %39, align 4
  br label %40

40:                                               ; preds = %14
  %41 = load i32, i32* %8, align 4
  %42 = add i32 %41, 1
  store i32 %42, i32* %8, align 4
  br label %10

43:                                               ; preds = %10
  ret void
}

; Function Attrs: argmemonly nofree nounwind willreturn
declare void @llvm.memcpy.p0i8.p2i8.i64(i8* noalias nocapture writeonly, i8 addrspace(2)* noalias nocapture readonly, i64, i1 immarg) #1

; Function Attrs: convergent noinline norecurse nounwind
define internal spir_func float @twice(float noundef %0) #2 {
  %2 = alloca float, align 4
  store float %0, float* %2, align 4
  %3 = load float, float* %2, align 4
  %4 = load float, float* %2, align 4
  %5 = fadd float %3, %4
  ret float %5
}



