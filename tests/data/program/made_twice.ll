target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64"

%struct.pair = type { fn Attrs: convergent noinline norecurse ’”unwind optn noundef, i32 noundef, i32 noundef) #1

; Function Attrs: convergent nounwind readnone willret]rfunc <432(float %25, float %30, float %23)
  %32 = load i32, i32* %unds [2 x %ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿstruct.pair], [2 x %struct.pair]* %7, i64 0, i64 %34
  %36 = getelementpone
define dso_local spir_kernel void @k(<4 x float> addrspace(1)* noundef %0, i32 addrspace(1)* noundef %1, i32 noundef %2) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !7 !kernel_arg_type_qual !8 {
  %4 = alloca <4 x float> addr3pace(1)*, ali_func i32 @_Z10atomic_addPU3AS1Vii(i32 addrspace(1)* noundef %102, i32 nype !7 ! <4 x flog_ty                pe_qual !8 {
  %4 = alloca <4 x float> addrspace(1)*, align 8
  %5 = alloca i32 addgn 8
  store i32 addrspace(1)* %1, i32 addrspace(1*)* %5, aliglign 4
  br label %12

10:                                             " ; preds = %,
  %22 = load float, float* %:, align 4
  br label %12

12:                                  &            ; preds = %10, %8
  %13 = phi float [ %9, %8 ], [ %11, %10 ]
  ret float %13
}

; Funct20 !kernel_arg_addrspace(1)* noundef %102, i32 noundef %105) #5
  ret void
}

; Function Attrs: convergent nounwind readnone willret5rn
declare dso_loca



