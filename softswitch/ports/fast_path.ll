; LLVM 22, x86_64-unknown-linux-gnu, sources c6bfec15661001032967ee1b01b8132a8198e0c39c5df4206bfbb3889773e745
; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define internal fastcc void @_ZN8dropzero10softswitch5ports8gso_code6arriveB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr noalias nonnull writeonly captures(none) %retptr, i64 %arg.at, i64 %arg.count) unnamed_addr #0 {
entry:
  %.6 = inttoptr i64 %arg.at to ptr
  %.12 = getelementptr inbounds nuw i8, ptr %.6, i64 136
  %.14 = load i64, ptr %.12, align 1
  %.15 = inttoptr i64 %.14 to ptr
  %.17 = getelementptr inbounds nuw i8, ptr %.6, i64 96
  %.19 = load i64, ptr %.17, align 1
  %.20 = inttoptr i64 %.19 to ptr
  %.28 = getelementptr inbounds nuw i8, ptr %.6, i64 104
  %.30 = load i64, ptr %.28, align 1
  %.31 = inttoptr i64 %.30 to ptr
  %.33 = getelementptr inbounds nuw i8, ptr %.6, i64 112
  %.35 = load i64, ptr %.33, align 1
  %.36 = inttoptr i64 %.35 to ptr
  %.44 = getelementptr inbounds nuw i8, ptr %.6, i64 120
  %.46 = load i64, ptr %.44, align 1
  %.47 = inttoptr i64 %.46 to ptr
  %.49 = getelementptr inbounds nuw i8, ptr %.6, i64 128
  %.51 = load i64, ptr %.49, align 1
  %.52 = inttoptr i64 %.51 to ptr
  %.60 = getelementptr inbounds nuw i8, ptr %.6, i64 64
  %.62 = load i64, ptr %.60, align 1
  %.64 = getelementptr inbounds nuw i8, ptr %.6, i64 56
  %.66 = load i64, ptr %.64, align 1
  %.179220.not = icmp slt i64 %arg.count, 1
  br i1 %.179220.not, label %B2060, label %B526.if.lr.ph

B526.if.lr.ph:                                    ; preds = %entry
  %.82 = getelementptr inbounds nuw i8, ptr %.6, i64 88
  %.84 = load i64, ptr %.82, align 1
  %.78 = getelementptr inbounds nuw i8, ptr %.6, i64 80
  %.80 = load i64, ptr %.78, align 1
  %.74 = getelementptr inbounds nuw i8, ptr %.6, i64 72
  %.76 = load i64, ptr %.74, align 1
  %.222 = inttoptr i64 %.84 to ptr
  %.226 = inttoptr i64 %.76 to ptr
  %.236 = inttoptr i64 %.80 to ptr
  %.242 = getelementptr inbounds nuw i8, ptr %.6, i64 296
  %.246 = getelementptr inbounds nuw i8, ptr %.6, i64 184
  %.354 = add i64 %.80, -32
  %.277 = getelementptr inbounds nuw i8, ptr %.6, i64 304
  br label %B526.if

B724:                                             ; preds = %B526.if
  %.265 = getelementptr inbounds nuw i8, ptr %.237, i64 16
  %.267 = load i64, ptr %.265, align 1
  %.268 = mul nsw i64 %.267, 1000000000
  %.270 = getelementptr inbounds nuw i8, ptr %.237, i64 24
  %.272 = load i64, ptr %.270, align 1
  %.275 = add nsw i64 %.268, %.272
  %.279 = load i64, ptr %.277, align 1
  %.280 = sub i64 %.275, %.279
  %.11.i = tail call i64 @llvm.smin.i64(i64 %.280, i64 %.249)
  %.11.i202 = tail call i64 @llvm.smax.i64(i64 %.11.i, i64 0)
  br label %B916.else.if

B834:                                             ; preds = %B526.if
  %.352 = mul nuw nsw i64 %.120.0222, 72
  %.355 = add i64 %.354, %.352
  %.356 = inttoptr i64 %.355 to ptr
  br label %B916.else.if

B1078:                                            ; preds = %B916.else.if
  %.456 = add nsw i64 %.422, -6
  %.460 = add nuw nsw i64 %.428, 4
  %.470 = add nsw i64 %.409, %.62
  %.473 = add nsw i64 %.470, 4
  %.474 = inttoptr i64 %.470 to ptr
  %.475 = inttoptr i64 %.473 to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(12) %.474, ptr noundef nonnull align 1 dereferenceable(12) %.475, i64 12, i1 false)
  %.484 = getelementptr inbounds nuw i8, ptr %auxiliary.2.1, i64 66
  %.486 = load i16, ptr %.484, align 1
  %rev.i = tail call i16 @llvm.bswap.i16(i16 %.486)
  %.513 = getelementptr inbounds nuw i8, ptr %auxiliary.2.1, i64 64
  %.515 = load i16, ptr %.513, align 1
  %rev.i204 = tail call i16 @llvm.bswap.i16(i16 %.515)
  %.543 = getelementptr inbounds nuw i8, ptr %.474, i64 12
  store i16 %rev.i, ptr %.543, align 1
  %.547 = getelementptr inbounds nuw i8, ptr %.474, i64 14
  store i16 %rev.i204, ptr %.547, align 1
  br label %B1352

B1352:                                            ; preds = %B1078, %B916.else.if
  %start.2.1 = phi i64 [ %.409, %B1078 ], [ %.410, %B916.else.if ]
  %summed.2.1 = phi i64 [ %.460, %B1078 ], [ %.428, %B916.else.if ]
  %size.2.1 = phi i64 [ %.456, %B1078 ], [ %.423, %B916.else.if ]
  %.561 = add nsw i64 %start.2.1, %.62
  %.569 = getelementptr inbounds nuw i8, ptr %.227, i64 1
  %.570 = load i8, ptr %.569, align 1
  switch i8 %.570, label %B2012 [
    i8 0, label %B1398
    i8 5, label %B1636
  ]

B1398:                                            ; preds = %B1352
  %.577 = getelementptr inbounds nuw i8, ptr %.227, i64 8
  %.579 = load i16, ptr %.577, align 1
  %.580 = zext i16 %.579 to i64
  %.582 = add nuw nsw i64 %summed.2.1, %.580
  %.588 = load i8, ptr %.227, align 1
  %0 = and i8 %.588, 1
  %.593.not = icmp eq i8 %0, 0
  %.596 = add nuw nsw i64 %.582, 2
  %.598.not = icmp sgt i64 %.596, %size.2.1
  %or.cond = select i1 %.593.not, i1 true, i1 %.598.not
  br i1 %or.cond, label %B1544, label %B1492

B1492:                                            ; preds = %B1398
  %.603 = add nsw i64 %.561, %summed.2.1
  %.606 = sub nsw i64 %size.2.1, %summed.2.1
  %.611 = add nsw i64 %.582, %.561
  %.14.i.i = ashr i64 %.606, 2
  %.9658.not.i.i = icmp slt i64 %.14.i.i, 1
  br i1 %.9658.not.i.i, label %B110.i.i, label %B44.if.lr.ph.i.i

B44.if.lr.ph.i.i:                                 ; preds = %B1492
  %.135.i.i = inttoptr i64 %.603 to ptr
  br label %B44.if.i.i

B110.i.i:                                         ; preds = %B44.if.i.i, %B1492
  %total.4.0.lcssa.i.i = phi i64 [ 0, %B1492 ], [ %.142.i.i, %B44.if.i.i ]
  %.155.i.i = and i64 %.606, 2
  %.156.not.i.i = icmp eq i64 %.155.i.i, 0
  br i1 %.156.not.i.i, label %B192.i.i, label %B120.i.i

B120.i.i:                                         ; preds = %B110.i.i
  %.159.i.i = and i64 %.606, -4
  %.161.i.i = add nsw i64 %.159.i.i, %.603
  %.162.i.i = inttoptr i64 %.161.i.i to ptr
  %.166.i.i = load i16, ptr %.162.i.i, align 1, !noalias !0
  %.168.i.i = zext i16 %.166.i.i to i64
  %.169.i.i = add nuw nsw i64 %total.4.0.lcssa.i.i, %.168.i.i
  br label %B192.i.i

B192.i.i:                                         ; preds = %B120.i.i, %B110.i.i
  %total.5.0.i.i = phi i64 [ %.169.i.i, %B120.i.i ], [ %total.4.0.lcssa.i.i, %B110.i.i ]
  %.182.i.i = and i64 %.606, 1
  %.183.not.i.i = icmp eq i64 %.182.i.i, 0
  br i1 %.183.not.i.i, label %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit, label %B202.i.i

B202.i.i:                                         ; preds = %B192.i.i
  %.186.i.i = and i64 %.606, -2
  %.190.i.i = add nsw i64 %.186.i.i, %.603
  %.193.i.i = inttoptr i64 %.190.i.i to ptr
  %.196.i.i = load i8, ptr %.193.i.i, align 1, !noalias !0
  %.198.i.i = zext i8 %.196.i.i to i64
  %.199.i.i = add nsw i64 %total.5.0.i.i, %.198.i.i
  br label %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit

B44.if.i.i:                                       ; preds = %B44.if.i.i, %B44.if.lr.ph.i.i
  %total.4.061.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i ], [ %.142.i.i, %B44.if.i.i ]
  %.38.059.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i ], [ %.109.i.i, %B44.if.i.i ]
  %.109.i.i = add nuw nsw i64 %.38.059.i.i, 1
  %.136.i.i = getelementptr [4 x i8], ptr %.135.i.i, i64 %.38.059.i.i
  %.139.i.i = load i32, ptr %.136.i.i, align 1, !noalias !0
  %.141.i.i = zext i32 %.139.i.i to i64
  %.142.i.i = add nuw nsw i64 %total.4.061.i.i, %.141.i.i
  %exitcond.not.i.i = icmp eq i64 %.109.i.i, %.14.i.i
  br i1 %exitcond.not.i.i, label %B110.i.i, label %B44.if.i.i

_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit: ; preds = %B192.i.i, %B202.i.i
  %total.6.0.i.i = phi i64 [ %.199.i.i, %B202.i.i ], [ %total.5.0.i.i, %B192.i.i ]
  %.5.i.i = and i64 %total.6.0.i.i, 4294967295
  %.6.i.i = ashr i64 %total.6.0.i.i, 32
  %.7.i.i = add nsw i64 %.5.i.i, %.6.i.i
  %.8.i.i = and i64 %.7.i.i, 4294967295
  %.9.i.i = ashr i64 %.7.i.i, 32
  %.10.i.i = add nsw i64 %.8.i.i, %.9.i.i
  %1 = and i64 %.10.i.i, 65535
  %.136.i10.i = ashr i64 %.10.i.i, 16
  %.137.i.i = add nsw i64 %1, %.136.i10.i
  %2 = and i64 %.137.i.i, 65535
  %.136.1.i.i = ashr i64 %.137.i.i, 16
  %.137.1.i.i = add nsw i64 %2, %.136.1.i.i
  %3 = and i64 %.137.1.i.i, 65535
  %.136.2.i.i = ashr i64 %.137.1.i.i, 16
  %.137.2.i.i = add nsw i64 %3, %.136.2.i.i
  %.66.not.i = icmp eq i64 %.137.2.i.i, 65535
  %4 = trunc i64 %.137.2.i.i to i16
  %5 = xor i16 %4, -1
  %"$phi78.0.2.0.i" = select i1 %.66.not.i, i16 -1, i16 %5
  %.81.i = inttoptr i64 %.611 to ptr
  store i16 %"$phi78.0.2.0.i", ptr %.81.i, align 1, !noalias !5
  br label %B1544

B1544:                                            ; preds = %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit, %B1398
  %.649 = getelementptr i32, ptr %.20, i64 %.120.0222
  %.650 = load i32, ptr %.649, align 4
  %.654 = getelementptr i64, ptr %.31, i64 %made.2.0224
  store i64 %start.2.1, ptr %.654, align 8
  %.661 = trunc i64 %size.2.1 to i32
  %.662 = getelementptr i32, ptr %.36, i64 %made.2.0224
  store i32 %.661, ptr %.662, align 4
  %.668 = getelementptr i32, ptr %.47, i64 %made.2.0224
  store i32 %.650, ptr %.668, align 4
  %.673 = getelementptr i64, ptr %.52, i64 %made.2.0224
  store i64 %.369.0, ptr %.673, align 8
  br label %B2012

B1636:                                            ; preds = %B1352
  %.697 = load i8, ptr %.227, align 1
  %6 = and i8 %.697, 1
  %.700.not = icmp eq i8 %6, 0
  br i1 %.700.not, label %B2012, label %B1666

B1666:                                            ; preds = %B1636
  %.708 = add nuw nsw i64 %summed.2.1, 8
  %.710 = getelementptr inbounds nuw i8, ptr %.227, i64 4
  %.712 = load i16, ptr %.710, align 1
  %.715 = zext i16 %.712 to i64
  %.726 = mul nsw i64 %.192, %.66
  %.728 = add nsw i64 %.726, %.62
  %.18.i = sub nsw i64 %size.2.1, %.708
  %.23.i = icmp slt i64 %summed.2.1, 34
  %.26.i = icmp slt i64 %.18.i, 1
  %or.cond.i = select i1 %.23.i, i1 true, i1 %.26.i
  %.29.i = icmp eq i16 %.712, 0
  %or.cond1.i = select i1 %or.cond.i, i1 true, i1 %.29.i
  br i1 %or.cond1.i, label %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit, label %B64.i

B64.i:                                            ; preds = %B1666
  %.45.i = add i64 %.561, -42
  %.46.i = add i64 %.45.i, %.708
  %.47.i = inttoptr i64 %.46.i to ptr
  %.53.i = getelementptr inbounds nuw i8, ptr %.47.i, i64 12
  %.55.i = load i16, ptr %.53.i, align 1, !noalias !6
  %.57.not.i = icmp eq i16 %.55.i, 8
  br i1 %.57.not.i, label %B162.i, label %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit

B162.i:                                           ; preds = %B64.i
  %.60.i = getelementptr inbounds nuw i8, ptr %.47.i, i64 14
  %.61.i = load i8, ptr %.60.i, align 1, !noalias !6
  %.63.not.i = icmp eq i8 %.61.i, 69
  br i1 %.63.not.i, label %B194.i, label %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit

B194.i:                                           ; preds = %B162.i
  %.66.i = getelementptr inbounds nuw i8, ptr %.47.i, i64 23
  %.67.i = load i8, ptr %.66.i, align 1, !noalias !6
  %.71.not.i = icmp eq i8 %.67.i, 17
  br i1 %.71.not.i, label %B230.i, label %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit

B230.i:                                           ; preds = %B194.i
  %.89.i = add nsw i64 %.18.i, -1
  %.90.i = add nuw nsw i64 %.89.i, %.715
  %7 = icmp ult i64 %.90.i, 4294967296
  br i1 %7, label %8, label %13

