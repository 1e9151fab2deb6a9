target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64"

@k.part = internal addrspace(3) global [8 x float] undef, align 4

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_func float @larger(float noundef %0, float noundef %1) #0 {
  %3 = alloca float, align 4
  %4 = alloca float, align 4
  store float %0, float* %3, align 4
  store float %1, float* %4, align 4
  %5 = load float, float* %3, align 4
  %6 = load float, float* %4, align 4
  %7 = fcmp ogt float %5, %6
  br i1 %7, label %8, label %10

8:                                                ; preds = %2
  %9 = load float, float* %3, align 4
  br label %12

10:                                               ; preds = %2
  %11 = load float, float* %4, align 4
  br label %12

12:                                               ; preds = %10, %8
  %13 = phi float [ %9, %8 ], [ %11, %10 ]
  ret float %13
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_kernel void @k(float addrspace(1)* noundef %0, float addrspace(1)* noundef %1, i32 noundef %2) #1 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
  %4 = alloca float addrspace(1)*, align 8
  %5 = alloca float addrspace(1)*, align 8
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca float, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  store float addrspace(1)* %0, float addrspace(1)** %4, align 8
  store float addrspace(1)* %1, float addrspace(1)** %5, align 8
  store i32 %2, i32* %6, align 4
  %11 = call spir_func i64 @_Z12get_local_idj(i32 noundef 0) #4
  %12 = trunc i64 %11 to i32
  store i32 %12, i32* %7, align 4
  store float 0xFFF0000000000000, float* %8, align 4
  %13 = load i32, i32* %7, align 4
  store i32 %13, i32* %9, align 4
  br label %14

14:                                               ; preds = %26, %3
  %15 = load i32, i32* %9, align 4
  %16 = load i32, i32* %6, align 4
  %17 = icmp ult i32 %15, %16
  br i1 %17, label %18, label %29

18:                                               ; preds = %14
  %19 = load float, float* %8, align 4
  %20 = load float addrspace(1)*, float addrspace(1)** %4, align 8
  %21 = load i32, i32* %9, align 4
  %22 = zext i32 %21 to i64
  %23 = getelementptr inbounds float, float addrspace(1)* %20, i64 %22
  %24 = load float, float addrspace(1)* %23, align 4
  %25 = call spir_func float @larger(float noundef %19, float noundef %24) #5
  store float %25, float* %8, align 4
  br label %26

26:                                               ; preds = %18
  %27 = load i32, i32* %9, align 4
  %28 = add i32 %27, 4
  store i32 %28, i32* %9, align 4
  br label %14

29:                                               ; preds = %14
  %30 = load float, float* %8, align 4
  %31 = load i32, i32* %7, align 4
  %32 = zext i32 %31 to i64
  %33 = getelementptr inbounds [8 x float], [8 x float] addrspace(3)* @k.part, i64 0, i64 %32
  store float %30, float addrspace(3)* %33, align 4
  call spir_func void @_Z7barrierj(i32 noundef 1) #5
  store i32 2, i32* %10, align 4
  br label %34

34:                                               ; preds = %57, %29
  %35 = load i32, i32* %10, align 4
  %36 = icmp ugt i32 %35, 0
  br i1 %36, label %37, label %60

37:                                               ; preds = %34
  %38 = load i32, i32* %7, align 4
  %39 = load i32, i32* %10, align 4
  %40 = icmp ult i32 %38, %39
  br i1 %40, label %41, label %56

41:                                               ; preds = %37
  %42 = load i32, i32* %7, align 4
  %43 = zext i32 %42 to i64
  %44 = getelementptr inbounds [8 x float], [8 x float] addrspace(3)* @k.part, i64 0, i64 %43
  %45 = load float, float addrspace(3)* %44, align 4
  %46 = load i32, i32* %7, align 4
  %47 = load i32, i32* %10, align 4
  %48 = add i32 %46, %47
  %49 = zext i32 %48 to i64
  %50 = getelementptr inbounds [8 x float], [8 x float] addrspace(3)* @k.part, i64 0, i64 %49
  %51 = load float, float addrspace(3)* %50, align 4
  %52 = call spir_func float @_Z4fmaxff(float noundef %45, float noundef %51) #4
  %53 = load i32, i32* %7, align 4
  %54 = zext i32 %53 to i64
  %55 = getelementptr inbounds [8 x float], [8 x float] addrspace(3)* @k.part, i64 0, i64 %54
  store float %52, float addrspace(3)* %55, align 4
  br label %56

56:                                               ; preds = %41, %37
  call spir_func void @_Z7barrierj(i32 noundef 1) #5
  br label %57

57:                                               ; preds = %56
  %58 = load i32, i32* %10, align 4
  %59 = lshr i32 %58, 1
  store i32 %59, i32* %10, align 4
  br label %34

60:                                               ; preds = %34
  %61 = load float, float addrspace(3)* getelementptr inbounds ([8 x float], [8 x float] addrspace(3)* @k.part, i64 0, i64 0), align 4
  %62 = load i32, i32* %6, align 4
  %63 = icmp ugt i32 %62, 3
  %64 = zext i1 %63 to i32
  %65 = load i32, i32* %6, align 4
  %66 = urem i32 %65, 2
  %67 = icmp eq i32 %66, 0
  %68 = zext i1 %67 to i32
  %69 = mul nsw i32 %64, %68
  %70 = sitofp i32 %69 to float
  %71 = fmul float %61, %70
  %72 = load float addrspace(1)*, float addrspace(1)** %5, align 8
  %73 = call spir_func i64 @_Z12get_group_idj(i32 noundef 0) #4
  %74 = getelementptr inbounds float, float addrspace(1)* %72, i64 %73
  store float %71, float addrspace(1)* %74, align 4
  ret void
}

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local spir_func i64 @_Z12get_local_idj(i32 noundef) #2

; Function Attrs: convergent
declare dso_local spir_func void @_Z7barrierj(i32 noundef) #3

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local spir_func float @_Z4fmaxff(float noundef, float noundef) #2

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local spir_func i64 @_Z12get_group_idj(i32 noundef) #2



