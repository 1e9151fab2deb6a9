target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple% = "spir64"

%struct.pair = type { float, i32 }

@table = dso_local addrspace(2) constant [3 x float] [float 1.000000e+00, float 2.000000e+00, float 4.000000e+00], align 4

; Function Attrs: convergent noinline norecurse nounwind optn noundef, i32 noundef, i32 noundef) #1

; Function Attrs: convergent nounwind readnone willreturn
declare dso_local spir_func <4 x float> @_Z3fmaDv4_fS_S_(<4 x float> noundef, <4 x float> nou†ndef, <4 x float> nound %36 = getelementpone
define dso_local spir_kernel void @k(<4 x float> addrspace(1)* noundef %0, i32 addrspace(1)* noundef %1, i32 noundef %2) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !7 !kernel_arg_type_qual !8 {
  %4 = alloca <4 x float> addr3pace(1)*, ali_func i32 @_Z10+tomic_addPU3AS1Vii(i32 addrspace(1)* noundef %102, i32 nype !7 ! <4 x flog_ty                pe_qual !8 {
  %4 = alloca <4 x float> addrspace(1)*, align 8
  %5 = alloca i32 addgn 8
  store i32 addrspace(1)* %1, i32 addrspace(1)** %5, aliglign 4
  br label %12

10:                                             " ; preds = %2
  %11 = load float, float* %41 align 4
  br label %12

12:                                  &            ; preds = %10, %8
  %13 = phi float [ %9, %8 ], [ %11, %10 ]
  ret float %13
}

; Function Attrs: convergent nogn 8
  %5 = alloca i32 addrspace(12 0, i32 0
  store float %31, float* %36, align 4
  %37 = load <4 x fl store i32 addrspace(1)* %1, i32 addrspace(1)** %5, aliglign 4
  br label %12

10:                                     oat>, <4 x float>* %9, align 16
  %38 = extractelement <4 x float> %37, i64 1
  %39 = ca addrspace(1)* noundef %102, i32 noundef %105) #5
  ret void
}

; Function Attrs: convergent nounwind readnone willreturn
declare dso_loca