B274.i:                                           ; preds = %B230.else.if.else.i
  %.142.i = add nsw i64 %.18.i, %.561
  %.149.i = mul nuw nsw i64 %15, %.708
  %.152.i = add nsw i64 %.142.i, %.149.i
  %.154.not.i = icmp sgt i64 %.152.i, %.728
  br i1 %.154.not.i, label %B308.i, label %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit

B308.i:                                           ; preds = %B230.else.if.else.i, %B274.i
  br label %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit

8:                                                ; preds = %B230.i
  %9 = zext i16 %.712 to i32
  %10 = trunc nuw i64 %.90.i to i32
  %11 = udiv i32 %10, %9
  %12 = zext i32 %11 to i64
  br label %B230.else.if.else.i

13:                                               ; preds = %B230.i
  %14 = udiv i64 %.90.i, %.715
  br label %B230.else.if.else.i

B230.else.if.else.i:                              ; preds = %13, %8
  %15 = phi i64 [ %12, %8 ], [ %14, %13 ]
  %.138.i = icmp slt i64 %15, 129
  br i1 %.138.i, label %B274.i, label %B308.i

_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit: ; preds = %B274.i, %B308.i, %B64.i, %B162.i, %B194.i, %B1666
  %.733.0 = phi i64 [ 0, %B1666 ], [ 0, %B64.i ], [ 0, %B194.i ], [ 0, %B162.i ], [ 0, %B308.i ], [ %15, %B274.i ]
  %.23.i207 = add nsw i64 %summed.2.1, -34
  %.29.i208 = add nsw i64 %.23.i207, %.561
  %.30.i = inttoptr i64 %.29.i208 to ptr
  %.33.i = getelementptr inbounds nuw i8, ptr %.30.i, i64 18
  %.35.i = load i16, ptr %.33.i, align 1, !noalias !9
  %rev.i.i = tail call i16 @llvm.bswap.i16(i16 %.35.i)
  %.65.i = getelementptr inbounds nuw i8, ptr %.30.i, i64 40
  %.67.i209 = load i16, ptr %.65.i, align 1, !noalias !9
  %16 = trunc i64 %.18.i to i16
  %.97.i = zext i16 %.67.i209 to i64
  %17 = sub i16 -9, %16
  %18 = tail call i16 @llvm.bswap.i16(i16 %17)
  %.96.i = zext i16 %18 to i64
  %.98.i = add nuw nsw i64 %.97.i, %.96.i
  %.18390.not.i = icmp slt i64 %.733.0, 1
  br i1 %.18390.not.i, label %_ZN8dropzero10softswitch5ports8gso_code5_partB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit, label %B240.if.lr.ph.i

B240.if.lr.ph.i:                                  ; preds = %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit
  %.266.i = add nsw i64 %.708, %.561
  %.275.i = inttoptr i64 %.561 to ptr
  br label %B240.if.i

B240.if.i:                                        ; preds = %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i, %B240.if.lr.ph.i
  %.126.092.i = phi i64 [ 0, %B240.if.lr.ph.i ], [ %.196.i, %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i ]
  %.196.i = add nuw nsw i64 %.126.092.i, 1
  %19 = xor i64 %.126.092.i, -1
  %.223.i = add nsw i64 %.733.0, %19
  %.225.i = mul nsw i64 %.223.i, %.715
  %.227.i = sub nsw i64 %.18.i, %.225.i
  %.11.i69.i = tail call i64 @llvm.smin.i64(i64 %.227.i, i64 range(i64 0, 65536) %.715)
  %.258.i = add nsw i64 %.225.i, %.561
  %.260.i = mul nsw i64 %.223.i, %.708
  %.261.i = add nsw i64 %.258.i, %.260.i
  %.263.i = add nsw i64 %.261.i, %.708
  %.267.i = add nsw i64 %.266.i, %.225.i
  %.268.i = inttoptr i64 %.263.i to ptr
  %.269.i = inttoptr i64 %.267.i to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %.268.i, ptr align 1 %.269.i, i64 %.11.i69.i, i1 false), !noalias !9
  %.274.i = inttoptr i64 %.261.i to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(1) %.274.i, ptr noundef nonnull align 1 dereferenceable(1) %.275.i, i64 range(i64 8, 65548) %.708, i1 false), !noalias !9
  %.279.i = add nsw i64 %.261.i, %.23.i207
  %.280.i = add i64 %.261.i, %summed.2.1
  %20 = trunc i64 %.223.i to i16
  %trunc.i70.i = add i16 %rev.i.i, %20
  %rev.i71.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i70.i)
  %21 = inttoptr i64 %.279.i to ptr
  %.313.i = getelementptr inbounds nuw i8, ptr %21, i64 18
  store i16 %rev.i71.i, ptr %.313.i, align 1, !noalias !9
  %22 = trunc i64 %.11.i69.i to i16
  %trunc.i.i.i = add i16 %22, 28
  %rev.i.i.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i.i.i)
  %trunc.i4.i.i = add i16 %22, 8
  %rev.i5.i.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i4.i.i)
  %.65.i.i = getelementptr inbounds nuw i8, ptr %21, i64 16
  store i16 %rev.i.i.i, ptr %.65.i.i, align 1, !noalias !12
  %.69.i.i = getelementptr inbounds nuw i8, ptr %21, i64 38
  store i16 %rev.i5.i.i, ptr %.69.i.i, align 1, !noalias !12
  %.73.i.i = getelementptr inbounds nuw i8, ptr %21, i64 24
  store i16 0, ptr %.73.i.i, align 1, !noalias !12
  %.78.i.i = add nsw i64 %.279.i, 14
  %.135.i.i.i = inttoptr i64 %.78.i.i to ptr
  %.139.i.i.i = load i32, ptr %.135.i.i.i, align 1, !noalias !15
  %.141.i.i.i = zext i32 %.139.i.i.i to i64
  %.136.i.1.i.i = getelementptr i8, ptr %.135.i.i.i, i64 4
  %.139.i.1.i.i = load i32, ptr %.136.i.1.i.i, align 1, !noalias !15
  %.141.i.1.i.i = zext i32 %.139.i.1.i.i to i64
  %.142.i.1.i.i = add nuw nsw i64 %.141.i.1.i.i, %.141.i.i.i
  %.136.i.2.i.i = getelementptr i8, ptr %.135.i.i.i, i64 8
  %.139.i.2.i.i = load i32, ptr %.136.i.2.i.i, align 1, !noalias !15
  %.141.i.2.i.i = zext i32 %.139.i.2.i.i to i64
  %.142.i.2.i.i = add nuw nsw i64 %.142.i.1.i.i, %.141.i.2.i.i
  %.136.i.3.i.i = getelementptr i8, ptr %.135.i.i.i, i64 12
  %.139.i.3.i.i = load i32, ptr %.136.i.3.i.i, align 1, !noalias !15
  %.141.i.3.i.i = zext i32 %.139.i.3.i.i to i64
  %.142.i.3.i.i = add nuw nsw i64 %.142.i.2.i.i, %.141.i.3.i.i
  %.136.i.4.i.i = getelementptr i8, ptr %.135.i.i.i, i64 16
  %.139.i.4.i.i = load i32, ptr %.136.i.4.i.i, align 1, !noalias !15
  %.141.i.4.i.i = zext i32 %.139.i.4.i.i to i64
  %.142.i.4.i.i = add nuw nsw i64 %.142.i.3.i.i, %.141.i.4.i.i
  %.5.i.i.i = and i64 %.142.i.4.i.i, 4294967295
  %.6.i.i.i = lshr i64 %.142.i.4.i.i, 32
  %.7.i.i.i = add nuw nsw i64 %.5.i.i.i, %.6.i.i.i
  %.8.i.i.i = and i64 %.7.i.i.i, 4294967295
  %.9.i7.i.i = lshr i64 %.7.i.i.i, 32
  %.10.i.i.i = add nuw nsw i64 %.8.i.i.i, %.9.i7.i.i
  %23 = and i64 %.10.i.i.i, 65535
  %.136.i8.i.i = lshr i64 %.10.i.i.i, 16
  %.137.i.i.i = add nuw nsw i64 %23, %.136.i8.i.i
  %24 = and i64 %.137.i.i.i, 65535
  %.136.1.i.i.i = lshr i64 %.137.i.i.i, 16
  %.137.1.i.i.i = add nuw nsw i64 %24, %.136.1.i.i.i
  %.136.2.i.i.i = lshr i64 %.137.1.i.i.i, 16
  %.137.2.i.i.i = add nuw nsw i64 %.136.2.i.i.i, %.137.1.i.i.i
  %25 = trunc i64 %.137.2.i.i.i to i16
  %.129.i.i = xor i16 %25, -1
  store i16 %.129.i.i, ptr %.73.i.i, align 1, !noalias !12
  %.346.i = add nsw i64 %.11.i69.i, 8
  %trunc.i73.i = trunc i64 %.346.i to i16
  %rev.i74.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i73.i)
  %.9.i75.i = zext i16 %rev.i74.i to i64
  %.372.i = add nuw nsw i64 %.98.i, %.9.i75.i
  %26 = and i64 %.372.i, 65535
  %.136.i.i210 = lshr i64 %.372.i, 16
  %.137.i.i211 = add nuw nsw i64 %26, %.136.i.i210
  %27 = and i64 %.137.i.i211, 65535
  %.136.1.i.i212 = lshr i64 %.137.i.i211, 16
  %.137.1.i.i213 = add nuw nsw i64 %27, %.136.1.i.i212
  %.136.2.i.i214 = lshr i64 %.137.1.i.i213, 16
  %.137.2.i.i215 = add nuw nsw i64 %.136.2.i.i214, %.137.1.i.i213
  %.397.i = trunc i64 %.137.2.i.i215 to i16
  %.398.i = getelementptr inbounds nuw i8, ptr %21, i64 40
  store i16 %.397.i, ptr %.398.i, align 1, !noalias !9
  %.404.i = add nsw i64 %.279.i, 40
  %.14.i.i.i = ashr i64 %.346.i, 2
  %.9658.not.i.i.i = icmp slt i64 %.14.i.i.i, 1
  br i1 %.9658.not.i.i.i, label %B110.i.i.i, label %B44.if.lr.ph.i.i.i

B44.if.lr.ph.i.i.i:                               ; preds = %B240.if.i
  %.135.i.i77.i = inttoptr i64 %.280.i to ptr
  br label %B44.if.i.i.i

B110.i.i.i:                                       ; preds = %B44.if.i.i.i, %B240.if.i
  %total.4.0.lcssa.i.i.i = phi i64 [ 0, %B240.if.i ], [ %.142.i.i.i, %B44.if.i.i.i ]
  %.155.i.i.i = and i64 %.11.i69.i, 2
  %.156.not.i.i.i = icmp eq i64 %.155.i.i.i, 0
  br i1 %.156.not.i.i.i, label %B192.i.i.i, label %B120.i.i.i

B120.i.i.i:                                       ; preds = %B110.i.i.i
  %.159.i.i.i = and i64 %.346.i, -4
  %.161.i.i.i = add nsw i64 %.159.i.i.i, %.280.i
  %.162.i.i.i = inttoptr i64 %.161.i.i.i to ptr
  %.166.i.i.i = load i16, ptr %.162.i.i.i, align 1, !noalias !18
  %.168.i.i.i = zext i16 %.166.i.i.i to i64
  %.169.i.i.i = add nuw nsw i64 %total.4.0.lcssa.i.i.i, %.168.i.i.i
  br label %B192.i.i.i

B192.i.i.i:                                       ; preds = %B120.i.i.i, %B110.i.i.i
  %total.5.0.i.i.i = phi i64 [ %.169.i.i.i, %B120.i.i.i ], [ %total.4.0.lcssa.i.i.i, %B110.i.i.i ]
  %.182.i.i.i = and i64 %.11.i69.i, 1
  %.183.not.i.i.i = icmp eq i64 %.182.i.i.i, 0
  br i1 %.183.not.i.i.i, label %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i, label %B202.i.i.i

B202.i.i.i:                                       ; preds = %B192.i.i.i
  %.186.i.i.i = and i64 %.346.i, -2
  %.190.i.i.i = add nsw i64 %.186.i.i.i, %.280.i
  %.193.i.i.i = inttoptr i64 %.190.i.i.i to ptr
  %.196.i.i.i = load i8, ptr %.193.i.i.i, align 1, !noalias !18
  %.198.i.i.i = zext i8 %.196.i.i.i to i64
  %.199.i.i.i = add nsw i64 %total.5.0.i.i.i, %.198.i.i.i
  br label %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i

B44.if.i.i.i:                                     ; preds = %B44.if.i.i.i, %B44.if.lr.ph.i.i.i
  %total.4.061.i.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i.i ], [ %.142.i.i.i, %B44.if.i.i.i ]
  %.38.059.i.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i.i ], [ %.109.i.i.i, %B44.if.i.i.i ]
  %.109.i.i.i = add nuw nsw i64 %.38.059.i.i.i, 1
  %.136.i.i.i = getelementptr [4 x i8], ptr %.135.i.i77.i, i64 %.38.059.i.i.i
  %.139.i.i78.i = load i32, ptr %.136.i.i.i, align 1, !noalias !18
  %.141.i.i79.i = zext i32 %.139.i.i78.i to i64
  %.142.i.i.i = add nuw nsw i64 %total.4.061.i.i.i, %.141.i.i79.i
  %exitcond.not.i.i.i = icmp eq i64 %.109.i.i.i, %.14.i.i.i
  br i1 %exitcond.not.i.i.i, label %B110.i.i.i, label %B44.if.i.i.i

_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i: ; preds = %B202.i.i.i, %B192.i.i.i
  %total.6.0.i.i.i = phi i64 [ %.199.i.i.i, %B202.i.i.i ], [ %total.5.0.i.i.i, %B192.i.i.i ]
  %.5.i.i80.i = and i64 %total.6.0.i.i.i, 4294967295
  %.6.i.i81.i = ashr i64 %total.6.0.i.i.i, 32
  %.7.i.i82.i = add nsw i64 %.5.i.i80.i, %.6.i.i81.i
  %.8.i.i83.i = and i64 %.7.i.i82.i, 4294967295
  %.9.i.i.i = ashr i64 %.7.i.i82.i, 32
  %.10.i.i84.i = add nsw i64 %.8.i.i83.i, %.9.i.i.i
  %28 = and i64 %.10.i.i84.i, 65535
  %.136.i10.i.i = ashr i64 %.10.i.i84.i, 16
  %.137.i.i85.i = add nsw i64 %28, %.136.i10.i.i
  %29 = and i64 %.137.i.i85.i, 65535
  %.136.1.i.i86.i = ashr i64 %.137.i.i85.i, 16
  %.137.1.i.i87.i = add nsw i64 %29, %.136.1.i.i86.i
  %30 = and i64 %.137.1.i.i87.i, 65535
  %.136.2.i.i88.i = ashr i64 %.137.1.i.i87.i, 16
  %.137.2.i.i89.i = add nsw i64 %30, %.136.2.i.i88.i
  %.66.not.i.i = icmp eq i64 %.137.2.i.i89.i, 65535
  %31 = trunc i64 %.137.2.i.i89.i to i16
  %32 = xor i16 %31, -1
  %"$phi78.0.2.0.i.i" = select i1 %.66.not.i.i, i16 -1, i16 %32
  %.81.i.i = inttoptr i64 %.404.i to ptr
  store i16 %"$phi78.0.2.0.i.i", ptr %.81.i.i, align 1, !noalias !23
  %exitcond.not.i = icmp eq i64 %.196.i, %.733.0
  br i1 %exitcond.not.i, label %_ZN8dropzero10softswitch5ports8gso_code5_partB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit, label %B240.if.i

_ZN8dropzero10softswitch5ports8gso_code5_partB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit: ; preds = %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i, %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit
  %storemerge201 = phi i64 [ 0, %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit ], [ %.733.0, %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i ]
  %.875217 = icmp sgt i64 %storemerge201, 0
  br i1 %.875217, label %B1866.if.lr.ph, label %B2012

B1866.if.lr.ph:                                   ; preds = %_ZN8dropzero10softswitch5ports8gso_code5_partB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit
  %.917 = add nuw nsw i64 %.708, %.715
  %.969 = getelementptr i32, ptr %.20, i64 %.120.0222
  br label %B1866.if

B2012:                                            ; preds = %B1866.if, %_ZN8dropzero10softswitch5ports8gso_code5_partB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit, %B1352, %B1636, %B1544
  %parts.3.2 = phi i64 [ 1, %B1544 ], [ 0, %B1352 ], [ 0, %B1636 ], [ %.733.0, %_ZN8dropzero10softswitch5ports8gso_code5_partB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit ], [ %.733.0, %B1866.if ]
  %.1010 = trunc nuw nsw i64 %parts.3.2 to i32
  %.1011 = getelementptr i32, ptr %.15, i64 %.120.0222
  store i32 %.1010, ptr %.1011, align 4
  %.1016 = getelementptr inbounds nuw i8, ptr %.223, i64 40
  store i64 72, ptr %.1016, align 1
  %.1023 = add nsw i64 %parts.3.2, %made.2.0224
  %exitcond226.not = icmp eq i64 %.192, %arg.count
  br i1 %exitcond226.not, label %B2060, label %B526.if

B2060:                                            ; preds = %B2012, %entry
  %made.2.0.lcssa = phi i64 [ 0, %entry ], [ %.1023, %B2012 ]
  store i64 %made.2.0.lcssa, ptr %retptr, align 8
  ret void

B526.if:                                          ; preds = %B526.if.lr.ph, %B2012
  %made.2.0224 = phi i64 [ 0, %B526.if.lr.ph ], [ %.1023, %B2012 ]
  %.120.0222 = phi i64 [ 0, %B526.if.lr.ph ], [ %.192, %B2012 ]
  %.192 = add nuw nsw i64 %.120.0222, 1
  %.223 = getelementptr [64 x i8], ptr %.222, i64 %.120.0222
  %.227 = getelementptr [10 x i8], ptr %.226, i64 %.120.0222
  %.237 = getelementptr [72 x i8], ptr %.236, i64 %.120.0222
  %.244 = load i64, ptr %.242, align 1
  %.248 = load i64, ptr %.246, align 1
  %.249 = sub nsw i64 %.244, %.248
  %.254 = getelementptr inbounds nuw i8, ptr %.237, i64 12
  %.256 = load i32, ptr %.254, align 1
  %.258 = icmp eq i32 %.256, 35
  br i1 %.258, label %B724, label %B834

B916.else.if:                                     ; preds = %B724, %B834
  %auxiliary.2.1 = phi ptr [ %.237, %B724 ], [ %.356, %B834 ]
  %arrived.2.1 = phi i64 [ %.11.i202, %B724 ], [ %.249, %B834 ]
  %.380 = sdiv i64 %arrived.2.1, 1000
  %.381 = srem i64 %arrived.2.1, 1000
  %.381.lobit = ashr i64 %.381, 63
  %.369.0 = add nsw i64 %.381.lobit, %.380
  %.409 = mul nsw i64 %.120.0222, %.66
  %.410 = add nsw i64 %.409, 4
  %.419 = getelementptr inbounds nuw i8, ptr %.223, i64 56
  %.421 = load i32, ptr %.419, align 1
  %.422 = zext i32 %.421 to i64
  %.423 = add nsw i64 %.422, -10
  %.425 = getelementptr inbounds nuw i8, ptr %.227, i64 6
  %.427 = load i16, ptr %.425, align 1
  %.428 = zext i16 %.427 to i64
  %.444 = getelementptr inbounds nuw i8, ptr %auxiliary.2.1, i64 48
  %.446 = load i32, ptr %.444, align 1
  %33 = and i32 %.446, 16
  %.449.not = icmp eq i32 %33, 0
  br i1 %.449.not, label %B1352, label %B1078

B1866.if:                                         ; preds = %B1866.if.lr.ph, %B1866.if
  %.816.0218 = phi i64 [ 0, %B1866.if.lr.ph ], [ %.888, %B1866.if ]
  %.888 = add nuw nsw i64 %.816.0218, 1
  %.918 = mul nsw i64 %.816.0218, %.917
  %.920 = add nsw i64 %.918, %start.2.1
  %.922 = add nsw i64 %.816.0218, %made.2.0224
  %.924 = getelementptr i64, ptr %.31, i64 %.922
  store i64 %.920, ptr %.924, align 8
  %.930 = mul nuw nsw i64 %.816.0218, %.715
  %.932 = sub nsw i64 %size.2.1, %.930
  %.11.i216 = tail call i64 @llvm.smin.i64(i64 %.932, i64 %.917)
  %.964 = trunc i64 %.11.i216 to i32
  %.965 = getelementptr i32, ptr %.36, i64 %.922
  store i32 %.964, ptr %.965, align 4
  %.970 = load i32, ptr %.969, align 4
  %.974 = getelementptr i32, ptr %.47, i64 %.922
  store i32 %.970, ptr %.974, align 4
  %.980 = getelementptr i64, ptr %.52, i64 %.922
  store i64 %.369.0, ptr %.980, align 8
  %exitcond.not = icmp eq i64 %.888, %storemerge201
  br i1 %exitcond.not, label %B2012, label %B1866.if
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #1

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define i64 @arrive(i64 %.1, i64 %.2) local_unnamed_addr #0 {
.4:
  %.5 = alloca i64, align 8
  call fastcc void @_ZN8dropzero10softswitch5ports8gso_code6arriveB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr %.5, i64 %.1, i64 %.2)
  %.8 = load i64, ptr %.5, align 8
  ret i64 %.8
}

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define internal fastcc void @_ZN8dropzero10softswitch5ports8gso_code6departB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx(ptr noalias nonnull writeonly captures(none) %retptr, i64 %arg.at, i64 %arg.data, i64 %arg.starts_at, i64 %arg.lengths_at, i64 %arg.ports_at, i64 %arg.count, i64 %arg.chosen) unnamed_addr #0 {
entry:
  %.15 = inttoptr i64 %arg.at to ptr
  %.20 = inttoptr i64 %arg.starts_at to ptr
  %.21 = inttoptr i64 %arg.lengths_at to ptr
  %.22 = inttoptr i64 %arg.ports_at to ptr
  %.33 = getelementptr inbounds nuw i8, ptr %.15, i64 136
  %.35 = load i64, ptr %.33, align 1
  %.36 = inttoptr i64 %.35 to ptr
  %.147232.not = icmp slt i64 %arg.count, 1
  br i1 %.147232.not, label %B1306, label %B328.if.lr.ph

B328.if.lr.ph:                                    ; preds = %entry
  %.266 = getelementptr inbounds nuw i8, ptr %.15, i64 264
  %.414 = getelementptr inbounds nuw i8, ptr %.15, i64 240
  %.8.i207 = getelementptr inbounds nuw i8, ptr %.15, i64 248
  %.565 = getelementptr inbounds nuw i8, ptr %.15, i64 240
  %.8.i219 = getelementptr inbounds nuw i8, ptr %.15, i64 248
  %.663 = getelementptr inbounds nuw i8, ptr %.15, i64 256
  %.739 = getelementptr inbounds nuw i8, ptr %.15, i64 256
  br label %B328.if

B358:                                             ; preds = %B328.if
  %.243 = getelementptr i64, ptr %.20, i64 %.88.0234
  %.244 = load i64, ptr %.243, align 8
  %.246 = add nsw i64 %.244, %arg.data
  %.249 = getelementptr i32, ptr %.21, i64 %.88.0234
  %.250 = load i32, ptr %.249, align 4
  %.253 = sext i32 %.250 to i64
  %.261 = add nsw i64 %.253, -42
  %.268 = load i64, ptr %.266, align 1
  %.269.not = icmp eq i64 %.268, 0
  br i1 %.269.not, label %B494, label %B464

B464:                                             ; preds = %B358
  %.11.i = inttoptr i64 %.246 to ptr
  %.17.i = icmp slt i32 %.250, 43
  br i1 %.17.i, label %B494, label %B70.i

B70.i:                                            ; preds = %B464
  %.20.i = getelementptr inbounds nuw i8, ptr %.11.i, i64 12
  %.22.i = load i16, ptr %.20.i, align 1, !noalias !24
  %.24.not.i = icmp eq i16 %.22.i, 8
  br i1 %.24.not.i, label %B102.i, label %B494

B102.i:                                           ; preds = %B70.i
  %.27.i = getelementptr inbounds nuw i8, ptr %.11.i, i64 14
  %.28.i = load i8, ptr %.27.i, align 1, !noalias !24
  %.30.not.i = icmp eq i8 %.28.i, 69
  br i1 %.30.not.i, label %B134.i, label %B494

B134.i:                                           ; preds = %B102.i
  %.33.i = getelementptr inbounds nuw i8, ptr %.11.i, i64 20
  %.35.i = load i16, ptr %.33.i, align 1, !noalias !24
  %.37.not.i = icmp eq i16 %.35.i, 64
  br i1 %.37.not.i, label %B166.i, label %B494

B166.i:                                           ; preds = %B134.i
  %.40.i = getelementptr inbounds nuw i8, ptr %.11.i, i64 23
  %.41.i = load i8, ptr %.40.i, align 1, !noalias !24
  %.43.not.i = icmp eq i8 %.41.i, 17
  br i1 %.43.not.i, label %B198.i, label %B494

B198.i:                                           ; preds = %B166.i
  %.46.i = getelementptr inbounds nuw i8, ptr %.11.i, i64 16
  %.48.i = load i16, ptr %.46.i, align 1, !noalias !24
  %0 = trunc i32 %.250 to i16
  %trunc.i.i = add i16 %0, -14
  %rev.i.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i.i)
  %.79.not.i = icmp eq i16 %rev.i.i, %.48.i
  br i1 %.79.not.i, label %B262.i, label %B494

B262.i:                                           ; preds = %B198.i
  %.82.i = getelementptr inbounds nuw i8, ptr %.11.i, i64 38
  %.84.i = load i16, ptr %.82.i, align 1, !noalias !24
  %.87.i = add nsw i64 %.253, -34
  %trunc.i20.i = trunc i64 %.87.i to i16
  %rev.i21.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i20.i)
  %.9.i22.i = zext i16 %rev.i21.i to i64
  %.113.not.i = icmp eq i16 %rev.i21.i, %.84.i
  br i1 %.113.not.i, label %B44.if.i.i, label %B494

B44.if.i.i:                                       ; preds = %B262.i
  %.118.i = add nsw i64 %.246, 14
  %.135.i.i = inttoptr i64 %.118.i to ptr
  %.139.i.i = load i32, ptr %.135.i.i, align 1, !noalias !27
  %.141.i.i = zext i32 %.139.i.i to i64
  %.136.i.1.i = getelementptr i8, ptr %.135.i.i, i64 4
  %.139.i.1.i = load i32, ptr %.136.i.1.i, align 1, !noalias !27
  %.141.i.1.i = zext i32 %.139.i.1.i to i64
  %.142.i.1.i = add nuw nsw i64 %.141.i.1.i, %.141.i.i
  %.136.i.2.i = getelementptr i8, ptr %.135.i.i, i64 8
  %.139.i.2.i = load i32, ptr %.136.i.2.i, align 1, !noalias !27
  %.141.i.2.i = zext i32 %.139.i.2.i to i64
  %.142.i.2.i = add nuw nsw i64 %.142.i.1.i, %.141.i.2.i
  %.136.i.3.i = getelementptr i8, ptr %.135.i.i, i64 12
  %.139.i.3.i = load i32, ptr %.136.i.3.i, align 1, !noalias !27
  %.141.i.3.i = zext i32 %.139.i.3.i to i64
  %.142.i.3.i = add nuw nsw i64 %.142.i.2.i, %.141.i.3.i
  %.136.i.4.i = getelementptr i8, ptr %.135.i.i, i64 16
  %.139.i.4.i = load i32, ptr %.136.i.4.i, align 1, !noalias !27
  %.141.i.4.i = zext i32 %.139.i.4.i to i64
  %.142.i.4.i = add nuw nsw i64 %.142.i.3.i, %.141.i.4.i
  %.5.i.i = and i64 %.142.i.4.i, 4294967295
  %.6.i.i = lshr i64 %.142.i.4.i, 32
  %.7.i.i = add nuw nsw i64 %.5.i.i, %.6.i.i
  %.8.i.i = and i64 %.7.i.i, 4294967295
  %.9.i23.i = lshr i64 %.7.i.i, 32
  %.10.i.i = add nuw nsw i64 %.8.i.i, %.9.i23.i
  %1 = and i64 %.10.i.i, 65535
  %.136.i24.i = lshr i64 %.10.i.i, 16
  %.137.i.i = add nuw nsw i64 %1, %.136.i24.i
  %2 = and i64 %.137.i.i, 65535
  %.136.1.i.i = lshr i64 %.137.i.i, 16
  %.137.1.i.i = add nuw nsw i64 %2, %.136.1.i.i
  %3 = and i64 %.137.1.i.i, 65535
  %.136.2.i.i = lshr i64 %.137.1.i.i, 16
  %.137.2.i.i = add nuw nsw i64 %3, %.136.2.i.i
  %.168.not.i = icmp eq i64 %.137.2.i.i, 65535
  br i1 %.168.not.i, label %B438.i, label %B494

B438.i:                                           ; preds = %B44.if.i.i
  %.180.i = getelementptr inbounds nuw i8, ptr %.11.i, i64 40
  %.182.i = load i16, ptr %.180.i, align 1, !noalias !24
  %.186.i = icmp eq i16 %.182.i, 0
  br i1 %.186.i, label %B494, label %B464.i

B464.i:                                           ; preds = %B438.i
  %.8.i25.i = add nsw i64 %.246, 26
  %.135.i.i.i = inttoptr i64 %.8.i25.i to ptr
  %.139.i.i.i = load i32, ptr %.135.i.i.i, align 1, !noalias !30
  %.141.i.i.i = zext i32 %.139.i.i.i to i64
  %.136.1.i.i.i = getelementptr i8, ptr %.135.i.i.i, i64 4
  %.139.1.i.i.i = load i32, ptr %.136.1.i.i.i, align 1, !noalias !30
  %.141.1.i.i.i = zext i32 %.139.1.i.i.i to i64
  %.142.1.i.i.i = add nuw nsw i64 %.9.i22.i, 4352
  %.36.i.i = add nuw nsw i64 %.142.1.i.i.i, %.141.i.i.i
  %.62.i.i = add nuw nsw i64 %.36.i.i, %.141.1.i.i.i
  %.226.i = add nsw i64 %.246, 34
  %.14.i229 = ashr i64 %.87.i, 2
  %.9658.not.i = icmp slt i64 %.14.i229, 1
  br i1 %.9658.not.i, label %B110.i, label %B44.if.lr.ph.i

B44.if.lr.ph.i:                                   ; preds = %B464.i
  %.135.i = inttoptr i64 %.226.i to ptr
  br label %B44.if.i

B110.i:                                           ; preds = %B44.if.i, %B464.i
  %total.4.0.lcssa.i = phi i64 [ 0, %B464.i ], [ %.142.i, %B44.if.i ]
  %.155.i = and i64 %.87.i, 2
  %.156.not.i = icmp eq i64 %.155.i, 0
  br i1 %.156.not.i, label %B192.i, label %B120.i

B120.i:                                           ; preds = %B110.i
  %.159.i = and i64 %.87.i, -4
  %.161.i = add nsw i64 %.159.i, %.226.i
  %.162.i = inttoptr i64 %.161.i to ptr
  %.166.i = load i16, ptr %.162.i, align 1, !noalias !35
  %.168.i = zext i16 %.166.i to i64
  %.169.i = add nuw nsw i64 %total.4.0.lcssa.i, %.168.i
  br label %B192.i

B192.i:                                           ; preds = %B120.i, %B110.i
  %total.5.0.i = phi i64 [ %.169.i, %B120.i ], [ %total.4.0.lcssa.i, %B110.i ]
  %4 = and i32 %.250, 1
  %.183.not.i = icmp eq i32 %4, 0
  br i1 %.183.not.i, label %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit, label %B202.i

B202.i:                                           ; preds = %B192.i
  %.186.i231 = and i64 %.87.i, -2
  %.190.i = add nsw i64 %.186.i231, %.226.i
  %.193.i = inttoptr i64 %.190.i to ptr
  %.196.i = load i8, ptr %.193.i, align 1, !noalias !35
  %.198.i = zext i8 %.196.i to i64
  %.199.i = add nsw i64 %total.5.0.i, %.198.i
  br label %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit

B44.if.i:                                         ; preds = %B44.if.i, %B44.if.lr.ph.i
  %total.4.061.i = phi i64 [ 0, %B44.if.lr.ph.i ], [ %.142.i, %B44.if.i ]
  %.38.059.i = phi i64 [ 0, %B44.if.lr.ph.i ], [ %.109.i, %B44.if.i ]
  %.109.i = add nuw nsw i64 %.38.059.i, 1
  %.136.i = getelementptr [4 x i8], ptr %.135.i, i64 %.38.059.i
  %.139.i = load i32, ptr %.136.i, align 1, !noalias !35
  %.141.i = zext i32 %.139.i to i64
  %.142.i = add nuw nsw i64 %total.4.061.i, %.141.i
  %exitcond.not.i = icmp eq i64 %.109.i, %.14.i229
  br i1 %exitcond.not.i, label %B110.i, label %B44.if.i

_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit: ; preds = %B192.i, %B202.i
  %total.6.0.i = phi i64 [ %.199.i, %B202.i ], [ %total.5.0.i, %B192.i ]
  %.257.i = add nsw i64 %.62.i.i, %total.6.0.i
  %.5.i26.i = and i64 %.257.i, 4294967295
  %.6.i27.i = ashr i64 %.257.i, 32
  %.7.i28.i = add nsw i64 %.5.i26.i, %.6.i27.i
  %.8.i29.i = and i64 %.7.i28.i, 4294967295
  %.9.i30.i = ashr i64 %.7.i28.i, 32
  %.10.i31.i = add nsw i64 %.8.i29.i, %.9.i30.i
  %5 = and i64 %.10.i31.i, 65535
  %.136.i32.i = ashr i64 %.10.i31.i, 16
  %.137.i33.i = add nsw i64 %5, %.136.i32.i
  %6 = and i64 %.137.i33.i, 65535
  %.136.1.i34.i = ashr i64 %.137.i33.i, 16
  %.137.1.i35.i = add nsw i64 %6, %.136.1.i34.i
  %7 = and i64 %.137.1.i35.i, 65535
  %.136.2.i36.i = ashr i64 %.137.1.i35.i, 16
  %.137.2.i37.i = add nsw i64 %7, %.136.2.i36.i
  %.282.i = icmp eq i64 %.137.2.i37.i, 65535
  br label %B494

B494:                                             ; preds = %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit, %B44.if.i.i, %B262.i, %B198.i, %B166.i, %B134.i, %B102.i, %B70.i, %B464, %B438.i, %B358
  %"$phi494.1.2.1" = phi i1 [ false, %B358 ], [ %.282.i, %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit ], [ false, %B464 ], [ false, %B44.if.i.i ], [ false, %B262.i ], [ false, %B198.i ], [ false, %B166.i ], [ false, %B134.i ], [ false, %B102.i ], [ false, %B70.i ], [ true, %B438.i ]
  %.326 = icmp sgt i64 %inside.3.0239, 63
  %8 = select i1 %growing.3.0237, i1 %"$phi494.1.2.1", i1 false
  %not. = xor i1 %8, true
  %or.cond174 = select i1 %not., i1 true, i1 %.326
  %.330.not = icmp sgt i64 %.261, %payload.2.0240
  %or.cond175 = select i1 %or.cond174, i1 true, i1 %.330.not
  br i1 %or.cond175, label %B920, label %B538

B538:                                             ; preds = %B494
  %.334 = add nsw i64 %.261, %payloads.3.0241
  %.337 = icmp slt i64 %.334, 65508
  br i1 %.337, label %B598, label %B920

B598:                                             ; preds = %B538
  %.6.i = inttoptr i64 %first.2.0238 to ptr
  %.8.i = inttoptr i64 %.246 to ptr
  %.19.i = load i64, ptr %.6.i, align 1, !noalias !38
  %.23.i = load i64, ptr %.8.i, align 1, !noalias !38
  %.24.i = icmp eq i64 %.19.i, %.23.i
  br i1 %.24.i, label %B136.i, label %B920

B136.i:                                           ; preds = %B598
  %.33.i177 = getelementptr inbounds nuw i8, ptr %.6.i, i64 8
  %.35.i178 = load i64, ptr %.33.i177, align 1, !noalias !38
  %.37.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 8
  %.39.i = load i64, ptr %.37.i, align 1, !noalias !38
  %.40.i179 = icmp eq i64 %.35.i178, %.39.i
  br i1 %.40.i179, label %B168.i, label %B920

B168.i:                                           ; preds = %B136.i
  %.45.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 22
  %.46.i180 = load i8, ptr %.45.i, align 1, !noalias !38
  %.48.i181 = getelementptr inbounds nuw i8, ptr %.8.i, i64 22
  %.49.i = load i8, ptr %.48.i181, align 1, !noalias !38
  %.50.i = icmp eq i8 %.46.i180, %.49.i
  br i1 %.50.i, label %B200.i, label %B920

B200.i:                                           ; preds = %B168.i
  %.55.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 26
  %.57.i = load i64, ptr %.55.i, align 1, !noalias !38
  %.59.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 26
  %.61.i = load i64, ptr %.59.i, align 1, !noalias !38
  %.62.i = icmp eq i64 %.57.i, %.61.i
  br i1 %.62.i, label %B232.i, label %B920

B232.i:                                           ; preds = %B200.i
  %.67.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 34
  %.69.i = load i32, ptr %.67.i, align 1, !noalias !38
  %.73.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 34
  %.75.i = load i32, ptr %.73.i, align 1, !noalias !38
  %.78.i.not = icmp eq i32 %.69.i, %.75.i
  br i1 %.78.i.not, label %B630, label %B920

B630:                                             ; preds = %B232.i
  %.393 = add nsw i64 %inside.3.0239, 1
  %.409 = icmp eq i64 %.261, %payload.2.0240
  %.416 = load i64, ptr %.414, align 1
  %9 = mul i64 %made.2.0235, 52
  %.421 = add i64 %9, -52
  %.422 = add nsw i64 %.421, %.416
  %.8.i182 = inttoptr i64 %.422 to ptr
  store i8 1, ptr %.8.i182, align 1, !noalias !41
  %.14.i = getelementptr inbounds nuw i8, ptr %.8.i182, i64 1
  store i8 5, ptr %.14.i, align 1, !noalias !41
  %.25.i = getelementptr inbounds nuw i8, ptr %.8.i182, i64 2
  store i16 42, ptr %.25.i, align 1, !noalias !41
  %.28.i183 = trunc i64 %payload.2.0240 to i16
  %.29.i = getelementptr inbounds nuw i8, ptr %.8.i182, i64 4
  store i16 %.28.i183, ptr %.29.i, align 1, !noalias !41
  %.33.i184 = getelementptr inbounds nuw i8, ptr %.8.i182, i64 6
  store i16 34, ptr %.33.i184, align 1, !noalias !41
  %.37.i185 = getelementptr inbounds nuw i8, ptr %.8.i182, i64 8
  store i16 6, ptr %.37.i185, align 1, !noalias !41
  %.40.i186 = add nsw i64 %.422, 10
  %.41.i187 = inttoptr i64 %.40.i186 to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(42) %.41.i187, ptr noundef nonnull align 1 dereferenceable(42) %.6.i, i64 42, i1 false), !noalias !41
  %10 = trunc i64 %.334 to i16
  %trunc.i.i.i = add i16 %10, 28
  %rev.i.i.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i.i.i)
  %trunc.i4.i.i = add i16 %10, 8
  %rev.i5.i.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i4.i.i)
  %.65.i.i = getelementptr inbounds nuw i8, ptr %.41.i187, i64 16
  store i16 %rev.i.i.i, ptr %.65.i.i, align 1, !noalias !44
  %.69.i.i = getelementptr inbounds nuw i8, ptr %.41.i187, i64 38
  store i16 %rev.i5.i.i, ptr %.69.i.i, align 1, !noalias !44
  %.73.i.i = getelementptr inbounds nuw i8, ptr %.41.i187, i64 24
  store i16 0, ptr %.73.i.i, align 1, !noalias !44
  %.78.i.i = add nsw i64 %.422, 24
  %.135.i.i.i188 = inttoptr i64 %.78.i.i to ptr
  %.139.i.i.i189 = load i32, ptr %.135.i.i.i188, align 1, !noalias !47
  %.141.i.i.i190 = zext i32 %.139.i.i.i189 to i64
  %.136.i.1.i.i = getelementptr i8, ptr %.135.i.i.i188, i64 4
  %.139.i.1.i.i = load i32, ptr %.136.i.1.i.i, align 1, !noalias !47
  %.141.i.1.i.i = zext i32 %.139.i.1.i.i to i64
  %.142.i.1.i.i = add nuw nsw i64 %.141.i.1.i.i, %.141.i.i.i190
  %.136.i.2.i.i = getelementptr i8, ptr %.135.i.i.i188, i64 8
  %.139.i.2.i.i = load i32, ptr %.136.i.2.i.i, align 1, !noalias !47
  %.141.i.2.i.i = zext i32 %.139.i.2.i.i to i64
  %.142.i.2.i.i = add nuw nsw i64 %.142.i.1.i.i, %.141.i.2.i.i
  %.136.i.3.i.i = getelementptr i8, ptr %.135.i.i.i188, i64 12
  %.139.i.3.i.i = load i32, ptr %.136.i.3.i.i, align 1, !noalias !47
  %.141.i.3.i.i = zext i32 %.139.i.3.i.i to i64
  %.142.i.3.i.i = add nuw nsw i64 %.142.i.2.i.i, %.141.i.3.i.i
  %.136.i.4.i.i = getelementptr i8, ptr %.135.i.i.i188, i64 16
  %.139.i.4.i.i = load i32, ptr %.136.i.4.i.i, align 1, !noalias !47
  %.141.i.4.i.i = zext i32 %.139.i.4.i.i to i64
  %.142.i.4.i.i = add nuw nsw i64 %.142.i.3.i.i, %.141.i.4.i.i
  %.5.i.i.i = and i64 %.142.i.4.i.i, 4294967295
  %.6.i.i.i = lshr i64 %.142.i.4.i.i, 32
  %.7.i.i.i = add nuw nsw i64 %.5.i.i.i, %.6.i.i.i
  %.8.i.i.i = and i64 %.7.i.i.i, 4294967295
  %.9.i7.i.i = lshr i64 %.7.i.i.i, 32
  %.10.i.i.i = add nuw nsw i64 %.8.i.i.i, %.9.i7.i.i
  %11 = and i64 %.10.i.i.i, 65535
  %.136.i8.i.i = lshr i64 %.10.i.i.i, 16
  %.137.i.i.i = add nuw nsw i64 %11, %.136.i8.i.i
  %12 = and i64 %.137.i.i.i, 65535
  %.136.1.i.i.i191 = lshr i64 %.137.i.i.i, 16
  %.137.1.i.i.i = add nuw nsw i64 %12, %.136.1.i.i.i191
  %.136.2.i.i.i = lshr i64 %.137.1.i.i.i, 16
  %.137.2.i.i.i = add nuw nsw i64 %.136.2.i.i.i, %.137.1.i.i.i
  %13 = trunc i64 %.137.2.i.i.i to i16
  %.129.i.i = xor i16 %13, -1
  store i16 %.129.i.i, ptr %.73.i.i, align 1, !noalias !44
  %.8.i.i192 = add nsw i64 %.422, 36
  %.135.i.i3.i = inttoptr i64 %.8.i.i192 to ptr
  %.139.i.i4.i = load i32, ptr %.135.i.i3.i, align 1, !noalias !50
  %.141.i.i5.i = zext i32 %.139.i.i4.i to i64
  %.136.1.i.i6.i = getelementptr i8, ptr %.135.i.i3.i, i64 4
  %.139.1.i.i.i193 = load i32, ptr %.136.1.i.i6.i, align 1, !noalias !50
  %.141.1.i.i.i194 = zext i32 %.139.1.i.i.i193 to i64
  %.9.i.i.i = zext i16 %rev.i5.i.i to i64
  %.142.1.i.i.i195 = add nuw nsw i64 %.9.i.i.i, 4352
  %.36.i.i196 = add nuw nsw i64 %.142.1.i.i.i195, %.141.i.i5.i
  %.62.i.i197 = add nuw nsw i64 %.36.i.i196, %.141.1.i.i.i194
  %.5.i.i198 = and i64 %.62.i.i197, 4294967295
  %.6.i.i199 = lshr i64 %.62.i.i197, 32
  %.7.i.i200 = add nuw nsw i64 %.5.i.i198, %.6.i.i199
  %.8.i9.i = and i64 %.7.i.i200, 4294967295
  %.9.i.i = lshr i64 %.7.i.i200, 32
  %.10.i.i201 = add nuw nsw i64 %.8.i9.i, %.9.i.i
  %14 = and i64 %.10.i.i201, 65535
  %.136.i.i = lshr i64 %.10.i.i201, 16
  %.137.i.i202 = add nuw nsw i64 %14, %.136.i.i
  %15 = and i64 %.137.i.i202, 65535
  %.136.1.i.i203 = lshr i64 %.137.i.i202, 16
  %.137.1.i.i204 = add nuw nsw i64 %15, %.136.1.i.i203
  %.136.2.i.i205 = lshr i64 %.137.1.i.i204, 16
  %.137.2.i.i206 = add nuw nsw i64 %.136.2.i.i205, %.137.1.i.i204
  %.126.i = trunc i64 %.137.2.i.i206 to i16
  %.127.i = getelementptr inbounds nuw i8, ptr %.41.i187, i64 40
  store i16 %.126.i, ptr %.127.i, align 1, !noalias !41
  %.452 = sub nsw i64 %used.3.0236, %.393
  %.10.i = load i64, ptr %.8.i207, align 1, !noalias !55
  %.11.i208 = inttoptr i64 %.10.i to ptr
  %.12.i = getelementptr [16 x i8], ptr %.11.i208, i64 %.452
  store i64 %.422, ptr %.12.i, align 1, !noalias !55
  %.16.i = getelementptr inbounds nuw i8, ptr %.12.i, i64 8
  store i64 52, ptr %.16.i, align 1, !noalias !55
  %.483 = add nsw i64 %first.2.0238, 42
  %.10.i210 = load i64, ptr %.8.i207, align 1, !noalias !58
  %.11.i211 = inttoptr i64 %.10.i210 to ptr
  %16 = getelementptr [16 x i8], ptr %.11.i211, i64 %.452
  %.12.i212 = getelementptr i8, ptr %16, i64 16
  store i64 %.483, ptr %.12.i212, align 1, !noalias !58
  %.16.i213 = getelementptr i8, ptr %16, i64 24
  store i64 %payload.2.0240, ptr %.16.i213, align 1, !noalias !58
  %.516 = add nsw i64 %.246, 42
  %.10.i215 = load i64, ptr %.8.i207, align 1, !noalias !61
  %.11.i216 = inttoptr i64 %.10.i215 to ptr
  %.12.i217 = getelementptr [16 x i8], ptr %.11.i216, i64 %used.3.0236
  store i64 %.516, ptr %.12.i217, align 1, !noalias !61
  %.16.i218 = getelementptr inbounds nuw i8, ptr %.12.i217, i64 8
  store i64 %.261, ptr %.16.i218, align 1, !noalias !61
  %.549 = add nsw i64 %used.3.0236, 1
  br label %B1210

B920:                                             ; preds = %B200.i, %B168.i, %B136.i, %B598, %B232.i, %B538, %B494
  %.567 = load i64, ptr %.565, align 1
  %.569 = mul nsw i64 %made.2.0235, 52
  %.570 = add nsw i64 %.567, %.569
  %.5.i = inttoptr i64 %.570 to ptr
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 1 dereferenceable(10) %.5.i, i8 0, i64 10, i1 false), !noalias !64
  %.10.i220 = load i64, ptr %.8.i219, align 1, !noalias !67
  %.11.i221 = inttoptr i64 %.10.i220 to ptr
  %.12.i222 = getelementptr [16 x i8], ptr %.11.i221, i64 %used.3.0236
  store i64 %.570, ptr %.12.i222, align 1, !noalias !67
  %.16.i223 = getelementptr inbounds nuw i8, ptr %.12.i222, i64 8
  store i64 10, ptr %.16.i223, align 1, !noalias !67
  %.10.i225 = load i64, ptr %.8.i219, align 1, !noalias !70
  %.11.i226 = inttoptr i64 %.10.i225 to ptr
  %17 = getelementptr [16 x i8], ptr %.11.i226, i64 %used.3.0236
  %.12.i227 = getelementptr i8, ptr %17, i64 16
  store i64 %.246, ptr %.12.i227, align 1, !noalias !70
  %.16.i228 = getelementptr i8, ptr %17, i64 24
  store i64 %.253, ptr %.16.i228, align 1, !noalias !70
  %.658 = load i64, ptr %.8.i219, align 1
  %.660 = shl nsw i64 %used.3.0236, 4
  %.661 = add nsw i64 %.658, %.660
  %.665 = load i64, ptr %.663, align 1
  %.667 = inttoptr i64 %.665 to ptr
  %.668 = getelementptr [64 x i8], ptr %.667, i64 %made.2.0235
  %.669 = getelementptr inbounds nuw i8, ptr %.668, i64 16
  store i64 %.661, ptr %.669, align 1
  %.693 = add nsw i64 %used.3.0236, 2
  %.699 = add nsw i64 %made.2.0235, 1
  br label %B1210

B1210:                                            ; preds = %B920, %B630
  %made.4.1 = phi i64 [ %made.2.0235, %B630 ], [ %.699, %B920 ]
  %first.4.1 = phi i64 [ %first.2.0238, %B630 ], [ %.246, %B920 ]
  %payload.4.1 = phi i64 [ %payload.2.0240, %B630 ], [ %.261, %B920 ]
  %inside.5.1 = phi i64 [ %.393, %B630 ], [ 1, %B920 ]
  %payloads.5.1 = phi i64 [ %.334, %B630 ], [ %.261, %B920 ]
  %growing.5.1 = phi i1 [ %.409, %B630 ], [ %"$phi494.1.2.1", %B920 ]
  %used.5.1 = phi i64 [ %.549, %B630 ], [ %.693, %B920 ]
  %.737 = add nsw i64 %inside.5.1, 1
  %.741 = load i64, ptr %.739, align 1
  %.743 = add nsw i64 %made.4.1, -1
  %.744 = inttoptr i64 %.741 to ptr
  %.745 = getelementptr [64 x i8], ptr %.744, i64 %.743
  %.746 = getelementptr inbounds nuw i8, ptr %.745, i64 24
  store i64 %.737, ptr %.746, align 1
  %.755 = trunc i64 %inside.5.1 to i32
  %.756 = getelementptr i32, ptr %.36, i64 %.743
  store i32 %.755, ptr %.756, align 4
  br label %B1307

B1306:                                            ; preds = %B1307, %entry
  %made.2.0.lcssa = phi i64 [ 0, %entry ], [ %made.3.1, %B1307 ]
  store i64 %made.2.0.lcssa, ptr %retptr, align 8
  ret void

B1307:                                            ; preds = %B328.if, %B1210
  %made.3.1 = phi i64 [ %made.4.1, %B1210 ], [ %made.2.0235, %B328.if ]
  %used.4.1 = phi i64 [ %used.5.1, %B1210 ], [ %used.3.0236, %B328.if ]
  %growing.4.1 = phi i1 [ %growing.5.1, %B1210 ], [ %growing.3.0237, %B328.if ]
  %first.3.1 = phi i64 [ %first.4.1, %B1210 ], [ %first.2.0238, %B328.if ]
  %inside.4.1 = phi i64 [ %inside.5.1, %B1210 ], [ %inside.3.0239, %B328.if ]
  %payload.3.1 = phi i64 [ %payload.4.1, %B1210 ], [ %payload.2.0240, %B328.if ]
  %payloads.4.1 = phi i64 [ %payloads.5.1, %B1210 ], [ %payloads.3.0241, %B328.if ]
  %exitcond.not = icmp eq i64 %.160, %arg.count
  br i1 %exitcond.not, label %B1306, label %B328.if

B328.if:                                          ; preds = %B328.if.lr.ph, %B1307
  %payloads.3.0241 = phi i64 [ 0, %B328.if.lr.ph ], [ %payloads.4.1, %B1307 ]
  %payload.2.0240 = phi i64 [ 0, %B328.if.lr.ph ], [ %payload.3.1, %B1307 ]
  %inside.3.0239 = phi i64 [ 0, %B328.if.lr.ph ], [ %inside.4.1, %B1307 ]
  %first.2.0238 = phi i64 [ 0, %B328.if.lr.ph ], [ %first.3.1, %B1307 ]
  %growing.3.0237 = phi i1 [ false, %B328.if.lr.ph ], [ %growing.4.1, %B1307 ]
  %used.3.0236 = phi i64 [ 0, %B328.if.lr.ph ], [ %used.4.1, %B1307 ]
  %made.2.0235 = phi i64 [ 0, %B328.if.lr.ph ], [ %made.3.1, %B1307 ]
  %.88.0234 = phi i64 [ 0, %B328.if.lr.ph ], [ %.160, %B1307 ]
  %.160 = add nuw nsw i64 %.88.0234, 1
  %.190 = getelementptr i32, ptr %.22, i64 %.88.0234
  %.191 = load i32, ptr %.190, align 4
  %.193 = sext i32 %.191 to i64
  %.194.not = icmp eq i64 %arg.chosen, %.193
  br i1 %.194.not, label %B358, label %B1307
}

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define i64 @depart(i64 %.1, i64 %.2, i64 %.3, i64 %.4, i64 %.5, i64 %.6, i64 %.7) local_unnamed_addr #0 {
.9:
  %.10 = alloca i64, align 8
  call fastcc void @_ZN8dropzero10softswitch5ports8gso_code6departB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx(ptr %.10, i64 %.1, i64 %.2, i64 %.3, i64 %.4, i64 %.5, i64 %.6, i64 %.7)
  %.13 = load i64, ptr %.10, align 8
  ret i64 %.13
}

declare i32 @sendmmsg(i32, i64, i32, i32) local_unnamed_addr

declare ptr @__errno_location() local_unnamed_addr

declare i32 @clock_gettime(i32, i64) local_unnamed_addr

declare i32 @recvmmsg(i32, i64, i32, i32, i64) local_unnamed_addr

declare i32 @sched_yield() local_unnamed_addr

declare i32 @poll(i64, i64, i32) local_unnamed_addr

define range(i64 0, 3) i64 @fast_path(i64 %.1) local_unnamed_addr {
.3:
  %.187.i.i = alloca i64, align 8
  %.226.i = alloca i64, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.226.i)
  store i64 0, ptr %.226.i, align 8, !noalias !73
  %.8.i = inttoptr i64 %.1 to ptr
  %.15.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 40
  %.17170.i = load i64, ptr %.15.i, align 1, !noalias !73
  %.18.not171.i = icmp eq i64 %.17170.i, 0
  br i1 %.18.not171.i, label %B78.lr.ph.i, label %_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit

B78.lr.ph.i:                                      ; preds = %.3
  %.13.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 24
  %.6.i.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 320
  %.86.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 312
  %.156.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 16
  %.9.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 8
  %.14.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 96
  %.25.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 48
  %.306.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 88
  %.135.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 272
  %.177.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 296
  %.181.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 184
  %.217.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 304
  %.251.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 280
  %.8.i110.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 136
  %.152.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 72
  %.142.i115.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 264
  %.10.i120.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 144
  %.14.i122.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 152
  %.18.i124.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 160
  %.22.i126.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 168
  %.26.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 64
  %.42.i128.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 104
  %.48.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 112
  %.54.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 120
  %.77.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 128
  %.83.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 192
  %.87.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 200
  %.91.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 208
  %.95.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 216
  %.193.i135.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 224
  %.197.i136.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 232
  %.256.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 288
  %.447.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 176
  %.19.i.i150.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 32
  %.60.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 256
  br label %B78.i

B50.loopexit.i:                                   ; preds = %B508.loopexit.i, %B454.i
  %.17.i = load i64, ptr %.15.i, align 1, !noalias !73
  %.18.not.i = icmp eq i64 %.17.i, 0
  br i1 %.18.not.i, label %B78.i, label %_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit

B78.i:                                            ; preds = %B50.loopexit.i, %B78.lr.ph.i
  %.7.i.i = tail call i32 @sched_yield(), !noalias !76
  %.11.i.i = load i64, ptr %.8.i, align 1, !noalias !76
  %.15.i.i = load i64, ptr %.13.i.i, align 1, !noalias !76
  %.17.i.i = tail call i32 @poll(i64 %.11.i.i, i64 %.15.i.i, i32 0), !noalias !76
  %.22.not.i.i = icmp eq i32 %.17.i.i, 0
  br i1 %.22.not.i.i, label %B120.i.i, label %_ZN8__main__5_waitB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE.exit.i

B120.i.i:                                         ; preds = %B78.i
  %.8.i.i.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !79
  %.10.i.i.i.i = tail call i32 @clock_gettime(i32 1, i64 %.8.i.i.i.i), !noalias !79
  %.13.i.i.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !79
  %.14.i.i.i.i = inttoptr i64 %.13.i.i.i.i to ptr
  %.18.i.i.i.i = load i64, ptr %.14.i.i.i.i, align 1, !noalias !79
  %.19.i.i.i.i = mul nsw i64 %.18.i.i.i.i, 1000000000
  %.20.i.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i.i, i64 8
  %.22.i.i.i.i = load i64, ptr %.20.i.i.i.i, align 1, !noalias !79
  %.23.i.i.i.i = add nsw i64 %.19.i.i.i.i, %.22.i.i.i.i
  %.88.i.i = load i64, ptr %.86.i.i, align 1, !noalias !76
  %.89.i.i = add nsw i64 %.23.i.i.i.i, %.88.i.i
  br label %B168.i.i

B168.i.i:                                         ; preds = %B308.i.i, %B120.i.i
  %.94.i.i = tail call i32 @sched_yield(), !noalias !76
  %.98.i.i = load i64, ptr %.8.i, align 1, !noalias !76
  %.102.i.i = load i64, ptr %.13.i.i, align 1, !noalias !76
  %.104.i.i = tail call i32 @poll(i64 %.98.i.i, i64 %.102.i.i, i32 0), !noalias !76
  %.109.not.i.i = icmp eq i32 %.104.i.i, 0
  br i1 %.109.not.i.i, label %B308.i.i, label %B254.i.i

B254.i.i:                                         ; preds = %B168.i.i
  store i64 50000, ptr %.86.i.i, align 1, !noalias !76
  br label %_ZN8__main__5_waitB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE.exit.i

B308.i.i:                                         ; preds = %B168.i.i
  %.8.i.i17.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !84
  %.10.i.i18.i.i = tail call i32 @clock_gettime(i32 1, i64 %.8.i.i17.i.i), !noalias !84
  %.13.i.i19.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !84
  %.14.i.i20.i.i = inttoptr i64 %.13.i.i19.i.i to ptr
  %.18.i.i21.i.i = load i64, ptr %.14.i.i20.i.i, align 1, !noalias !84
  %.19.i.i22.i.i = mul nsw i64 %.18.i.i21.i.i, 1000000000
  %.20.i.i23.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i20.i.i, i64 8
  %.22.i.i24.i.i = load i64, ptr %.20.i.i23.i.i, align 1, !noalias !84
  %.23.i.i25.i.i = add nsw i64 %.19.i.i22.i.i, %.22.i.i24.i.i
  %.177.not.i.i = icmp slt i64 %.23.i.i25.i.i, %.89.i.i
  br i1 %.177.not.i.i, label %B168.i.i, label %B346.i.i

B346.i.i:                                         ; preds = %B308.i.i
  %.184.i.i = load i64, ptr %.86.i.i, align 1, !noalias !76
  %.185.i.i = ashr i64 %.184.i.i, 1
  store i64 %.185.i.i, ptr %.86.i.i, align 1, !noalias !76
  %.193.i.i = load i64, ptr %.8.i, align 1, !noalias !76
  %.197.i.i = load i64, ptr %.13.i.i, align 1, !noalias !76
  %.201.i.i = tail call i32 @poll(i64 %.193.i.i, i64 %.197.i.i, i32 -1), !noalias !76
  br label %_ZN8__main__5_waitB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE.exit.i

_ZN8__main__5_waitB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE.exit.i: ; preds = %B346.i.i, %B254.i.i, %B78.i
  %.28.0.i = phi i32 [ %.201.i.i, %B346.i.i ], [ %.104.i.i, %B254.i.i ], [ %.17.i.i, %B78.i ]
  %.59.i = icmp slt i32 %.28.0.i, 1
  br i1 %.59.i, label %_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B120.i

B120.i:                                           ; preds = %_ZN8__main__5_waitB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE.exit.i
  %.10.i.i = load i64, ptr %.13.i.i, align 1, !noalias !89
  %.9250.not.i.i = icmp slt i64 %.10.i.i, 1
  br i1 %.9250.not.i.i, label %B164.i, label %B44.if.lr.ph.i.i

B44.if.lr.ph.i.i:                                 ; preds = %B120.i
  %.136.i.i = load i64, ptr %.8.i, align 1, !noalias !89
  %.138.i.i = inttoptr i64 %.136.i.i to ptr
  br label %B44.if.i.i

B138.i.i:                                         ; preds = %B44.if.i.i
  %.158.i.i = load i64, ptr %.156.i.i, align 1, !noalias !89
  %.160.not.i.i = icmp slt i64 %.34.051.i.i, %.158.i.i
  br i1 %.160.not.i.i, label %B166.i.i, label %_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit

B166.i.i:                                         ; preds = %B44.if.i.i, %B138.i.i
  %exitcond.not.i.i = icmp eq i64 %.105.i.i, %.10.i.i
  br i1 %exitcond.not.i.i, label %B164.i, label %B44.if.i.i

B44.if.i.i:                                       ; preds = %B166.i.i, %B44.if.lr.ph.i.i
  %.34.051.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i ], [ %.105.i.i, %B166.i.i ]
  %.105.i.i = add nuw nsw i64 %.34.051.i.i, 1
  %.139.i.i = getelementptr [8 x i8], ptr %.138.i.i, i64 %.34.051.i.i
  %.140.i.i = getelementptr inbounds nuw i8, ptr %.139.i.i, i64 6
  %.142.i.i = load i16, ptr %.140.i.i, align 1, !noalias !89
  switch i16 %.142.i.i, label %_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit [
    i16 0, label %B166.i.i
    i16 1, label %B138.i.i
  ]

B164.i:                                           ; preds = %B166.i.i, %B120.i
  %.11.i102.i = load i64, ptr %.9.i.i, align 1, !noalias !92
  %.12.i.i = inttoptr i64 %.11.i102.i to ptr
  %.16.i.i = load i64, ptr %.14.i.i, align 1, !noalias !92
  %.17.i103.i = inttoptr i64 %.16.i.i to ptr
  %.27.i.i = load i64, ptr %.25.i.i, align 1, !noalias !92
  %0 = icmp ult i64 %.27.i.i, 4294967296
  br i1 %0, label %3, label %7

B344.i.i:                                         ; preds = %B220.if.i.i
  %.248.i.i = sub nsw i64 %.246.i.i, %filled.2.0108.i.i
  %.11.i101.i.i = tail call i64 @llvm.smin.i64(i64 %.248.i.i, i64 %11)
  %.302.i.i = load i32, ptr %.239.i.i, align 1, !noalias !92
  %.308.i.i = load i64, ptr %.306.i.i, align 1, !noalias !92
  %.310.i.i = shl nsw i64 %filled.2.0108.i.i, 6
  %.313.i.i = add nsw i64 %.308.i.i, %.310.i.i
  %.315.i.i = trunc i64 %.11.i101.i.i to i32
  %.317.i.i = tail call i32 @recvmmsg(i32 %.302.i.i, i64 %.313.i.i, i32 %.315.i.i, i32 64, i64 0), !noalias !92
  %.402102.not.i.i = icmp slt i32 %.317.i.i, 1
  br i1 %.402102.not.i.i, label %B502.i.i, label %B464.if.lr.ph.i.i

B464.if.lr.ph.i.i:                                ; preds = %B344.i.i
  %.444.i.i = getelementptr i32, ptr %.12.i.i, i64 %.132.0106.i.i
  %1 = trunc i64 %filled.2.0108.i.i to i32
  %2 = add i32 %.317.i.i, %1
  br label %B464.if.i.i

B502.i.i:                                         ; preds = %B464.if.i.i, %B220.if.i.i, %B344.i.i
  %filled.3.2.i.i = phi i64 [ %filled.2.0108.i.i, %B220.if.i.i ], [ %filled.2.0108.i.i, %B344.i.i ], [ %.451.i.i, %B464.if.i.i ]
  %exitcond110.not.i.i = icmp eq i64 %.201.i104.i, %.108.i.i
  br i1 %exitcond110.not.i.i, label %_ZN8__main__8_receiveB3v34B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EEi.exit.i, label %B220.if.i.i

3:                                                ; preds = %B164.i
  %4 = trunc nuw i64 %.27.i.i to i32
  %5 = udiv i32 %4, %.28.0.i
  %6 = zext i32 %5 to i64
  br label %B0.endif.i.i

7:                                                ; preds = %B164.i
  %.28.i.i = zext nneg i32 %.28.0.i to i64
  %8 = sdiv i64 %.27.i.i, %.28.i.i
  %9 = srem i64 %.27.i.i, %.28.i.i
  %.lobit.i = ashr i64 %9, 63
  br label %B0.endif.i.i

B0.endif.i.i:                                     ; preds = %7, %3
  %10 = phi i64 [ %6, %3 ], [ %8, %7 ]
  %.50.i.i = phi i64 [ 0, %3 ], [ %.lobit.i, %7 ]
  %spec.select100.i.i = add i64 %.50.i.i, %10
  %11 = tail call i64 @llvm.smax.i64(i64 %spec.select100.i.i, i64 1)
  %.108.i.i = load i64, ptr %.156.i.i, align 1, !noalias !92
  %.188105.not.i.i = icmp slt i64 %.108.i.i, 1
  br i1 %.188105.not.i.i, label %_ZN8__main__8_receiveB3v34B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EEi.exit.i, label %B220.if.i.i

B220.if.i.i:                                      ; preds = %B0.endif.i.i, %B502.i.i
  %filled.2.0108.i.i = phi i64 [ %filled.3.2.i.i, %B502.i.i ], [ 0, %B0.endif.i.i ]
  %.132.0106.i.i = phi i64 [ %.201.i104.i, %B502.i.i ], [ 0, %B0.endif.i.i ]
  %.201.i104.i = add nuw nsw i64 %.132.0106.i.i, 1
  %.236.i.i = load i64, ptr %.8.i, align 1, !noalias !92
  %.238.i.i = inttoptr i64 %.236.i.i to ptr
  %.239.i.i = getelementptr [8 x i8], ptr %.238.i.i, i64 %.132.0106.i.i
  %.246.i.i = load i64, ptr %.25.i.i, align 1, !noalias !92
  %.282.i.i = getelementptr inbounds nuw i8, ptr %.239.i.i, i64 6
  %.284.i.i = load i16, ptr %.282.i.i, align 1, !noalias !92
  %.285.not.i.i = icmp eq i16 %.284.i.i, 0
  %.291.not.i.i = icmp eq i64 %.246.i.i, %filled.2.0108.i.i
  %or.cond.i.i = select i1 %.285.not.i.i, i1 true, i1 %.291.not.i.i
  br i1 %or.cond.i.i, label %B502.i.i, label %B344.i.i

B464.if.i.i:                                      ; preds = %B464.if.i.i, %B464.if.lr.ph.i.i
  %filled.4.1104.i.i = phi i64 [ %filled.2.0108.i.i, %B464.if.lr.ph.i.i ], [ %.451.i.i, %B464.if.i.i ]
  %.445.i.i = load i32, ptr %.444.i.i, align 4, !noalias !92
  %.448.i.i = getelementptr i32, ptr %.17.i103.i, i64 %filled.4.1104.i.i
  store i32 %.445.i.i, ptr %.448.i.i, align 4, !noalias !92
  %.451.i.i = add i64 %filled.4.1104.i.i, 1
  %lftr.wideiv = trunc i64 %.451.i.i to i32
  %exitcond = icmp eq i32 %2, %lftr.wideiv
  br i1 %exitcond, label %B502.i.i, label %B464.if.i.i

_ZN8__main__8_receiveB3v34B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EEi.exit.i: ; preds = %B502.i.i, %B0.endif.i.i
  %filled.2.0.lcssa.i.i = phi i64 [ 0, %B0.endif.i.i ], [ %filled.3.2.i.i, %B502.i.i ]
  store i64 %filled.2.0.lcssa.i.i, ptr %.135.i, align 1, !noalias !73
  %.142.not.i = icmp eq i64 %filled.2.0.lcssa.i.i, 0
  br i1 %.142.not.i, label %_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B234.i

B234.i:                                           ; preds = %_ZN8__main__8_receiveB3v34B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EEi.exit.i
  %.8.i.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !95
  %.10.i.i.i = tail call i32 @clock_gettime(i32 1, i64 %.8.i.i.i), !noalias !95
  %.13.i.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !95
  %.14.i.i.i = inttoptr i64 %.13.i.i.i to ptr
  %.18.i.i.i = load i64, ptr %.14.i.i.i, align 1, !noalias !95
  %.19.i.i.i = mul nsw i64 %.18.i.i.i, 1000000000
  %.20.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 8
  %.22.i.i.i = load i64, ptr %.20.i.i.i, align 1, !noalias !95
  %.23.i.i.i = add nsw i64 %.19.i.i.i, %.22.i.i.i
  store i64 %.23.i.i.i, ptr %.177.i, align 1, !noalias !73
  %.183.i = load i64, ptr %.181.i, align 1, !noalias !73
  %.10.i107.i = tail call i32 @clock_gettime(i32 0, i64 %.13.i.i.i), !noalias !100
  %.13.i108.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !100
  %.14.i109.i = inttoptr i64 %.13.i108.i to ptr
  %.18.i.i = load i64, ptr %.14.i109.i, align 1, !noalias !100
  %.19.i.i = mul nsw i64 %.18.i.i, 1000000000
  %.20.i.i = getelementptr inbounds nuw i8, ptr %.14.i109.i, i64 8
  %.22.i.i = load i64, ptr %.20.i.i, align 1, !noalias !100
  %.214.i = load i64, ptr %.177.i, align 1, !noalias !73
  %.23.i.i = add i64 %.22.i.i, %.183.i
  %.210.i = add i64 %.23.i.i, %.19.i.i
  %.215.i = sub i64 %.210.i, %.214.i
  store i64 %.215.i, ptr %.217.i, align 1, !noalias !73
  %.224.i = load i64, ptr %.135.i, align 1, !noalias !73
  store i64 0, ptr %.226.i, align 8, !noalias !73
  call fastcc void @_ZN8dropzero10softswitch5ports8gso_code6arriveB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr %.226.i, i64 %.1, i64 %.224.i)
  %.240.i = load i64, ptr %.226.i, align 8, !noalias !73
  store i64 %.240.i, ptr %.251.i, align 1, !noalias !73
  %.10.i111.i = load i64, ptr %.8.i110.i, align 1, !noalias !103
  %.11.i112.i = inttoptr i64 %.10.i111.i to ptr
  %.18.i114.i = load i64, ptr %.135.i, align 1, !noalias !103
  %spec.select.i.i = tail call i64 @llvm.smax.i64(i64 %.18.i114.i, i64 0)
  br label %B106.i.i

B106.i.i:                                         ; preds = %B212.i.i, %B234.i
  %.42.0.i.i = phi i64 [ 0, %B234.i ], [ %.113.i.i, %B212.i.i ]
  %exitcond.not.i116.i = icmp eq i64 %.42.0.i.i, %spec.select.i.i
  br i1 %exitcond.not.i116.i, label %B454.i, label %B106.if.i.i

B126.i.i:                                         ; preds = %B106.if.i.i
  %.154.i.i = load i64, ptr %.152.i.i, align 1, !noalias !103
  %.156.i117.i = inttoptr i64 %.154.i.i to ptr
  %.157.i.i = getelementptr [10 x i8], ptr %.156.i117.i, i64 %.42.0.i.i
  %.158.i118.i = getelementptr inbounds nuw i8, ptr %.157.i.i, i64 1
  %.159.i.i = load i8, ptr %.158.i118.i, align 1, !noalias !103
  %.161.i.i = icmp eq i8 %.159.i.i, 5
  br i1 %.161.i.i, label %_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B212.i.i

B212.i.i:                                         ; preds = %B106.if.i.i, %B126.i.i
  %.171.i.i = getelementptr i32, ptr %.11.i112.i, i64 %.42.0.i.i
  %.172.i.i = load i32, ptr %.171.i.i, align 4, !noalias !103
  %.175.not.i.i = icmp eq i32 %.172.i.i, 0
  br i1 %.175.not.i.i, label %_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B106.i.i

B106.if.i.i:                                      ; preds = %B106.i.i
  %.113.i.i = add nuw i64 %.42.0.i.i, 1
  %.144.i.i = load i64, ptr %.142.i115.i, align 1, !noalias !103
  %.145.not.i.i = icmp eq i64 %.144.i.i, 0
  br i1 %.145.not.i.i, label %B126.i.i, label %B212.i.i

B454.i:                                           ; preds = %B106.i.i
  %12 = add nuw i64 %.240.i, 127
  %.358.i = lshr i64 %12, 7
  %.337.inv.i = icmp slt i64 %.240.i, 1
  %.379167.not179.i = icmp eq i64 %.358.i, 0
  %.379167.not.i = select i1 %.337.inv.i, i1 true, i1 %.379167.not179.i
  br i1 %.379167.not.i, label %B50.loopexit.i, label %B508.if.i

B508.loopexit.i:                                  ; preds = %_ZN8__main__5_sendB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx.exit.i, %B630.endif.endif.i
  %.379.i = icmp sgt i64 %.326.0169.i, 1
  br i1 %.379.i, label %B508.if.i, label %B50.loopexit.i

B630.i:                                           ; preds = %_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i
  %.530.not.i = icmp eq i64 %.452.0.i, 0
  br i1 %.530.not.i, label %B630.endif.endif.i, label %B630.endif.else.i

B508.if.i:                                        ; preds = %B454.i, %B508.loopexit.i
  %.326.0169.i = phi i64 [ %.388.i, %B508.loopexit.i ], [ %.358.i, %B454.i ]
  %.323.0168.i = phi i64 [ %.392.i, %B508.loopexit.i ], [ 0, %B454.i ]
  %.388.i = add nsw i64 %.326.0169.i, -1
  %.392.i = add nuw i64 %.323.0168.i, 128
  %.421.i = load i64, ptr %.251.i, align 1, !noalias !73
  %.422.i = sub nsw i64 %.421.i, %.323.0168.i
  %.11.i119.i = tail call i64 @llvm.smin.i64(i64 %.422.i, i64 128)
  %.12.i121.i = load i64, ptr %.10.i120.i, align 1, !noalias !106
  %.16.i123.i = load i64, ptr %.14.i122.i, align 1, !noalias !106
  %.20.i125.i = load i64, ptr %.18.i124.i, align 1, !noalias !106
  %.24.i.i = load i64, ptr %.22.i126.i, align 1, !noalias !106
  %.28.i127.i = load i64, ptr %.26.i.i, align 1, !noalias !106
  %.44.i.i = load i64, ptr %.42.i128.i, align 1, !noalias !106
  %.45.i.i = shl nsw i64 %.323.0168.i, 3
  %.46.i.i = add nsw i64 %.44.i.i, %.45.i.i
  %.50.i129.i = load i64, ptr %.48.i.i, align 1, !noalias !106
  %.51.i130.i = shl nsw i64 %.323.0168.i, 2
  %.52.i131.i = add nsw i64 %.50.i129.i, %.51.i130.i
  %.56.i.i = load i64, ptr %.54.i.i, align 1, !noalias !106
  %.58.i.i = add nsw i64 %.56.i.i, %.51.i130.i
  %.79.i.i = load i64, ptr %.77.i.i, align 1, !noalias !106
  %.81.i.i = add nsw i64 %.79.i.i, %.45.i.i
  %.85.i.i = load i64, ptr %.83.i.i, align 1, !noalias !106
  %.89.i132.i = load i64, ptr %.87.i.i, align 1, !noalias !106
  %.93.i.i = load i64, ptr %.91.i.i, align 1, !noalias !106
  %.97.i.i = load i64, ptr %.95.i.i, align 1, !noalias !106
  %.146.i.i = load i64, ptr %.177.i, align 1, !noalias !106
  %.150.i.i = load i64, ptr %.181.i, align 1, !noalias !106
  %.151.i.i = sub nsw i64 %.146.i.i, %.150.i.i
  %.170.i.i = sdiv i64 %.151.i.i, 1000
  %.171.i134.i = srem i64 %.151.i.i, 1000
  %.171.lobit.i.i = ashr i64 %.171.i134.i, 63
  %.159.0.i.i = add nsw i64 %.171.lobit.i.i, %.170.i.i
  %.195.i.i = load i64, ptr %.193.i135.i, align 1, !noalias !106
  %.199.i.i = load i64, ptr %.197.i136.i, align 1, !noalias !106
  %.236.i137.i = inttoptr i64 %.12.i121.i to ptr
  %.253.i.i = tail call i64 %.236.i137.i(i64 %.16.i123.i, i64 %.20.i125.i, i64 %.24.i.i, i64 %.28.i127.i, i64 %.46.i.i, i64 %.52.i131.i, i64 %.58.i.i, i64 %.81.i.i, i64 %.85.i.i, i64 %.89.i132.i, i64 %.93.i.i, i64 %.97.i.i, i64 %.11.i119.i, i64 %.159.0.i.i, i64 %.195.i.i, i64 %.199.i.i), !noalias !106
  %.254.i.i = add nsw i64 %.253.i.i, %.323.0168.i
  store i64 %.254.i.i, ptr %.256.i.i, align 1, !noalias !106
  %.262.i.i = load i64, ptr %.14.i122.i, align 1, !noalias !106
  %.263.i.i = inttoptr i64 %.262.i.i to ptr
  %.267.not.i.i = icmp eq i64 %.253.i.i, %.11.i119.i
  br i1 %.267.not.i.i, label %B412.i.i, label %_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i

B412.i.i:                                         ; preds = %B508.if.i
  %.270.i.i = getelementptr i8, ptr %.263.i.i, i64 104
  %.271.i.i = load i64, ptr %.270.i.i, align 8, !noalias !106
  %.272.not.i.i = icmp eq i64 %.271.i.i, 0
  br i1 %.272.not.i.i, label %B438.i.i, label %_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i

B438.i.i:                                         ; preds = %B412.i.i
  %.275.i.i = getelementptr i8, ptr %.263.i.i, i64 72
  %.276.i.i = load i64, ptr %.275.i.i, align 8, !noalias !106
  %.277.not.i.i = icmp eq i64 %.276.i.i, 0
  br i1 %.277.not.i.i, label %B468.i.i, label %_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i

B468.i.i:                                         ; preds = %B438.i.i
  %.286.i.i = getelementptr i8, ptr %.263.i.i, i64 32
  %.287.i.i = load i64, ptr %.286.i.i, align 8, !noalias !106
  %.296.i.i = load i64, ptr %.91.i.i, align 1, !noalias !106
  %.297.i.i = inttoptr i64 %.296.i.i to ptr
  %.301.i.i = load i64, ptr %.95.i.i, align 1, !noalias !106
  %.302.i138.i = inttoptr i64 %.301.i.i to ptr
  %spec.select.i139.i = tail call i64 @llvm.smax.i64(i64 %.287.i.i, i64 0)
  br label %B648.i.i

B648.i.i:                                         ; preds = %B684.i.i, %B468.i.i
  %.333.0.i.i = phi i64 [ 0, %B468.i.i ], [ %.404.i.i, %B684.i.i ]
  %exitcond.not.i140.i = icmp eq i64 %.333.0.i.i, %spec.select.i139.i
  br i1 %exitcond.not.i140.i, label %_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i, label %B648.if.i.i

B684.i.i:                                         ; preds = %B648.if.i.i
  %.404.i.i = add nuw i64 %.333.0.i.i, 1
  %.442.i.i = getelementptr i32, ptr %.302.i138.i, i64 %.333.0.i.i
  %.443.i.i = load i32, ptr %.442.i.i, align 4, !noalias !106
  %.449.i.i = load i64, ptr %.447.i.i, align 1, !noalias !106
  %.450.i.i = sext i32 %.443.i.i to i64
  %.451.i141.i = icmp eq i64 %.449.i.i, %.450.i.i
  br i1 %.451.i141.i, label %_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i, label %B648.i.i

B648.if.i.i:                                      ; preds = %B648.i.i
  %.434.i.i = getelementptr i32, ptr %.297.i.i, i64 %.333.0.i.i
  %.435.i.i = load i32, ptr %.434.i.i, align 4, !noalias !106
  %.438.not.i.i = icmp sgt i32 %.435.i.i, -1
  br i1 %.438.not.i.i, label %B684.i.i, label %_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i

_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i: ; preds = %B648.if.i.i, %B684.i.i, %B648.i.i, %B438.i.i, %B412.i.i, %B508.if.i
  %.452.0.i = phi i64 [ -1, %B412.i.i ], [ -1, %B508.if.i ], [ -1, %B438.i.i ], [ -1, %B684.i.i ], [ -1, %B648.if.i.i ], [ %.287.i.i, %B648.i.i ]
  %.480.i = icmp slt i64 %.452.0.i, 0
  br i1 %.480.i, label %_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B630.i

B630.endif.else.i:                                ; preds = %B630.i
  %13 = or i64 %.452.0.i, 1024
  %14 = icmp slt i64 %13, 4294967296
  %15 = lshr i64 %.452.0.i, 10
  %16 = and i64 %15, 4194303
  %17 = select i1 %14, i64 %16, i64 %15
  %18 = and i64 %.452.0.i, 1023
  %.548.not.i = icmp ne i64 %18, 0
  %.550.i = zext i1 %.548.not.i to i64
  %.551.i = add nuw nsw i64 %17, %.550.i
  br label %B630.endif.endif.i

B630.endif.endif.i:                               ; preds = %B630.endif.else.i, %B630.i
  %storemerge101.i = phi i64 [ %.551.i, %B630.endif.else.i ], [ 0, %B630.i ]
  %.572164.i = icmp sgt i64 %storemerge101.i, 0
  br i1 %.572164.i, label %B674.if.i, label %B508.loopexit.i

B674.if.i:                                        ; preds = %B630.endif.endif.i, %_ZN8__main__5_sendB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx.exit.i
  %.519.0166.i = phi i64 [ %.581.i, %_ZN8__main__5_sendB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx.exit.i ], [ %storemerge101.i, %B630.endif.endif.i ]
  %.516.0165.i = phi i64 [ %.585.i, %_ZN8__main__5_sendB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx.exit.i ], [ 0, %B630.endif.endif.i ]
  %.581.i = add nsw i64 %.519.0166.i, -1
  %.585.i = add i64 %.516.0165.i, 1024
  %.612.i = sub nsw i64 %.452.0.i, %.516.0165.i
  %.11.i142.i = tail call i64 @llvm.smin.i64(i64 %.612.i, i64 1024)
  call void @llvm.lifetime.start.p0(ptr nonnull %.187.i.i), !noalias !73
  store i64 0, ptr %.187.i.i, align 8, !noalias !109
  %.19.i144.i = load i64, ptr %.9.i.i, align 1, !noalias !109
  %.20.i145.i = inttoptr i64 %.19.i144.i to ptr
  %.27.i147.i = load i64, ptr %.87.i.i, align 1, !noalias !109
  %.29.i.i = shl nsw i64 %.516.0165.i, 3
  %.30.i.i = add nsw i64 %.27.i147.i, %.29.i.i
  %.34.i.i = load i64, ptr %.91.i.i, align 1, !noalias !109
  %.36.i.i = shl nsw i64 %.516.0165.i, 2
  %.37.i.i = add nsw i64 %.34.i.i, %.36.i.i
  %.47.i.i = load i64, ptr %.156.i.i, align 1, !noalias !109
  %.12950.not.i.i = icmp slt i64 %.47.i.i, 1
  br i1 %.12950.not.i.i, label %_ZN8__main__5_sendB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx.exit.i, label %B158.if.i.i

B158.if.i.i:                                      ; preds = %B674.if.i, %_ZN8__main__10_hand_overB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i.i
  %.71.052.i.i = phi i64 [ %.142.i151.i, %_ZN8__main__10_hand_overB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i.i ], [ 0, %B674.if.i ]
  %.142.i151.i = add nuw nsw i64 %.71.052.i.i, 1
  %.168.i.i = getelementptr i32, ptr %.20.i145.i, i64 %.71.052.i.i
  %.169.i.i = load i32, ptr %.168.i.i, align 4, !noalias !109
  %.170.i152.i = sext i32 %.169.i.i to i64
  %.175.i.i = load i64, ptr %.83.i.i, align 1, !noalias !109
  %.179.i.i = load i64, ptr %.95.i.i, align 1, !noalias !109
  %.182.i.i = add nsw i64 %.179.i.i, %.36.i.i
  store i64 0, ptr %.187.i.i, align 8, !noalias !109
  call fastcc void @_ZN8dropzero10softswitch5ports8gso_code6departB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx(ptr %.187.i.i, i64 %.1, i64 %.175.i.i, i64 %.30.i.i, i64 %.37.i.i, i64 %.182.i.i, i64 %.11.i142.i, i64 %.170.i152.i)
  %.201.i153.i = load i64, ptr %.187.i.i, align 8, !noalias !109
  %.16.i.i.i = load i64, ptr %.8.i110.i, align 1, !noalias !112
  %.17.i.i.i = inttoptr i64 %.16.i.i.i to ptr
  %.32.i.i.i = load i64, ptr %.8.i, align 1, !noalias !112
  %.34.i.i.i = inttoptr i64 %.32.i.i.i to ptr
  %.35.i.i.i = getelementptr [8 x i8], ptr %.34.i.i.i, i64 %.71.052.i.i
  %.38.i.i.i = load i32, ptr %.35.i.i.i, align 1, !noalias !112
  %.5293.i.i.i = icmp sgt i64 %.201.i153.i, 0
  br i1 %.5293.i.i.i, label %B208.preheader.lr.ph.i.i.i, label %_ZN8__main__10_hand_overB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i.i

B208.preheader.lr.ph.i.i.i:                       ; preds = %B158.if.i.i
  %.21.i.i.i = load i64, ptr %.19.i.i150.i, align 1, !noalias !112
  %.22.i.i155.i = inttoptr i64 %.21.i.i.i to ptr
  %.260.i.i.i = getelementptr i64, ptr %.22.i.i155.i, i64 %.71.052.i.i
  br label %B208.i.i.i

B208.i.i.i:                                       ; preds = %B208.i.i.i.backedge, %B208.preheader.lr.ph.i.i.i
  %first.5.1.i.i.i = phi i64 [ 0, %B208.preheader.lr.ph.i.i.i ], [ %first.5.1.i.i.i.be, %B208.i.i.i.backedge ]
  %.62.i.i.i = load i64, ptr %.60.i.i.i, align 1, !noalias !112
  %.64.i.i.i = shl nsw i64 %first.5.1.i.i.i, 6
  %.65.i.i.i = add nsw i64 %.62.i.i.i, %.64.i.i.i
  %.68.i.i.i = sub nsw i64 %.201.i153.i, %first.5.1.i.i.i
  %.70.i.i.i = trunc i64 %.68.i.i.i to i32
  %.72.i.i.i = tail call i32 @sendmmsg(i32 %.38.i.i.i, i64 %.65.i.i.i, i32 %.70.i.i.i, i32 64), !noalias !112
  %.78.i.i.i = icmp sgt i32 %.72.i.i.i, -1
  br i1 %.78.i.i.i, label %B304.i.i.i, label %B316.i.i.i

B304.i.i.i:                                       ; preds = %B208.i.i.i
  %.77.i.i.i = zext nneg i32 %.72.i.i.i to i64
  %.83.i.i.i = add nsw i64 %first.5.1.i.i.i, %.77.i.i.i
  br label %B589.i.i.i

B316.i.i.i:                                       ; preds = %B208.i.i.i
  %.94.i.i.i = tail call ptr @__errno_location(), !noalias !112
  %.96.i.i.i = load i32, ptr %.94.i.i.i, align 4, !noalias !112
  %.101.i.i.i = sext i32 %.96.i.i.i to i64
  switch i32 %.96.i.i.i, label %B458.i.i.i [
    i32 4, label %B589.i.i.i
    i32 105, label %B466.i.i.i
    i32 90, label %B466.i.i.i
  ]

B458.i.i.i:                                       ; preds = %B316.i.i.i
  %19 = tail call i64 @llvm.smax.i64(i64 %.68.i.i.i, i64 0)
  br label %B466.i.i.i

B466.i.i.i:                                       ; preds = %B458.i.i.i, %B316.i.i.i, %B316.i.i.i
  %"$phi466.0.2.2.i.i.i" = phi i64 [ %19, %B458.i.i.i ], [ 1, %B316.i.i.i ], [ 1, %B316.i.i.i ]
  %.22089.not.i.i.i = icmp eq i64 %"$phi466.0.2.2.i.i.i", 0
  br i1 %.22089.not.i.i.i, label %B558.i.i.i, label %B498.if.lr.ph.i.i.i

B498.if.lr.ph.i.i.i:                              ; preds = %B466.i.i.i
  %.260.promoted.i.i.i = load i64, ptr %.260.i.i.i, align 8, !noalias !112
  br label %B498.if.i.i.i

B558.i.i.i:                                       ; preds = %B498.if.i.i.i, %B466.i.i.i
  %first.6.2.lcssa.i.i.i = phi i64 [ %first.5.1.i.i.i, %B466.i.i.i ], [ %.273.i.i.i, %B498.if.i.i.i ]
  store i64 %.101.i.i.i, ptr %.15.i, align 1, !noalias !112
  %.294.i.i.i = icmp slt i64 %first.6.2.lcssa.i.i.i, %.201.i153.i
  br i1 %.294.i.i.i, label %B208.i.i.i.backedge, label %_ZN8__main__10_hand_overB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i.i

B208.i.i.i.backedge:                              ; preds = %B558.i.i.i, %B589.i.i.i
  %first.5.1.i.i.i.be = phi i64 [ %first.6.2.lcssa.i.i.i, %B558.i.i.i ], [ %first.4.1.i.i.i, %B589.i.i.i ]
  br label %B208.i.i.i

B589.i.i.i:                                       ; preds = %B316.i.i.i, %B304.i.i.i
  %first.4.1.i.i.i = phi i64 [ %.83.i.i.i, %B304.i.i.i ], [ %first.5.1.i.i.i, %B316.i.i.i ]
  %.52.i.i.i = icmp slt i64 %first.4.1.i.i.i, %.201.i153.i
  br i1 %.52.i.i.i, label %B208.i.i.i.backedge, label %_ZN8__main__10_hand_overB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i.i

B498.if.i.i.i:                                    ; preds = %B498.if.i.i.i, %B498.if.lr.ph.i.i.i
  %.26792.i.i.i = phi i64 [ %.260.promoted.i.i.i, %B498.if.lr.ph.i.i.i ], [ %.267.i.i.i, %B498.if.i.i.i ]
  %first.6.291.i.i.i = phi i64 [ %first.5.1.i.i.i, %B498.if.lr.ph.i.i.i ], [ %.273.i.i.i, %B498.if.i.i.i ]
  %.165.090.i.i.i = phi i64 [ %"$phi466.0.2.2.i.i.i", %B498.if.lr.ph.i.i.i ], [ %.229.i.i.i, %B498.if.i.i.i ]
  %.229.i.i.i = add nsw i64 %.165.090.i.i.i, -1
  %.264.i.i.i = getelementptr i32, ptr %.17.i.i.i, i64 %first.6.291.i.i.i
  %.265.i.i.i = load i32, ptr %.264.i.i.i, align 4, !noalias !112
  %.266.i.i.i = sext i32 %.265.i.i.i to i64
  %.267.i.i.i = add nsw i64 %.26792.i.i.i, %.266.i.i.i
  store i64 %.267.i.i.i, ptr %.260.i.i.i, align 8, !noalias !112
  %.273.i.i.i = add nsw i64 %first.6.291.i.i.i, 1
  %.220.i.i.i = icmp sgt i64 %.165.090.i.i.i, 1
  br i1 %.220.i.i.i, label %B498.if.i.i.i, label %B558.i.i.i

_ZN8__main__10_hand_overB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i.i: ; preds = %B589.i.i.i, %B558.i.i.i, %B158.if.i.i
  %exitcond.not.i154.i = icmp eq i64 %.142.i151.i, %.47.i.i
  br i1 %exitcond.not.i154.i, label %_ZN8__main__5_sendB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx.exit.i, label %B158.if.i.i

_ZN8__main__5_sendB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx.exit.i: ; preds = %_ZN8__main__10_hand_overB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i.i, %B674.if.i
  call void @llvm.lifetime.end.p0(ptr nonnull %.187.i.i), !noalias !73
  %.572.i = icmp sgt i64 %.519.0166.i, 1
  br i1 %.572.i, label %B674.if.i, label %B508.loopexit.i

_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit: ; preds = %_ZN8__main__8_receiveB3v34B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EEi.exit.i, %_ZN8__main__5_waitB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE.exit.i, %B50.loopexit.i, %B138.i.i, %B44.if.i.i, %B126.i.i, %B212.i.i, %_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i, %.3
  %.4.0 = phi i64 [ 0, %.3 ], [ 0, %B138.i.i ], [ 2, %_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx.exit.i ], [ 1, %B126.i.i ], [ 1, %B212.i.i ], [ 0, %B44.if.i.i ], [ 0, %B50.loopexit.i ], [ 0, %_ZN8__main__5_waitB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE.exit.i ], [ 0, %_ZN8__main__8_receiveB3v34B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EEi.exit.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.226.i)
  ret i64 %.4.0
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smin.i64(i64, i64) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.bswap.i16(i16) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smax.i64(i64, i64) #2

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #4

attributes #0 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #1 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }

!0 = !{!1, !3}
!1 = distinct !{!1, !2, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!2 = distinct !{!2, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!3 = distinct !{!3, !4, !"_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx: %retptr"}
!4 = distinct !{!4, !"_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx"}
!5 = !{!3}
!6 = !{!7}
!7 = distinct !{!7, !8, !"_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx: %retptr"}
!8 = distinct !{!8, !"_ZN8dropzero10softswitch5ports8gso_code9_segmentsB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx"}
!9 = !{!10}
!10 = distinct !{!10, !11, !"_ZN8dropzero10softswitch5ports8gso_code5_partB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx: %retptr"}
!11 = distinct !{!11, !"_ZN8dropzero10softswitch5ports8gso_code5_partB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx"}
!12 = !{!13, !10}
!13 = distinct !{!13, !14, !"_ZN8dropzero10softswitch5ports8gso_code12_set_lengthsB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!14 = distinct !{!14, !"_ZN8dropzero10softswitch5ports8gso_code12_set_lengthsB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!15 = !{!16, !13, !10}
!16 = distinct !{!16, !17, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!17 = distinct !{!17, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!18 = !{!19, !21, !10}
!19 = distinct !{!19, !20, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!20 = distinct !{!20, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!21 = distinct !{!21, !22, !"_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx: %retptr"}
!22 = distinct !{!22, !"_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx"}
!23 = !{!21, !10}
!24 = !{!25}
!25 = distinct !{!25, !26, !"_ZN8dropzero10softswitch5ports8gso_code11_is_regularB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!26 = distinct !{!26, !"_ZN8dropzero10softswitch5ports8gso_code11_is_regularB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!27 = !{!28, !25}
!28 = distinct !{!28, !29, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!29 = distinct !{!29, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!30 = !{!31, !33, !25}
!31 = distinct !{!31, !32, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29: %retptr"}
!32 = distinct !{!32, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29"}
!33 = distinct !{!33, !34, !"_ZN8dropzero10softswitch5ports8gso_code7_pseudoB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!34 = distinct !{!34, !"_ZN8dropzero10softswitch5ports8gso_code7_pseudoB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!35 = !{!36, !25}
!36 = distinct !{!36, !37, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!37 = distinct !{!37, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!38 = !{!39}
!39 = distinct !{!39, !40, !"_ZN8dropzero10softswitch5ports8gso_code6_alikeB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!40 = distinct !{!40, !"_ZN8dropzero10softswitch5ports8gso_code6_alikeB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!41 = !{!42}
!42 = distinct !{!42, !43, !"_ZN8dropzero10softswitch5ports8gso_code9_put_headB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx: %retptr"}
!43 = distinct !{!43, !"_ZN8dropzero10softswitch5ports8gso_code9_put_headB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx"}
!44 = !{!45, !42}
!45 = distinct !{!45, !46, !"_ZN8dropzero10softswitch5ports8gso_code12_set_lengthsB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!46 = distinct !{!46, !"_ZN8dropzero10softswitch5ports8gso_code12_set_lengthsB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!47 = !{!48, !45, !42}
!48 = distinct !{!48, !49, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!49 = distinct !{!49, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!50 = !{!51, !53, !42}
!51 = distinct !{!51, !52, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29: %retptr"}
!52 = distinct !{!52, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29"}
!53 = distinct !{!53, !54, !"_ZN8dropzero10softswitch5ports8gso_code7_pseudoB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!54 = distinct !{!54, !"_ZN8dropzero10softswitch5ports8gso_code7_pseudoB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!55 = !{!56}
!56 = distinct !{!56, !57, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx24Literal_5bint_5d_2852_29: %retptr"}
!57 = distinct !{!57, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx24Literal_5bint_5d_2852_29"}
!58 = !{!59}
!59 = distinct !{!59, !60, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx: %retptr"}
!60 = distinct !{!60, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx"}
!61 = !{!62}
!62 = distinct !{!62, !63, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx: %retptr"}
!63 = distinct !{!63, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx"}
!64 = !{!65}
!65 = distinct !{!65, !66, !"_ZN8dropzero10softswitch5ports8gso_code11_clear_headB3v21B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %retptr"}
!66 = distinct !{!66, !"_ZN8dropzero10softswitch5ports8gso_code11_clear_headB3v21B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx"}
!67 = !{!68}
!68 = distinct !{!68, !69, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx24Literal_5bint_5d_2810_29: %retptr"}
!69 = distinct !{!69, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx24Literal_5bint_5d_2810_29"}
!70 = !{!71}
!71 = distinct !{!71, !72, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx: %retptr"}
!72 = distinct !{!72, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx"}
!73 = !{!74}
!74 = distinct !{!74, !75, !"_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %retptr"}
!75 = distinct !{!75, !"_ZN8__main__9fast_pathB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx"}
!76 = !{!77, !74}
!77 = distinct !{!77, !78, !"_ZN8__main__5_waitB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE: %retptr"}
!78 = distinct !{!78, !"_ZN8__main__5_waitB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE"}
!79 = !{!80, !82, !77, !74}
!80 = distinct !{!80, !81, !"_ZN8__main__5_readB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE23Literal_5bint_5d_281_29: %retptr"}
!81 = distinct !{!81, !"_ZN8__main__5_readB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE23Literal_5bint_5d_281_29"}
!82 = distinct !{!82, !83, !"_ZN8__main__4_nowB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE: %retptr"}
!83 = distinct !{!83, !"_ZN8__main__4_nowB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE"}
!84 = !{!85, !87, !77, !74}
!85 = distinct !{!85, !86, !"_ZN8__main__5_readB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE23Literal_5bint_5d_281_29: %retptr"}
!86 = distinct !{!86, !"_ZN8__main__5_readB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE23Literal_5bint_5d_281_29"}
!87 = distinct !{!87, !88, !"_ZN8__main__4_nowB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE: %retptr"}
!88 = distinct !{!88, !"_ZN8__main__4_nowB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE"}
!89 = !{!90, !74}
!90 = distinct !{!90, !91, !"_ZN8__main__17_python_is_wantedB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE: %retptr"}
!91 = distinct !{!91, !"_ZN8__main__17_python_is_wantedB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE"}
!92 = !{!93, !74}
!93 = distinct !{!93, !94, !"_ZN8__main__8_receiveB3v34B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EEi: %retptr"}
!94 = distinct !{!94, !"_ZN8__main__8_receiveB3v34B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EEi"}
!95 = !{!96, !98, !74}
!96 = distinct !{!96, !97, !"_ZN8__main__5_readB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE23Literal_5bint_5d_281_29: %retptr"}
!97 = distinct !{!97, !"_ZN8__main__5_readB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE23Literal_5bint_5d_281_29"}
!98 = distinct !{!98, !99, !"_ZN8__main__4_nowB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE: %retptr"}
!99 = distinct !{!99, !"_ZN8__main__4_nowB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE"}
!100 = !{!101, !74}
!101 = distinct !{!101, !102, !"_ZN8__main__5_readB3v35B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE23Literal_5bint_5d_280_29: %retptr"}
!102 = distinct !{!102, !"_ZN8__main__5_readB3v35B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE23Literal_5bint_5d_280_29"}
!103 = !{!104, !74}
!104 = distinct !{!104, !105, !"_ZN8__main__14_python_splitsB3v36B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE: %retptr"}
!105 = distinct !{!105, !"_ZN8__main__14_python_splitsB3v36B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EE"}
!106 = !{!107, !74}
!107 = distinct !{!107, !108, !"_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx: %retptr"}
!108 = distinct !{!108, !"_ZN8__main__8_processB3v37B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx"}
!109 = !{!110, !74}
!110 = distinct !{!110, !111, !"_ZN8__main__5_sendB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx: %retptr"}
!111 = distinct !{!111, !"_ZN8__main__5_sendB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExxx"}
!112 = !{!113, !110, !74}
!113 = distinct !{!113, !114, !"_ZN8__main__10_hand_overB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx: %retptr"}
!114 = distinct !{!114, !"_ZN8__main__10_hand_overB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2055EExx"}
