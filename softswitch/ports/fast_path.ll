; LLVM 22, x86_64-unknown-linux-gnu, sources e65e9121b22f0e5e6afb281792bab37d7315be0cfeb995b44036b660df7e8433
; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define internal fastcc noundef range(i32 0, 2) i32 @_ZN8dropzero10softswitch5ports8gso_code6arriveB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr noalias nonnull writeonly captures(none) %retptr, i64 %arg.at, i64 %arg.count) unnamed_addr #0 {
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
  %.179270.not = icmp slt i64 %arg.count, 1
  br i1 %.179270.not, label %B2104, label %B526.if.lr.ph

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
  %.11.i208 = tail call i64 @llvm.smax.i64(i64 %.11.i, i64 0)
  br label %B916.else.if

B834:                                             ; preds = %B526.if
  %.352 = mul nuw nsw i64 %.120.0272, 72
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
  %rev.i210 = tail call i16 @llvm.bswap.i16(i16 %.515)
  %.543 = getelementptr inbounds nuw i8, ptr %.474, i64 12
  store i16 %rev.i, ptr %.543, align 1
  %.547 = getelementptr inbounds nuw i8, ptr %.474, i64 14
  store i16 %rev.i210, ptr %.547, align 1
  br label %B1352

B1352:                                            ; preds = %B1078, %B916.else.if
  %start.2.1 = phi i64 [ %.409, %B1078 ], [ %.410, %B916.else.if ]
  %summed.2.1 = phi i64 [ %.460, %B1078 ], [ %.428, %B916.else.if ]
  %size.2.1 = phi i64 [ %.456, %B1078 ], [ %.423, %B916.else.if ]
  %.561 = add nsw i64 %start.2.1, %.62
  %.569 = getelementptr inbounds nuw i8, ptr %.223, i64 48
  %.571 = load i32, ptr %.569, align 1
  %0 = and i32 %.571, 32
  %.574.not = icmp eq i32 %0, 0
  br i1 %.574.not, label %B1402, label %B2056

B1402:                                            ; preds = %B1352
  %.582 = getelementptr inbounds nuw i8, ptr %.227, i64 1
  %.583 = load i8, ptr %.582, align 1
  %.585 = icmp eq i8 %.583, 0
  br i1 %.585, label %B1434, label %B1644

B1434:                                            ; preds = %B1402
  %.592 = getelementptr inbounds nuw i8, ptr %.227, i64 8
  %.594 = load i16, ptr %.592, align 1
  %.595 = zext i16 %.594 to i64
  %.597 = add nuw nsw i64 %summed.2.1, %.595
  %.603 = load i8, ptr %.227, align 1
  %1 = and i8 %.603, 1
  %.608.not = icmp eq i8 %1, 0
  %.611 = add nuw nsw i64 %.597, 2
  %.613.not = icmp sgt i64 %.611, %size.2.1
  %or.cond = select i1 %.608.not, i1 true, i1 %.613.not
  br i1 %or.cond, label %B1580, label %B1528

B1528:                                            ; preds = %B1434
  %.618 = add nsw i64 %.561, %summed.2.1
  %.621 = sub nsw i64 %size.2.1, %summed.2.1
  %.626 = add nsw i64 %.597, %.561
  %.14.i.i = ashr i64 %.621, 2
  %.9658.not.i.i = icmp slt i64 %.14.i.i, 1
  br i1 %.9658.not.i.i, label %B110.i.i, label %B44.if.lr.ph.i.i

B44.if.lr.ph.i.i:                                 ; preds = %B1528
  %.135.i.i = inttoptr i64 %.618 to ptr
  br label %B44.if.i.i

B110.i.i:                                         ; preds = %B44.if.i.i, %B1528
  %total.4.0.lcssa.i.i = phi i64 [ 0, %B1528 ], [ %.142.i.i, %B44.if.i.i ]
  %.155.i.i = and i64 %.621, 2
  %.156.not.i.i = icmp eq i64 %.155.i.i, 0
  br i1 %.156.not.i.i, label %B192.i.i, label %B120.i.i

B120.i.i:                                         ; preds = %B110.i.i
  %.159.i.i = and i64 %.621, -4
  %.161.i.i = add nsw i64 %.159.i.i, %.618
  %.162.i.i = inttoptr i64 %.161.i.i to ptr
  %.166.i.i = load i16, ptr %.162.i.i, align 1, !noalias !0
  %.168.i.i = zext i16 %.166.i.i to i64
  %.169.i.i = add nuw nsw i64 %total.4.0.lcssa.i.i, %.168.i.i
  br label %B192.i.i

B192.i.i:                                         ; preds = %B120.i.i, %B110.i.i
  %total.5.0.i.i = phi i64 [ %.169.i.i, %B120.i.i ], [ %total.4.0.lcssa.i.i, %B110.i.i ]
  %.182.i.i = and i64 %.621, 1
  %.183.not.i.i = icmp eq i64 %.182.i.i, 0
  br i1 %.183.not.i.i, label %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit, label %B202.i.i

B202.i.i:                                         ; preds = %B192.i.i
  %.186.i.i = and i64 %.621, -2
  %.190.i.i = add nsw i64 %.186.i.i, %.618
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
  %2 = and i64 %.10.i.i, 65535
  %.136.i10.i = ashr i64 %.10.i.i, 16
  %.137.i.i = add nsw i64 %2, %.136.i10.i
  %3 = and i64 %.137.i.i, 65535
  %.136.1.i.i = ashr i64 %.137.i.i, 16
  %.137.1.i.i = add nsw i64 %3, %.136.1.i.i
  %4 = and i64 %.137.1.i.i, 65535
  %.136.2.i.i = ashr i64 %.137.1.i.i, 16
  %.137.2.i.i = add nsw i64 %4, %.136.2.i.i
  %.66.not.i = icmp eq i64 %.137.2.i.i, 65535
  %5 = trunc i64 %.137.2.i.i to i16
  %6 = xor i16 %5, -1
  %"$phi78.0.2.0.i" = select i1 %.66.not.i, i16 -1, i16 %6
  %.81.i = inttoptr i64 %.626 to ptr
  store i16 %"$phi78.0.2.0.i", ptr %.81.i, align 1, !noalias !5
  br label %B1580

B1580:                                            ; preds = %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit, %B1434
  %.664 = getelementptr i32, ptr %.20, i64 %.120.0272
  %.665 = load i32, ptr %.664, align 4
  %.669 = getelementptr i64, ptr %.31, i64 %made.2.0274
  store i64 %start.2.1, ptr %.669, align 8
  %.676 = trunc i64 %size.2.1 to i32
  %.677 = getelementptr i32, ptr %.36, i64 %made.2.0274
  store i32 %.676, ptr %.677, align 4
  %.683 = getelementptr i32, ptr %.47, i64 %made.2.0274
  store i32 %.665, ptr %.683, align 4
  %.688 = getelementptr i64, ptr %.52, i64 %made.2.0274
  store i64 %.369.0, ptr %.688, align 8
  br label %B2056

B1644:                                            ; preds = %B1402
  %.710 = load i8, ptr %.227, align 1
  %7 = and i8 %.710, 1
  %.713.not = icmp eq i8 %7, 0
  br i1 %.713.not, label %B2056, label %B1674

B1674:                                            ; preds = %B1644
  %.19.i = icmp samesign ugt i64 %summed.2.1, 14
  br i1 %.19.i, label %B20.i, label %B212.i

B20.i:                                            ; preds = %B1674
  %.33.i = add nsw i64 %.561, 12
  %.34.i = inttoptr i64 %.33.i to ptr
  %.38.i = load i16, ptr %.34.i, align 1, !noalias !6
  switch i16 %.38.i, label %B212.i [
    i16 -22392, label %B100.preheader.i
    i16 129, label %B100.preheader.i
  ]

B100.preheader.i:                                 ; preds = %B20.i, %B20.i
  %.9868.i = icmp samesign ugt i64 %summed.2.1, 18
  br i1 %.9868.i, label %B132.lr.ph.i, label %B212.i

B132.lr.ph.i:                                     ; preds = %B100.preheader.i
  %.108.i = add i64 %.561, -2
  br label %B132.i

B132.i:                                           ; preds = %B100.backedge.i, %B132.lr.ph.i
  %.8769.i = phi i64 [ 18, %B132.lr.ph.i ], [ %.87.i, %B100.backedge.i ]
  %.111.i = add i64 %.108.i, %.8769.i
  %.112.i = inttoptr i64 %.111.i to ptr
  %.116.i = load i16, ptr %.112.i, align 1, !noalias !6
  switch i16 %.116.i, label %B212.i [
    i16 -22392, label %B100.backedge.i
    i16 129, label %B100.backedge.i
  ]

B100.backedge.i:                                  ; preds = %B132.i, %B132.i
  %.87.i = add nuw nsw i64 %.8769.i, 4
  %.98.i = icmp samesign ult i64 %.87.i, %summed.2.1
  br i1 %.98.i, label %B132.i, label %B212.i

B212.i:                                           ; preds = %B100.backedge.i, %B132.i, %B100.preheader.i, %B20.i, %B1674
  %network.3.1.i = phi i64 [ 14, %B20.i ], [ 14, %B1674 ], [ 18, %B100.preheader.i ], [ %.8769.i, %B132.i ], [ %.87.i, %B100.backedge.i ]
  %.172.i = sub nsw i64 %summed.2.1, %network.3.1.i
  %.173.i = icmp slt i64 %.172.i, 20
  br i1 %.173.i, label %B1674.endif, label %B244.i

B244.i:                                           ; preds = %B212.i
  %.185.i = add nsw i64 %network.3.1.i, %.561
  %.186.i = add nsw i64 %.185.i, -2
  %.187.i = inttoptr i64 %.186.i to ptr
  %.191.i = load i16, ptr %.187.i, align 1, !noalias !6
  %.200.i = inttoptr i64 %.185.i to ptr
  %.203.i = load i8, ptr %.200.i, align 1, !noalias !6
  switch i16 %.191.i, label %B514.i [
    i16 8, label %B392.else.if.i
    i16 -8826, label %B464.i
  ]

B464.i:                                           ; preds = %B244.i
  %.mask.old.i = and i8 %.203.i, -16
  %.328.old.i = icmp eq i8 %.mask.old.i, 96
  %.335.old.i = icmp sgt i64 %.172.i, 39
  %or.cond63.i = and i1 %.335.old.i, %.328.old.i
  br i1 %or.cond63.i, label %B1674.endif, label %B514.i

B514.i:                                           ; preds = %B392.else.if.i, %B464.i, %B244.i
  br label %B1674.endif

B392.else.if.i:                                   ; preds = %B244.i
  %.23261.i = lshr i64 %.172.i, 2
  %.254.i = or i64 %.23261.i, 64
  %.256.i = zext i8 %.203.i to i64
  %.257.i = icmp eq i64 %.254.i, %.256.i
  %.281.i = and i64 %.172.i, 3
  %.302.not.i = icmp eq i64 %.281.i, 0
  %or.cond64.i = and i1 %.302.not.i, %.257.i
  br i1 %or.cond64.i, label %B1674.endif, label %B514.i

B2056:                                            ; preds = %B1910.if, %_ZN8dropzero10softswitch5ports8gso_code5_partB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit, %B1352, %B1644, %B1580
  %parts.3.2 = phi i64 [ 1, %B1580 ], [ 0, %B1352 ], [ 0, %B1644 ], [ 0, %_ZN8dropzero10softswitch5ports8gso_code5_partB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit ], [ %storemerge.i, %B1910.if ]
  %.1076 = trunc nuw nsw i64 %parts.3.2 to i32
  %.1077 = getelementptr i32, ptr %.15, i64 %.120.0272
  store i32 %.1076, ptr %.1077, align 4
  %.1082 = getelementptr inbounds nuw i8, ptr %.223, i64 40
  store i64 72, ptr %.1082, align 1
  %.1089 = add nuw nsw i64 %parts.3.2, %made.2.0274
  %exitcond276.not = icmp eq i64 %.192, %arg.count
  br i1 %exitcond276.not, label %B2104, label %B526.if

B2104:                                            ; preds = %B2056, %entry
  %made.2.0.lcssa = phi i64 [ 0, %entry ], [ %.1089, %B2056 ]
  store i64 %made.2.0.lcssa, ptr %retptr, align 8
  ret i32 0

B526.if:                                          ; preds = %B526.if.lr.ph, %B2056
  %made.2.0274 = phi i64 [ 0, %B526.if.lr.ph ], [ %.1089, %B2056 ]
  %.120.0272 = phi i64 [ 0, %B526.if.lr.ph ], [ %.192, %B2056 ]
  %.192 = add nuw nsw i64 %.120.0272, 1
  %.223 = getelementptr [64 x i8], ptr %.222, i64 %.120.0272
  %.227 = getelementptr [10 x i8], ptr %.226, i64 %.120.0272
  %.237 = getelementptr [72 x i8], ptr %.236, i64 %.120.0272
  %.244 = load i64, ptr %.242, align 1
  %.248 = load i64, ptr %.246, align 1
  %.249 = sub nsw i64 %.244, %.248
  %.254 = getelementptr inbounds nuw i8, ptr %.237, i64 12
  %.256 = load i32, ptr %.254, align 1
  %.258 = icmp eq i32 %.256, 35
  br i1 %.258, label %B724, label %B834

B916.else.if:                                     ; preds = %B724, %B834
  %auxiliary.2.1 = phi ptr [ %.237, %B724 ], [ %.356, %B834 ]
  %arrived.2.1 = phi i64 [ %.11.i208, %B724 ], [ %.249, %B834 ]
  %.380 = sdiv i64 %arrived.2.1, 1000
  %.381 = srem i64 %arrived.2.1, 1000
  %.381.lobit = ashr i64 %.381, 63
  %.369.0 = add nsw i64 %.381.lobit, %.380
  %.409 = mul nsw i64 %.120.0272, %.66
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
  %8 = and i32 %.446, 16
  %.449.not = icmp eq i32 %8, 0
  br i1 %.449.not, label %B1352, label %B1078

B1674.endif:                                      ; preds = %B212.i, %B392.else.if.i, %B514.i, %B464.i
  %.720.0 = phi i64 [ 0, %B212.i ], [ %network.3.1.i, %B392.else.if.i ], [ 0, %B514.i ], [ %network.3.1.i, %B464.i ]
  switch i8 %.583, label %B1674.endif.endif [
    i8 5, label %B36.i
    i8 -124, label %B148.i
    i8 -127, label %B148.i
    i8 4, label %B148.i
    i8 1, label %B148.i
  ]

B36.i:                                            ; preds = %B1674.endif
  %.23.i = getelementptr inbounds nuw i8, ptr %.227, i64 8
  %.25.i = load i16, ptr %.23.i, align 1, !noalias !9
  %.27.i = icmp eq i16 %.25.i, 6
  %.36.i = add nuw nsw i64 %summed.2.1, 8
  %spec.select = select i1 %.27.i, i64 %.36.i, i64 0
  br label %B1674.endif.endif

B148.i:                                           ; preds = %B1674.endif, %B1674.endif, %B1674.endif, %B1674.endif
  %.92.i = getelementptr inbounds nuw i8, ptr %.227, i64 8
  %.94.i = load i16, ptr %.92.i, align 1, !noalias !9
  %.98.i212 = icmp ne i16 %.94.i, 16
  %.101.i = add nuw nsw i64 %summed.2.1, 20
  %.103.i = icmp sgt i64 %.101.i, %size.2.1
  %or.cond266 = select i1 %.98.i212, i1 true, i1 %.103.i
  br i1 %or.cond266, label %B1674.endif.endif, label %B212.i213

B212.i213:                                        ; preds = %B148.i
  %.115.i = add i64 %.561, 12
  %.118.i = add i64 %.115.i, %summed.2.1
  %.119.i = inttoptr i64 %.118.i to ptr
  %.122.i = load i8, ptr %.119.i, align 1, !noalias !9
  %.130.i = icmp ugt i8 %.122.i, 79
  %9 = lshr i8 %.122.i, 2
  %10 = and i8 %9, 60
  %.125.i = zext nneg i8 %10 to i64
  %.134.i = add nuw nsw i64 %summed.2.1, %.125.i
  %"$phi350.0.2.0.i" = select i1 %.130.i, i64 %.134.i, i64 0
  br label %B1674.endif.endif

B1674.endif.endif:                                ; preds = %B36.i, %B212.i213, %B148.i, %B1674.endif
  %.749.0 = phi i64 [ %spec.select, %B36.i ], [ 0, %B1674.endif ], [ %"$phi350.0.2.0.i", %B212.i213 ], [ 0, %B148.i ]
  %.777 = getelementptr inbounds nuw i8, ptr %.227, i64 4
  %.779 = load i16, ptr %.777, align 1
  %.782 = zext i16 %.779 to i64
  %.790 = mul nsw i64 %.192, %.66
  %.792 = sub nsw i64 %.790, %start.2.1
  %.16.i = sub nsw i64 %size.2.1, %.749.0
  %.20.i = icmp eq i64 %.720.0, 0
  %.23.i214 = icmp eq i64 %.749.0, 0
  %or.cond.not29.i = select i1 %.20.i, i1 true, i1 %.23.i214
  %.26.i = icmp slt i64 %.16.i, 1
  %or.cond1.i = select i1 %or.cond.not29.i, i1 true, i1 %.26.i
  %.29.i = icmp eq i16 %.779, 0
  %or.cond2.i = select i1 %or.cond1.i, i1 true, i1 %.29.i
  br i1 %or.cond2.i, label %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit, label %B50.i

B50.i:                                            ; preds = %B1674.endif.endif
  %.43.i = add nsw i64 %.16.i, -1
  %.44.i = add nuw nsw i64 %.43.i, %.782
  %11 = or i64 %.44.i, %.782
  %12 = icmp slt i64 %11, 4294967296
  br i1 %12, label %13, label %18

B94.i:                                            ; preds = %B50.else.if.else.i
  %.96.i = mul nuw nsw i64 %20, %.749.0
  %.100.i = add nuw nsw i64 %.96.i, %.16.i
  %.104.not.i = icmp sgt i64 %.100.i, %.792
  br i1 %.104.not.i, label %B122.i, label %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit

B122.i:                                           ; preds = %B50.else.if.else.i, %B94.i
  br label %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit

13:                                               ; preds = %B50.i
  %14 = zext i16 %.779 to i32
  %15 = trunc i64 %.44.i to i32
  %16 = udiv i32 %15, %14
  %17 = zext i32 %16 to i64
  br label %B50.else.if.else.i

18:                                               ; preds = %B50.i
  %19 = udiv i64 %.44.i, %.782
  br label %B50.else.if.else.i

B50.else.if.else.i:                               ; preds = %18, %13
  %20 = phi i64 [ %17, %13 ], [ %19, %18 ]
  %.92.i215 = icmp slt i64 %20, 129
  br i1 %.92.i215, label %B94.i, label %B122.i

_ZN8dropzero10softswitch5ports8gso_code9_segmentsB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit: ; preds = %B1674.endif.endif, %B94.i, %B122.i
  %storemerge.i = phi i64 [ 0, %B1674.endif.endif ], [ 0, %B122.i ], [ %20, %B94.i ]
  %.26.not.i = icmp eq i64 %storemerge.i, 0
  br i1 %.26.not.i, label %_ZN8dropzero10softswitch5ports8gso_code5_partB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit, label %B12.i

B12.i:                                            ; preds = %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit
  %.51.i = sub nsw i64 %.749.0, %summed.2.1
  %.60.i = add nsw i64 %.720.0, %.561
  %.61.i = inttoptr i64 %.60.i to ptr
  %.64.i = load i8, ptr %.61.i, align 1, !noalias !12
  %.mask.i = and i8 %.64.i, -16
  %.69.i = icmp eq i8 %.mask.i, 64
  %.74.not.i = icmp eq i64 %.51.i, 8
  %..i = select i1 %.74.not.i, i64 6, i64 16
  %.93.i = add nuw nsw i64 %..i, %summed.2.1
  %.105.i = add nsw i64 %.60.i, 4
  %.106.i = inttoptr i64 %.105.i to ptr
  %.110.i = load i16, ptr %.106.i, align 1, !noalias !12
  %rev.i.i = tail call i16 @llvm.bswap.i16(i16 %.110.i)
  %.144.i = add nuw nsw i64 %summed.2.1, 4
  %.145.i = add i64 %.144.i, %.561
  %.146.i = inttoptr i64 %.145.i to ptr
  %.150.i = load i32, ptr %.146.i, align 1, !noalias !12
  %rev.i156.i = tail call i32 @llvm.bswap.i32(i32 %.150.i)
  %.181.i = add nsw i64 %.93.i, %.561
  %.182.i = inttoptr i64 %.181.i to ptr
  %.186.i216 = load i16, ptr %.182.i, align 1, !noalias !12
  %.191.i217 = sub nsw i64 %size.2.1, %summed.2.1
  %trunc.i.i = trunc i64 %.191.i217 to i16
  %.187.i218 = zext i16 %.186.i216 to i64
  %21 = xor i16 %trunc.i.i, -1
  %22 = tail call i16 @llvm.bswap.i16(i16 %21)
  %.216.i = zext i16 %22 to i64
  %.217.i = add nuw nsw i64 %.187.i218, %.216.i
  %.402.i = add nsw i64 %.749.0, %.561
  %.414.i = inttoptr i64 %.561 to ptr
  %.419.i = sub nsw i64 %.749.0, %.720.0
  %.612.i = add i64 %.720.0, 4
  %.520.i = sub nsw i64 %summed.2.1, %.720.0
  %.14.i.i219 = ashr i64 %.520.i, 2
  %.9658.not.i.i220 = icmp slt i64 %.14.i.i219, 1
  %.155.i.i221 = and i64 %.520.i, 2
  %.156.not.i.i222 = icmp eq i64 %.155.i.i221, 0
  %.159.i.i223 = and i64 %.520.i, -4
  %.182.i.i224 = and i64 %.520.i, 1
  %.183.not.i.i225 = icmp eq i64 %.182.i.i224, 0
  %.186.i.i226 = and i64 %.520.i, -2
  br label %B564.if.i

B760.i:                                           ; preds = %B564.if.i
  %rev.i160.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i159.i)
  %.457.i = add nsw i64 %.393.i, %.720.0
  %.458.i = add nsw i64 %.457.i, 2
  %.459.i = inttoptr i64 %.458.i to ptr
  store i16 %rev.i160.i, ptr %.459.i, align 1, !noalias !12
  %23 = trunc i64 %.342.i to i16
  %trunc.i162.i = add i16 %rev.i.i, %23
  %rev.i163.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i162.i)
  %.496.i = add nsw i64 %.457.i, 4
  %.497.i = inttoptr i64 %.496.i to ptr
  store i16 %rev.i163.i, ptr %.497.i, align 1, !noalias !12
  %.506.i = add nsw i64 %.457.i, 10
  %.507.i = inttoptr i64 %.506.i to ptr
  store i16 0, ptr %.507.i, align 1, !noalias !12
  br i1 %.9658.not.i.i220, label %B110.i.i238, label %B44.if.lr.ph.i.i227

B44.if.lr.ph.i.i227:                              ; preds = %B760.i
  %.135.i.i228 = inttoptr i64 %.457.i to ptr
  br label %B44.if.i.i229

B110.i.i238:                                      ; preds = %B44.if.i.i229, %B760.i
  %total.4.0.lcssa.i.i239 = phi i64 [ 0, %B760.i ], [ %.142.i.i236, %B44.if.i.i229 ]
  br i1 %.156.not.i.i222, label %B192.i.i246, label %B120.i.i240

B120.i.i240:                                      ; preds = %B110.i.i238
  %.161.i.i241 = add nsw i64 %.457.i, %.159.i.i223
  %.162.i.i242 = inttoptr i64 %.161.i.i241 to ptr
  %.166.i.i243 = load i16, ptr %.162.i.i242, align 1, !noalias !15
  %.168.i.i244 = zext i16 %.166.i.i243 to i64
  %.169.i.i245 = add nuw nsw i64 %total.4.0.lcssa.i.i239, %.168.i.i244
  br label %B192.i.i246

B192.i.i246:                                      ; preds = %B120.i.i240, %B110.i.i238
  %total.5.0.i.i247 = phi i64 [ %.169.i.i245, %B120.i.i240 ], [ %total.4.0.lcssa.i.i239, %B110.i.i238 ]
  br i1 %.183.not.i.i225, label %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit.i, label %B202.i.i248

B202.i.i248:                                      ; preds = %B192.i.i246
  %.190.i.i249 = add nsw i64 %.457.i, %.186.i.i226
  %.193.i.i250 = inttoptr i64 %.190.i.i249 to ptr
  %.196.i.i251 = load i8, ptr %.193.i.i250, align 1, !noalias !15
  %.198.i.i252 = zext i8 %.196.i.i251 to i64
  %.199.i.i253 = add nsw i64 %total.5.0.i.i247, %.198.i.i252
  br label %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit.i

B44.if.i.i229:                                    ; preds = %B44.if.i.i229, %B44.if.lr.ph.i.i227
  %total.4.061.i.i230 = phi i64 [ 0, %B44.if.lr.ph.i.i227 ], [ %.142.i.i236, %B44.if.i.i229 ]
  %.38.059.i.i231 = phi i64 [ 0, %B44.if.lr.ph.i.i227 ], [ %.109.i.i232, %B44.if.i.i229 ]
  %.109.i.i232 = add nuw nsw i64 %.38.059.i.i231, 1
  %.136.i.i233 = getelementptr [4 x i8], ptr %.135.i.i228, i64 %.38.059.i.i231
  %.139.i.i234 = load i32, ptr %.136.i.i233, align 1, !noalias !15
  %.141.i.i235 = zext i32 %.139.i.i234 to i64
  %.142.i.i236 = add nuw nsw i64 %total.4.061.i.i230, %.141.i.i235
  %exitcond.not.i.i237 = icmp eq i64 %.109.i.i232, %.14.i.i219
  br i1 %exitcond.not.i.i237, label %B110.i.i238, label %B44.if.i.i229

_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit.i: ; preds = %B202.i.i248, %B192.i.i246
  %total.6.0.i.i254 = phi i64 [ %.199.i.i253, %B202.i.i248 ], [ %total.5.0.i.i247, %B192.i.i246 ]
  %.5.i.i255 = and i64 %total.6.0.i.i254, 4294967295
  %.6.i.i256 = ashr i64 %total.6.0.i.i254, 32
  %.7.i.i257 = add nsw i64 %.5.i.i255, %.6.i.i256
  %.8.i.i258 = and i64 %.7.i.i257, 4294967295
  %.9.i165.i = ashr i64 %.7.i.i257, 32
  %.10.i.i259 = add nsw i64 %.8.i.i258, %.9.i165.i
  %24 = and i64 %.10.i.i259, 65535
  %.136.i166.i = ashr i64 %.10.i.i259, 16
  %.137.i.i260 = add nsw i64 %24, %.136.i166.i
  %25 = and i64 %.137.i.i260, 65535
  %.136.1.i.i261 = ashr i64 %.137.i.i260, 16
  %.137.1.i.i262 = add nsw i64 %25, %.136.1.i.i261
  %.136.2.i.i263 = lshr i64 %.137.1.i.i262, 16
  %.137.2.i.i264 = add nsw i64 %.136.2.i.i263, %.137.1.i.i262
  %26 = trunc i64 %.137.2.i.i264 to i16
  %.576.i = xor i16 %26, -1
  store i16 %.576.i, ptr %.507.i, align 1, !noalias !12
  br label %B1268.i

B1160.i:                                          ; preds = %B564.if.i
  %trunc.i167.i = add i16 %trunc.i159.i, -40
  %rev.i168.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i167.i)
  %.613.i = add i64 %.612.i, %.393.i
  %.614.i = inttoptr i64 %.613.i to ptr
  store i16 %rev.i168.i, ptr %.614.i, align 1, !noalias !12
  br label %B1268.i

B1268.i:                                          ; preds = %B1160.i, %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit.i
  br i1 %.74.not.i, label %B1550.i, label %B1272.i

B1272.i:                                          ; preds = %B1268.i
  %27 = trunc i64 %.348.i to i32
  %trunc.i170.i = add i32 %rev.i156.i, %27
  %rev.i171.i = tail call i32 @llvm.bswap.i32(i32 %trunc.i170.i)
  %.655.i = add nsw i64 %.393.i, %summed.2.1
  %.656.i = add nsw i64 %.655.i, 4
  %.657.i = inttoptr i64 %.656.i to ptr
  store i32 %rev.i171.i, ptr %.657.i, align 1, !noalias !12
  %.666.i = add nsw i64 %.655.i, 13
  %.667.i = inttoptr i64 %.666.i to ptr
  %.675.not.i = icmp eq i64 %.245.0193.i, 0
  br i1 %.675.not.i, label %B1494.i, label %B1444.i

B1444.i:                                          ; preds = %B1272.i
  %.679.i = load i8, ptr %.667.i, align 1, !noalias !12
  %28 = and i8 %.679.i, -10
  store i8 %28, ptr %.667.i, align 1, !noalias !12
  br label %B1494.i

B1494.i:                                          ; preds = %B1444.i, %B1272.i
  %.690.not.i = icmp eq i64 %.342.i, 0
  br i1 %.690.not.i, label %B1648.i, label %B1498.i

B1498.i:                                          ; preds = %B1494.i
  %.696.i = load i8, ptr %.667.i, align 1, !noalias !12
  %29 = and i8 %.696.i, 127
  store i8 %29, ptr %.667.i, align 1, !noalias !12
  br label %B1648.i

B1550.i:                                          ; preds = %B1268.i
  %30 = trunc i64 %.11.i.i to i16
  %trunc.i173.i = add i16 %30, 8
  %rev.i174.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i173.i)
  %.746.i = add i64 %.393.i, %.144.i
  %.747.i = inttoptr i64 %.746.i to ptr
  store i16 %rev.i174.i, ptr %.747.i, align 1, !noalias !12
  br label %B1648.i

B1648.i:                                          ; preds = %B1550.i, %B1498.i, %B1494.i
  %.758.i = add nsw i64 %.11.i.i, %.51.i
  %trunc.i176.i = trunc i64 %.758.i to i16
  %rev.i177.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i176.i)
  %.9.i178.i = zext i16 %rev.i177.i to i64
  %.784.i = add nuw nsw i64 %.217.i, %.9.i178.i
  %31 = and i64 %.784.i, 65535
  %.136.i185.i = lshr i64 %.784.i, 16
  %.137.i186.i = add nuw nsw i64 %31, %.136.i185.i
  %32 = and i64 %.137.i186.i, 65535
  %.136.1.i187.i = lshr i64 %.137.i186.i, 16
  %.137.1.i188.i = add nuw nsw i64 %32, %.136.1.i187.i
  %.136.2.i189.i = lshr i64 %.137.1.i188.i, 16
  %.137.2.i190.i = add nuw nsw i64 %.136.2.i189.i, %.137.1.i188.i
  %.811.i = add nsw i64 %.393.i, %.93.i
  %.812.i = inttoptr i64 %.811.i to ptr
  %.814.i = trunc i64 %.137.2.i190.i to i16
  store i16 %.814.i, ptr %.812.i, align 1, !noalias !12
  %.821.i = add nsw i64 %.393.i, %summed.2.1
  %.14.i.i.i = ashr i64 %.758.i, 2
  %.9658.not.i.i.i = icmp slt i64 %.14.i.i.i, 1
  br i1 %.9658.not.i.i.i, label %B110.i.i.i, label %B44.if.lr.ph.i.i.i

B44.if.lr.ph.i.i.i:                               ; preds = %B1648.i
  %.135.i.i.i = inttoptr i64 %.821.i to ptr
  br label %B44.if.i.i.i

B110.i.i.i:                                       ; preds = %B44.if.i.i.i, %B1648.i
  %total.4.0.lcssa.i.i.i = phi i64 [ 0, %B1648.i ], [ %.142.i.i.i, %B44.if.i.i.i ]
  %.155.i.i.i = and i64 %.758.i, 2
  %.156.not.i.i.i = icmp eq i64 %.155.i.i.i, 0
  br i1 %.156.not.i.i.i, label %B192.i.i.i, label %B120.i.i.i

B120.i.i.i:                                       ; preds = %B110.i.i.i
  %.159.i.i.i = and i64 %.758.i, -4
  %.161.i.i.i = add nsw i64 %.159.i.i.i, %.821.i
  %.162.i.i.i = inttoptr i64 %.161.i.i.i to ptr
  %.166.i.i.i = load i16, ptr %.162.i.i.i, align 1, !noalias !18
  %.168.i.i.i = zext i16 %.166.i.i.i to i64
  %.169.i.i.i = add nuw nsw i64 %total.4.0.lcssa.i.i.i, %.168.i.i.i
  br label %B192.i.i.i

B192.i.i.i:                                       ; preds = %B120.i.i.i, %B110.i.i.i
  %total.5.0.i.i.i = phi i64 [ %.169.i.i.i, %B120.i.i.i ], [ %total.4.0.lcssa.i.i.i, %B110.i.i.i ]
  %.182.i.i.i = and i64 %.758.i, 1
  %.183.not.i.i.i = icmp eq i64 %.182.i.i.i, 0
  br i1 %.183.not.i.i.i, label %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i, label %B202.i.i.i

B202.i.i.i:                                       ; preds = %B192.i.i.i
  %.186.i.i.i = and i64 %.758.i, -2
  %.190.i.i.i = add nsw i64 %.186.i.i.i, %.821.i
  %.193.i.i.i = inttoptr i64 %.190.i.i.i to ptr
  %.196.i.i.i = load i8, ptr %.193.i.i.i, align 1, !noalias !18
  %.198.i.i.i = zext i8 %.196.i.i.i to i64
  %.199.i.i.i = add nsw i64 %total.5.0.i.i.i, %.198.i.i.i
  br label %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i

B44.if.i.i.i:                                     ; preds = %B44.if.i.i.i, %B44.if.lr.ph.i.i.i
  %total.4.061.i.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i.i ], [ %.142.i.i.i, %B44.if.i.i.i ]
  %.38.059.i.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i.i ], [ %.109.i.i.i, %B44.if.i.i.i ]
  %.109.i.i.i = add nuw nsw i64 %.38.059.i.i.i, 1
  %.136.i.i.i = getelementptr [4 x i8], ptr %.135.i.i.i, i64 %.38.059.i.i.i
  %.139.i.i.i = load i32, ptr %.136.i.i.i, align 1, !noalias !18
  %.141.i.i.i = zext i32 %.139.i.i.i to i64
  %.142.i.i.i = add nuw nsw i64 %total.4.061.i.i.i, %.141.i.i.i
  %exitcond.not.i.i.i = icmp eq i64 %.109.i.i.i, %.14.i.i.i
  br i1 %exitcond.not.i.i.i, label %B110.i.i.i, label %B44.if.i.i.i

_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i: ; preds = %B202.i.i.i, %B192.i.i.i
  %total.6.0.i.i.i = phi i64 [ %.199.i.i.i, %B202.i.i.i ], [ %total.5.0.i.i.i, %B192.i.i.i ]
  %.5.i.i.i = and i64 %total.6.0.i.i.i, 4294967295
  %.6.i.i.i = ashr i64 %total.6.0.i.i.i, 32
  %.7.i.i.i = add nsw i64 %.5.i.i.i, %.6.i.i.i
  %.8.i.i.i = and i64 %.7.i.i.i, 4294967295
  %.9.i.i.i = ashr i64 %.7.i.i.i, 32
  %.10.i.i.i = add nsw i64 %.8.i.i.i, %.9.i.i.i
  %33 = and i64 %.10.i.i.i, 65535
  %.136.i10.i.i = ashr i64 %.10.i.i.i, 16
  %.137.i.i.i = add nsw i64 %33, %.136.i10.i.i
  %34 = and i64 %.137.i.i.i, 65535
  %.136.1.i.i.i = ashr i64 %.137.i.i.i, 16
  %.137.1.i.i.i = add nsw i64 %34, %.136.1.i.i.i
  %35 = and i64 %.137.1.i.i.i, 65535
  %.136.2.i.i.i = ashr i64 %.137.1.i.i.i, 16
  %.137.2.i.i.i = add nsw i64 %35, %.136.2.i.i.i
  %.66.not.i.i = icmp eq i64 %.137.2.i.i.i, 65535
  %36 = trunc i64 %.137.2.i.i.i to i16
  %37 = xor i16 %36, -1
  %"$phi78.0.2.0.i.i" = select i1 %.66.not.i.i, i16 -1, i16 %37
  store i16 %"$phi78.0.2.0.i.i", ptr %.812.i, align 1, !noalias !23
  %exitcond.not.i = icmp eq i64 %storemerge.i, %.315.i
  br i1 %exitcond.not.i, label %_ZN8dropzero10softswitch5ports8gso_code5_partB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit, label %B564.if.i

B564.if.i:                                        ; preds = %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i, %B12.i
  %.245.0193.i = phi i64 [ 0, %B12.i ], [ %.315.i, %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i ]
  %.315.i = add nuw nsw i64 %.245.0193.i, 1
  %38 = xor i64 %.245.0193.i, -1
  %.342.i = add i64 %storemerge.i, %38
  %.348.i = mul nsw i64 %.342.i, %.782
  %39 = add i64 %.749.0, %.348.i
  %.354.i = sub i64 %size.2.1, %39
  %.11.i.i = tail call i64 @llvm.smin.i64(i64 %.354.i, i64 range(i64 0, 65536) %.782)
  %.389.i = add nsw i64 %.348.i, %.561
  %.392.i = mul nsw i64 %.342.i, %.749.0
  %.393.i = add nsw i64 %.389.i, %.392.i
  %.399.i = add nsw i64 %.393.i, %.749.0
  %.404.i = add nsw i64 %.402.i, %.348.i
  %.406.i = inttoptr i64 %.399.i to ptr
  %.407.i = inttoptr i64 %.404.i to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %.406.i, ptr align 1 %.407.i, i64 %.11.i.i, i1 false), !noalias !12
  %.413.i = inttoptr i64 %.393.i to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %.413.i, ptr align 1 %.414.i, i64 %.749.0, i1 false), !noalias !12
  %.421.i = add nsw i64 %.11.i.i, %.419.i
  %trunc.i159.i = trunc i64 %.421.i to i16
  br i1 %.69.i, label %B760.i, label %B1160.i

_ZN8dropzero10softswitch5ports8gso_code5_partB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit: ; preds = %_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i, %_ZN8dropzero10softswitch5ports8gso_code9_segmentsB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit
  %.941267.not = icmp slt i64 %storemerge.i, 1
  br i1 %.941267.not, label %B2056, label %B1910.if.lr.ph

B1910.if.lr.ph:                                   ; preds = %_ZN8dropzero10softswitch5ports8gso_code5_partB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit
  %.983 = add nuw nsw i64 %.749.0, %.782
  %.1035 = getelementptr i32, ptr %.20, i64 %.120.0272
  br label %B1910.if

B1910.if:                                         ; preds = %B1910.if.lr.ph, %B1910.if
  %.882.0268 = phi i64 [ 0, %B1910.if.lr.ph ], [ %.954, %B1910.if ]
  %.954 = add nuw nsw i64 %.882.0268, 1
  %.984 = mul nsw i64 %.882.0268, %.983
  %.986 = add nsw i64 %.984, %start.2.1
  %.988 = add nuw nsw i64 %.882.0268, %made.2.0274
  %.990 = getelementptr i64, ptr %.31, i64 %.988
  store i64 %.986, ptr %.990, align 8
  %.996 = mul nuw nsw i64 %.882.0268, %.782
  %.998 = sub nsw i64 %size.2.1, %.996
  %.11.i265 = tail call i64 @llvm.smin.i64(i64 %.998, i64 %.983)
  %.1030 = trunc i64 %.11.i265 to i32
  %.1031 = getelementptr i32, ptr %.36, i64 %.988
  store i32 %.1030, ptr %.1031, align 4
  %.1036 = load i32, ptr %.1035, align 4
  %.1040 = getelementptr i32, ptr %.47, i64 %.988
  store i32 %.1036, ptr %.1040, align 4
  %.1046 = getelementptr i64, ptr %.52, i64 %.988
  store i64 %.369.0, ptr %.1046, align 8
  %exitcond.not = icmp eq i64 %.954, %storemerge.i
  br i1 %exitcond.not, label %B2056, label %B1910.if
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #1

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define i64 @arrive(i64 %.1, i64 %.2) local_unnamed_addr #0 {
.4:
  %.5 = alloca i64, align 8
  %0 = call fastcc i32 @_ZN8dropzero10softswitch5ports8gso_code6arriveB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr %.5, i64 %.1, i64 %.2)
  %.8 = load i64, ptr %.5, align 8
  ret i64 %.8
}

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define internal fastcc void @_ZN8dropzero10softswitch5ports8gso_code6departB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx(ptr noalias nonnull writeonly captures(none) %retptr, i64 %arg.at, i64 %arg.data, i64 %arg.starts_at, i64 %arg.lengths_at, i64 %arg.ports_at, i64 %arg.count, i64 %arg.chosen) unnamed_addr #0 {
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
  call fastcc void @_ZN8dropzero10softswitch5ports8gso_code6departB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx(ptr %.10, i64 %.1, i64 %.2, i64 %.3, i64 %.4, i64 %.5, i64 %.6, i64 %.7)
  %.13 = load i64, ptr %.10, align 8
  ret i64 %.13
}

declare i32 @sendmmsg(i32, i64, i32, i32) local_unnamed_addr

declare ptr @__errno_location() local_unnamed_addr

declare i32 @clock_gettime(i32, i64) local_unnamed_addr

declare i32 @recvmmsg(i32, i64, i32, i32, i64) local_unnamed_addr

declare i32 @sched_yield() local_unnamed_addr

declare i32 @poll(i64, i64, i32) local_unnamed_addr

define noundef i64 @fast_path(i64 %.1) local_unnamed_addr {
.3:
  %.187.i.i = alloca i64, align 8
  %.226.i = alloca i64, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.226.i)
  store i64 0, ptr %.226.i, align 8, !noalias !73
  %.8.i = inttoptr i64 %.1 to ptr
  %.15.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 40
  %.17172.i = load i64, ptr %.15.i, align 1, !noalias !73
  %.18.not173.i = icmp eq i64 %.17172.i, 0
  br i1 %.18.not173.i, label %B78.lr.ph.i, label %_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit

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
  br i1 %.18.not.i, label %B78.i, label %_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit

B78.i:                                            ; preds = %B50.loopexit.i, %B78.lr.ph.i
  %.7.i.i = tail call i32 @sched_yield(), !noalias !77
  %.11.i.i = load i64, ptr %.8.i, align 1, !noalias !77
  %.15.i.i = load i64, ptr %.13.i.i, align 1, !noalias !77
  %.17.i.i = tail call i32 @poll(i64 %.11.i.i, i64 %.15.i.i, i32 0), !noalias !77
  %.22.not.i.i = icmp eq i32 %.17.i.i, 0
  br i1 %.22.not.i.i, label %B120.i.i, label %_ZN8__main__5_waitB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE.exit.i

B120.i.i:                                         ; preds = %B78.i
  %.8.i.i.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !80
  %.10.i.i.i.i = tail call i32 @clock_gettime(i32 1, i64 %.8.i.i.i.i), !noalias !80
  %.13.i.i.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !80
  %.14.i.i.i.i = inttoptr i64 %.13.i.i.i.i to ptr
  %.18.i.i.i.i = load i64, ptr %.14.i.i.i.i, align 1, !noalias !80
  %.19.i.i.i.i = mul nsw i64 %.18.i.i.i.i, 1000000000
  %.20.i.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i.i, i64 8
  %.22.i.i.i.i = load i64, ptr %.20.i.i.i.i, align 1, !noalias !80
  %.23.i.i.i.i = add nsw i64 %.19.i.i.i.i, %.22.i.i.i.i
  %.88.i.i = load i64, ptr %.86.i.i, align 1, !noalias !77
  %.89.i.i = add nsw i64 %.23.i.i.i.i, %.88.i.i
  br label %B168.i.i

B168.i.i:                                         ; preds = %B308.i.i, %B120.i.i
  %.94.i.i = tail call i32 @sched_yield(), !noalias !77
  %.98.i.i = load i64, ptr %.8.i, align 1, !noalias !77
  %.102.i.i = load i64, ptr %.13.i.i, align 1, !noalias !77
  %.104.i.i = tail call i32 @poll(i64 %.98.i.i, i64 %.102.i.i, i32 0), !noalias !77
  %.109.not.i.i = icmp eq i32 %.104.i.i, 0
  br i1 %.109.not.i.i, label %B308.i.i, label %B254.i.i

B254.i.i:                                         ; preds = %B168.i.i
  store i64 50000, ptr %.86.i.i, align 1, !noalias !77
  br label %_ZN8__main__5_waitB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE.exit.i

B308.i.i:                                         ; preds = %B168.i.i
  %.8.i.i17.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !85
  %.10.i.i18.i.i = tail call i32 @clock_gettime(i32 1, i64 %.8.i.i17.i.i), !noalias !85
  %.13.i.i19.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !85
  %.14.i.i20.i.i = inttoptr i64 %.13.i.i19.i.i to ptr
  %.18.i.i21.i.i = load i64, ptr %.14.i.i20.i.i, align 1, !noalias !85
  %.19.i.i22.i.i = mul nsw i64 %.18.i.i21.i.i, 1000000000
  %.20.i.i23.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i20.i.i, i64 8
  %.22.i.i24.i.i = load i64, ptr %.20.i.i23.i.i, align 1, !noalias !85
  %.23.i.i25.i.i = add nsw i64 %.19.i.i22.i.i, %.22.i.i24.i.i
  %.177.not.i.i = icmp slt i64 %.23.i.i25.i.i, %.89.i.i
  br i1 %.177.not.i.i, label %B168.i.i, label %B346.i.i

B346.i.i:                                         ; preds = %B308.i.i
  %.184.i.i = load i64, ptr %.86.i.i, align 1, !noalias !77
  %.185.i.i = ashr i64 %.184.i.i, 1
  store i64 %.185.i.i, ptr %.86.i.i, align 1, !noalias !77
  %.193.i.i = load i64, ptr %.8.i, align 1, !noalias !77
  %.197.i.i = load i64, ptr %.13.i.i, align 1, !noalias !77
  %.201.i.i = tail call i32 @poll(i64 %.193.i.i, i64 %.197.i.i, i32 -1), !noalias !77
  br label %_ZN8__main__5_waitB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE.exit.i

_ZN8__main__5_waitB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE.exit.i: ; preds = %B346.i.i, %B254.i.i, %B78.i
  %.28.0.i = phi i32 [ %.201.i.i, %B346.i.i ], [ %.104.i.i, %B254.i.i ], [ %.17.i.i, %B78.i ]
  %.59.i = icmp slt i32 %.28.0.i, 1
  br i1 %.59.i, label %_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B120.i

B120.i:                                           ; preds = %_ZN8__main__5_waitB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE.exit.i
  %.10.i.i = load i64, ptr %.13.i.i, align 1, !noalias !90
  %.9250.not.i.i = icmp slt i64 %.10.i.i, 1
  br i1 %.9250.not.i.i, label %B164.i, label %B44.if.lr.ph.i.i

B44.if.lr.ph.i.i:                                 ; preds = %B120.i
  %.136.i.i = load i64, ptr %.8.i, align 1, !noalias !90
  %.138.i.i = inttoptr i64 %.136.i.i to ptr
  br label %B44.if.i.i

B138.i.i:                                         ; preds = %B44.if.i.i
  %.158.i.i = load i64, ptr %.156.i.i, align 1, !noalias !90
  %.160.not.i.i = icmp slt i64 %.34.051.i.i, %.158.i.i
  br i1 %.160.not.i.i, label %B166.i.i, label %_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit

B166.i.i:                                         ; preds = %B44.if.i.i, %B138.i.i
  %exitcond.not.i.i = icmp eq i64 %.105.i.i, %.10.i.i
  br i1 %exitcond.not.i.i, label %B164.i, label %B44.if.i.i

B44.if.i.i:                                       ; preds = %B166.i.i, %B44.if.lr.ph.i.i
  %.34.051.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i ], [ %.105.i.i, %B166.i.i ]
  %.105.i.i = add nuw nsw i64 %.34.051.i.i, 1
  %.139.i.i = getelementptr [8 x i8], ptr %.138.i.i, i64 %.34.051.i.i
  %.140.i.i = getelementptr inbounds nuw i8, ptr %.139.i.i, i64 6
  %.142.i.i = load i16, ptr %.140.i.i, align 1, !noalias !90
  switch i16 %.142.i.i, label %_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit [
    i16 0, label %B166.i.i
    i16 1, label %B138.i.i
  ]

B164.i:                                           ; preds = %B166.i.i, %B120.i
  %.11.i102.i = load i64, ptr %.9.i.i, align 1, !noalias !93
  %.12.i.i = inttoptr i64 %.11.i102.i to ptr
  %.16.i.i = load i64, ptr %.14.i.i, align 1, !noalias !93
  %.17.i103.i = inttoptr i64 %.16.i.i to ptr
  %.27.i.i = load i64, ptr %.25.i.i, align 1, !noalias !93
  %0 = icmp ult i64 %.27.i.i, 4294967296
  br i1 %0, label %3, label %7

B344.i.i:                                         ; preds = %B220.if.i.i
  %.248.i.i = sub nsw i64 %.246.i.i, %filled.2.0108.i.i
  %.11.i101.i.i = tail call i64 @llvm.smin.i64(i64 %.248.i.i, i64 %11)
  %.302.i.i = load i32, ptr %.239.i.i, align 1, !noalias !93
  %.308.i.i = load i64, ptr %.306.i.i, align 1, !noalias !93
  %.310.i.i = shl nsw i64 %filled.2.0108.i.i, 6
  %.313.i.i = add nsw i64 %.308.i.i, %.310.i.i
  %.315.i.i = trunc i64 %.11.i101.i.i to i32
  %.317.i.i = tail call i32 @recvmmsg(i32 %.302.i.i, i64 %.313.i.i, i32 %.315.i.i, i32 64, i64 0), !noalias !93
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
  br i1 %exitcond110.not.i.i, label %_ZN8__main__8_receiveB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EEi.exit.i, label %B220.if.i.i

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
  %.108.i.i = load i64, ptr %.156.i.i, align 1, !noalias !93
  %.188105.not.i.i = icmp slt i64 %.108.i.i, 1
  br i1 %.188105.not.i.i, label %_ZN8__main__8_receiveB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EEi.exit.i, label %B220.if.i.i

B220.if.i.i:                                      ; preds = %B0.endif.i.i, %B502.i.i
  %filled.2.0108.i.i = phi i64 [ %filled.3.2.i.i, %B502.i.i ], [ 0, %B0.endif.i.i ]
  %.132.0106.i.i = phi i64 [ %.201.i104.i, %B502.i.i ], [ 0, %B0.endif.i.i ]
  %.201.i104.i = add nuw nsw i64 %.132.0106.i.i, 1
  %.236.i.i = load i64, ptr %.8.i, align 1, !noalias !93
  %.238.i.i = inttoptr i64 %.236.i.i to ptr
  %.239.i.i = getelementptr [8 x i8], ptr %.238.i.i, i64 %.132.0106.i.i
  %.246.i.i = load i64, ptr %.25.i.i, align 1, !noalias !93
  %.282.i.i = getelementptr inbounds nuw i8, ptr %.239.i.i, i64 6
  %.284.i.i = load i16, ptr %.282.i.i, align 1, !noalias !93
  %.285.not.i.i = icmp eq i16 %.284.i.i, 0
  %.291.not.i.i = icmp eq i64 %.246.i.i, %filled.2.0108.i.i
  %or.cond.i.i = select i1 %.285.not.i.i, i1 true, i1 %.291.not.i.i
  br i1 %or.cond.i.i, label %B502.i.i, label %B344.i.i

B464.if.i.i:                                      ; preds = %B464.if.i.i, %B464.if.lr.ph.i.i
  %filled.4.1104.i.i = phi i64 [ %filled.2.0108.i.i, %B464.if.lr.ph.i.i ], [ %.451.i.i, %B464.if.i.i ]
  %.445.i.i = load i32, ptr %.444.i.i, align 4, !noalias !93
  %.448.i.i = getelementptr i32, ptr %.17.i103.i, i64 %filled.4.1104.i.i
  store i32 %.445.i.i, ptr %.448.i.i, align 4, !noalias !93
  %.451.i.i = add i64 %filled.4.1104.i.i, 1
  %lftr.wideiv = trunc i64 %.451.i.i to i32
  %exitcond = icmp eq i32 %2, %lftr.wideiv
  br i1 %exitcond, label %B502.i.i, label %B464.if.i.i

_ZN8__main__8_receiveB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EEi.exit.i: ; preds = %B502.i.i, %B0.endif.i.i
  %filled.2.0.lcssa.i.i = phi i64 [ 0, %B0.endif.i.i ], [ %filled.3.2.i.i, %B502.i.i ]
  store i64 %filled.2.0.lcssa.i.i, ptr %.135.i, align 1, !noalias !73
  %.142.not.i = icmp eq i64 %filled.2.0.lcssa.i.i, 0
  br i1 %.142.not.i, label %_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B234.i

B234.i:                                           ; preds = %_ZN8__main__8_receiveB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EEi.exit.i
  %.8.i.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !96
  %.10.i.i.i = tail call i32 @clock_gettime(i32 1, i64 %.8.i.i.i), !noalias !96
  %.13.i.i.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !96
  %.14.i.i.i = inttoptr i64 %.13.i.i.i to ptr
  %.18.i.i.i = load i64, ptr %.14.i.i.i, align 1, !noalias !96
  %.19.i.i.i = mul nsw i64 %.18.i.i.i, 1000000000
  %.20.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 8
  %.22.i.i.i = load i64, ptr %.20.i.i.i, align 1, !noalias !96
  %.23.i.i.i = add nsw i64 %.19.i.i.i, %.22.i.i.i
  store i64 %.23.i.i.i, ptr %.177.i, align 1, !noalias !73
  %.183.i = load i64, ptr %.181.i, align 1, !noalias !73
  %.10.i107.i = tail call i32 @clock_gettime(i32 0, i64 %.13.i.i.i), !noalias !101
  %.13.i108.i = load i64, ptr %.6.i.i.i.i, align 1, !noalias !101
  %.14.i109.i = inttoptr i64 %.13.i108.i to ptr
  %.18.i.i = load i64, ptr %.14.i109.i, align 1, !noalias !101
  %.19.i.i = mul nsw i64 %.18.i.i, 1000000000
  %.20.i.i = getelementptr inbounds nuw i8, ptr %.14.i109.i, i64 8
  %.22.i.i = load i64, ptr %.20.i.i, align 1, !noalias !101
  %.214.i = load i64, ptr %.177.i, align 1, !noalias !73
  %.23.i.i = add i64 %.22.i.i, %.183.i
  %.210.i = add i64 %.23.i.i, %.19.i.i
  %.215.i = sub i64 %.210.i, %.214.i
  store i64 %.215.i, ptr %.217.i, align 1, !noalias !73
  %.224.i = load i64, ptr %.135.i, align 1, !noalias !73
  store i64 0, ptr %.226.i, align 8, !noalias !73
  %.230.i = call fastcc i32 @_ZN8dropzero10softswitch5ports8gso_code6arriveB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr %.226.i, i64 %.1, i64 %.224.i)
  %.232.not.i = icmp eq i32 %.230.i, 0
  br i1 %.232.not.i, label %B234.endif.endif.endif.i, label %_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, !prof !104

B454.i:                                           ; preds = %B106.i.i
  %12 = add nuw i64 %.240.i, 127
  %.358.i = lshr i64 %12, 7
  %.337.inv.i = icmp slt i64 %.240.i, 1
  %.379169.not184.i = icmp eq i64 %.358.i, 0
  %.379169.not.i = select i1 %.337.inv.i, i1 true, i1 %.379169.not184.i
  br i1 %.379169.not.i, label %B50.loopexit.i, label %B508.if.i

B508.loopexit.i:                                  ; preds = %_ZN8__main__5_sendB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx.exit.i, %B630.endif.endif.i
  %.379.i = icmp sgt i64 %.326.0171.i, 1
  br i1 %.379.i, label %B508.if.i, label %B50.loopexit.i

B630.i:                                           ; preds = %_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i
  %.530.not.i = icmp eq i64 %.452.0.i, 0
  br i1 %.530.not.i, label %B630.endif.endif.i, label %B630.endif.else.i

B234.endif.endif.endif.i:                         ; preds = %B234.i
  %.240.i = load i64, ptr %.226.i, align 8, !noalias !73
  store i64 %.240.i, ptr %.251.i, align 1, !noalias !73
  %.10.i111.i = load i64, ptr %.8.i110.i, align 1, !noalias !105
  %.11.i112.i = inttoptr i64 %.10.i111.i to ptr
  %.18.i114.i = load i64, ptr %.135.i, align 1, !noalias !105
  %spec.select.i.i = tail call i64 @llvm.smax.i64(i64 %.18.i114.i, i64 0)
  br label %B106.i.i

B106.i.i:                                         ; preds = %B212.i.i, %B234.endif.endif.endif.i
  %.42.0.i.i = phi i64 [ 0, %B234.endif.endif.endif.i ], [ %.113.i.i, %B212.i.i ]
  %exitcond.not.i116.i = icmp eq i64 %.42.0.i.i, %spec.select.i.i
  br i1 %exitcond.not.i116.i, label %B454.i, label %B106.if.i.i

B126.i.i:                                         ; preds = %B106.if.i.i
  %.154.i.i = load i64, ptr %.152.i.i, align 1, !noalias !105
  %.156.i117.i = inttoptr i64 %.154.i.i to ptr
  %.157.i.i = getelementptr [10 x i8], ptr %.156.i117.i, i64 %.42.0.i.i
  %.158.i118.i = getelementptr inbounds nuw i8, ptr %.157.i.i, i64 1
  %.159.i.i = load i8, ptr %.158.i118.i, align 1, !noalias !105
  %.161.i.i = icmp eq i8 %.159.i.i, 5
  br i1 %.161.i.i, label %_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B212.i.i

B212.i.i:                                         ; preds = %B106.if.i.i, %B126.i.i
  %.171.i.i = getelementptr i32, ptr %.11.i112.i, i64 %.42.0.i.i
  %.172.i.i = load i32, ptr %.171.i.i, align 4, !noalias !105
  %.175.not.i.i = icmp eq i32 %.172.i.i, 0
  br i1 %.175.not.i.i, label %_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B106.i.i

B106.if.i.i:                                      ; preds = %B106.i.i
  %.113.i.i = add nuw i64 %.42.0.i.i, 1
  %.144.i.i = load i64, ptr %.142.i115.i, align 1, !noalias !105
  %.145.not.i.i = icmp eq i64 %.144.i.i, 0
  br i1 %.145.not.i.i, label %B126.i.i, label %B212.i.i

B508.if.i:                                        ; preds = %B454.i, %B508.loopexit.i
  %.326.0171.i = phi i64 [ %.388.i, %B508.loopexit.i ], [ %.358.i, %B454.i ]
  %.323.0170.i = phi i64 [ %.392.i, %B508.loopexit.i ], [ 0, %B454.i ]
  %.388.i = add nsw i64 %.326.0171.i, -1
  %.392.i = add nuw i64 %.323.0170.i, 128
  %.421.i = load i64, ptr %.251.i, align 1, !noalias !73
  %.422.i = sub nsw i64 %.421.i, %.323.0170.i
  %.11.i119.i = tail call i64 @llvm.smin.i64(i64 %.422.i, i64 128)
  %.12.i121.i = load i64, ptr %.10.i120.i, align 1, !noalias !108
  %.16.i123.i = load i64, ptr %.14.i122.i, align 1, !noalias !108
  %.20.i125.i = load i64, ptr %.18.i124.i, align 1, !noalias !108
  %.24.i.i = load i64, ptr %.22.i126.i, align 1, !noalias !108
  %.28.i127.i = load i64, ptr %.26.i.i, align 1, !noalias !108
  %.44.i.i = load i64, ptr %.42.i128.i, align 1, !noalias !108
  %.45.i.i = shl nsw i64 %.323.0170.i, 3
  %.46.i.i = add nsw i64 %.44.i.i, %.45.i.i
  %.50.i129.i = load i64, ptr %.48.i.i, align 1, !noalias !108
  %.51.i130.i = shl nsw i64 %.323.0170.i, 2
  %.52.i131.i = add nsw i64 %.50.i129.i, %.51.i130.i
  %.56.i.i = load i64, ptr %.54.i.i, align 1, !noalias !108
  %.58.i.i = add nsw i64 %.56.i.i, %.51.i130.i
  %.79.i.i = load i64, ptr %.77.i.i, align 1, !noalias !108
  %.81.i.i = add nsw i64 %.79.i.i, %.45.i.i
  %.85.i.i = load i64, ptr %.83.i.i, align 1, !noalias !108
  %.89.i132.i = load i64, ptr %.87.i.i, align 1, !noalias !108
  %.93.i.i = load i64, ptr %.91.i.i, align 1, !noalias !108
  %.97.i.i = load i64, ptr %.95.i.i, align 1, !noalias !108
  %.146.i.i = load i64, ptr %.177.i, align 1, !noalias !108
  %.150.i.i = load i64, ptr %.181.i, align 1, !noalias !108
  %.151.i.i = sub nsw i64 %.146.i.i, %.150.i.i
  %.170.i.i = sdiv i64 %.151.i.i, 1000
  %.171.i134.i = srem i64 %.151.i.i, 1000
  %.171.lobit.i.i = ashr i64 %.171.i134.i, 63
  %.159.0.i.i = add nsw i64 %.171.lobit.i.i, %.170.i.i
  %.195.i.i = load i64, ptr %.193.i135.i, align 1, !noalias !108
  %.199.i.i = load i64, ptr %.197.i136.i, align 1, !noalias !108
  %.236.i137.i = inttoptr i64 %.12.i121.i to ptr
  %.253.i.i = tail call i64 %.236.i137.i(i64 %.16.i123.i, i64 %.20.i125.i, i64 %.24.i.i, i64 %.28.i127.i, i64 %.46.i.i, i64 %.52.i131.i, i64 %.58.i.i, i64 %.81.i.i, i64 %.85.i.i, i64 %.89.i132.i, i64 %.93.i.i, i64 %.97.i.i, i64 %.11.i119.i, i64 %.159.0.i.i, i64 %.195.i.i, i64 %.199.i.i), !noalias !108
  %.254.i.i = add nsw i64 %.253.i.i, %.323.0170.i
  store i64 %.254.i.i, ptr %.256.i.i, align 1, !noalias !108
  %.262.i.i = load i64, ptr %.14.i122.i, align 1, !noalias !108
  %.263.i.i = inttoptr i64 %.262.i.i to ptr
  %.267.not.i.i = icmp eq i64 %.253.i.i, %.11.i119.i
  br i1 %.267.not.i.i, label %B412.i.i, label %_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i

B412.i.i:                                         ; preds = %B508.if.i
  %.270.i.i = getelementptr i8, ptr %.263.i.i, i64 104
  %.271.i.i = load i64, ptr %.270.i.i, align 8, !noalias !108
  %.272.not.i.i = icmp eq i64 %.271.i.i, 0
  br i1 %.272.not.i.i, label %B438.i.i, label %_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i

B438.i.i:                                         ; preds = %B412.i.i
  %.275.i.i = getelementptr i8, ptr %.263.i.i, i64 72
  %.276.i.i = load i64, ptr %.275.i.i, align 8, !noalias !108
  %.277.not.i.i = icmp eq i64 %.276.i.i, 0
  br i1 %.277.not.i.i, label %B468.i.i, label %_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i

B468.i.i:                                         ; preds = %B438.i.i
  %.286.i.i = getelementptr i8, ptr %.263.i.i, i64 32
  %.287.i.i = load i64, ptr %.286.i.i, align 8, !noalias !108
  %.296.i.i = load i64, ptr %.91.i.i, align 1, !noalias !108
  %.297.i.i = inttoptr i64 %.296.i.i to ptr
  %.301.i.i = load i64, ptr %.95.i.i, align 1, !noalias !108
  %.302.i138.i = inttoptr i64 %.301.i.i to ptr
  %spec.select.i139.i = tail call i64 @llvm.smax.i64(i64 %.287.i.i, i64 0)
  br label %B648.i.i

B648.i.i:                                         ; preds = %B684.i.i, %B468.i.i
  %.333.0.i.i = phi i64 [ 0, %B468.i.i ], [ %.404.i.i, %B684.i.i ]
  %exitcond.not.i140.i = icmp eq i64 %.333.0.i.i, %spec.select.i139.i
  br i1 %exitcond.not.i140.i, label %_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i, label %B648.if.i.i

B684.i.i:                                         ; preds = %B648.if.i.i
  %.404.i.i = add nuw i64 %.333.0.i.i, 1
  %.442.i.i = getelementptr i32, ptr %.302.i138.i, i64 %.333.0.i.i
  %.443.i.i = load i32, ptr %.442.i.i, align 4, !noalias !108
  %.449.i.i = load i64, ptr %.447.i.i, align 1, !noalias !108
  %.450.i.i = sext i32 %.443.i.i to i64
  %.451.i141.i = icmp eq i64 %.449.i.i, %.450.i.i
  br i1 %.451.i141.i, label %_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i, label %B648.i.i

B648.if.i.i:                                      ; preds = %B648.i.i
  %.434.i.i = getelementptr i32, ptr %.297.i.i, i64 %.333.0.i.i
  %.435.i.i = load i32, ptr %.434.i.i, align 4, !noalias !108
  %.438.not.i.i = icmp sgt i32 %.435.i.i, -1
  br i1 %.438.not.i.i, label %B684.i.i, label %_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i

_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i: ; preds = %B648.if.i.i, %B684.i.i, %B648.i.i, %B438.i.i, %B412.i.i, %B508.if.i
  %.452.0.i = phi i64 [ -1, %B412.i.i ], [ -1, %B508.if.i ], [ -1, %B438.i.i ], [ -1, %B684.i.i ], [ -1, %B648.if.i.i ], [ %.287.i.i, %B648.i.i ]
  %.480.i = icmp slt i64 %.452.0.i, 0
  br i1 %.480.i, label %_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B630.i

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
  %.572166.i = icmp sgt i64 %storemerge101.i, 0
  br i1 %.572166.i, label %B674.if.i, label %B508.loopexit.i

B674.if.i:                                        ; preds = %B630.endif.endif.i, %_ZN8__main__5_sendB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx.exit.i
  %.519.0168.i = phi i64 [ %.581.i, %_ZN8__main__5_sendB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx.exit.i ], [ %storemerge101.i, %B630.endif.endif.i ]
  %.516.0167.i = phi i64 [ %.585.i, %_ZN8__main__5_sendB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx.exit.i ], [ 0, %B630.endif.endif.i ]
  %.581.i = add nsw i64 %.519.0168.i, -1
  %.585.i = add i64 %.516.0167.i, 1024
  %.612.i = sub nsw i64 %.452.0.i, %.516.0167.i
  %.11.i142.i = tail call i64 @llvm.smin.i64(i64 %.612.i, i64 1024)
  call void @llvm.lifetime.start.p0(ptr nonnull %.187.i.i), !noalias !73
  store i64 0, ptr %.187.i.i, align 8, !noalias !111
  %.19.i144.i = load i64, ptr %.9.i.i, align 1, !noalias !111
  %.20.i145.i = inttoptr i64 %.19.i144.i to ptr
  %.27.i147.i = load i64, ptr %.87.i.i, align 1, !noalias !111
  %.29.i.i = shl nsw i64 %.516.0167.i, 3
  %.30.i.i = add nsw i64 %.27.i147.i, %.29.i.i
  %.34.i.i = load i64, ptr %.91.i.i, align 1, !noalias !111
  %.36.i.i = shl nsw i64 %.516.0167.i, 2
  %.37.i.i = add nsw i64 %.34.i.i, %.36.i.i
  %.47.i.i = load i64, ptr %.156.i.i, align 1, !noalias !111
  %.12950.not.i.i = icmp slt i64 %.47.i.i, 1
  br i1 %.12950.not.i.i, label %_ZN8__main__5_sendB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx.exit.i, label %B158.if.i.i

B158.if.i.i:                                      ; preds = %B674.if.i, %_ZN8__main__10_hand_overB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i.i
  %.71.052.i.i = phi i64 [ %.142.i151.i, %_ZN8__main__10_hand_overB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i.i ], [ 0, %B674.if.i ]
  %.142.i151.i = add nuw nsw i64 %.71.052.i.i, 1
  %.168.i.i = getelementptr i32, ptr %.20.i145.i, i64 %.71.052.i.i
  %.169.i.i = load i32, ptr %.168.i.i, align 4, !noalias !111
  %.170.i152.i = sext i32 %.169.i.i to i64
  %.175.i.i = load i64, ptr %.83.i.i, align 1, !noalias !111
  %.179.i.i = load i64, ptr %.95.i.i, align 1, !noalias !111
  %.182.i.i = add nsw i64 %.179.i.i, %.36.i.i
  store i64 0, ptr %.187.i.i, align 8, !noalias !111
  call fastcc void @_ZN8dropzero10softswitch5ports8gso_code6departB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx(ptr %.187.i.i, i64 %.1, i64 %.175.i.i, i64 %.30.i.i, i64 %.37.i.i, i64 %.182.i.i, i64 %.11.i142.i, i64 %.170.i152.i)
  %.201.i153.i = load i64, ptr %.187.i.i, align 8, !noalias !111
  %.16.i.i.i = load i64, ptr %.8.i110.i, align 1, !noalias !114
  %.17.i.i.i = inttoptr i64 %.16.i.i.i to ptr
  %.32.i.i.i = load i64, ptr %.8.i, align 1, !noalias !114
  %.34.i.i.i = inttoptr i64 %.32.i.i.i to ptr
  %.35.i.i.i = getelementptr [8 x i8], ptr %.34.i.i.i, i64 %.71.052.i.i
  %.38.i.i.i = load i32, ptr %.35.i.i.i, align 1, !noalias !114
  %.5293.i.i.i = icmp sgt i64 %.201.i153.i, 0
  br i1 %.5293.i.i.i, label %B208.preheader.lr.ph.i.i.i, label %_ZN8__main__10_hand_overB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i.i

B208.preheader.lr.ph.i.i.i:                       ; preds = %B158.if.i.i
  %.21.i.i.i = load i64, ptr %.19.i.i150.i, align 1, !noalias !114
  %.22.i.i155.i = inttoptr i64 %.21.i.i.i to ptr
  %.260.i.i.i = getelementptr i64, ptr %.22.i.i155.i, i64 %.71.052.i.i
  br label %B208.i.i.i

B208.i.i.i:                                       ; preds = %B208.i.i.i.backedge, %B208.preheader.lr.ph.i.i.i
  %first.5.1.i.i.i = phi i64 [ 0, %B208.preheader.lr.ph.i.i.i ], [ %first.5.1.i.i.i.be, %B208.i.i.i.backedge ]
  %.62.i.i.i = load i64, ptr %.60.i.i.i, align 1, !noalias !114
  %.64.i.i.i = shl nsw i64 %first.5.1.i.i.i, 6
  %.65.i.i.i = add nsw i64 %.62.i.i.i, %.64.i.i.i
  %.68.i.i.i = sub nsw i64 %.201.i153.i, %first.5.1.i.i.i
  %.70.i.i.i = trunc i64 %.68.i.i.i to i32
  %.72.i.i.i = tail call i32 @sendmmsg(i32 %.38.i.i.i, i64 %.65.i.i.i, i32 %.70.i.i.i, i32 64), !noalias !114
  %.78.i.i.i = icmp sgt i32 %.72.i.i.i, -1
  br i1 %.78.i.i.i, label %B304.i.i.i, label %B316.i.i.i

B304.i.i.i:                                       ; preds = %B208.i.i.i
  %.77.i.i.i = zext nneg i32 %.72.i.i.i to i64
  %.83.i.i.i = add nsw i64 %first.5.1.i.i.i, %.77.i.i.i
  br label %B589.i.i.i

B316.i.i.i:                                       ; preds = %B208.i.i.i
  %.94.i.i.i = tail call ptr @__errno_location(), !noalias !114
  %.96.i.i.i = load i32, ptr %.94.i.i.i, align 4, !noalias !114
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
  %.260.promoted.i.i.i = load i64, ptr %.260.i.i.i, align 8, !noalias !114
  br label %B498.if.i.i.i

B558.i.i.i:                                       ; preds = %B498.if.i.i.i, %B466.i.i.i
  %first.6.2.lcssa.i.i.i = phi i64 [ %first.5.1.i.i.i, %B466.i.i.i ], [ %.273.i.i.i, %B498.if.i.i.i ]
  store i64 %.101.i.i.i, ptr %.15.i, align 1, !noalias !114
  %.294.i.i.i = icmp slt i64 %first.6.2.lcssa.i.i.i, %.201.i153.i
  br i1 %.294.i.i.i, label %B208.i.i.i.backedge, label %_ZN8__main__10_hand_overB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i.i

B208.i.i.i.backedge:                              ; preds = %B558.i.i.i, %B589.i.i.i
  %first.5.1.i.i.i.be = phi i64 [ %first.6.2.lcssa.i.i.i, %B558.i.i.i ], [ %first.4.1.i.i.i, %B589.i.i.i ]
  br label %B208.i.i.i

B589.i.i.i:                                       ; preds = %B316.i.i.i, %B304.i.i.i
  %first.4.1.i.i.i = phi i64 [ %.83.i.i.i, %B304.i.i.i ], [ %first.5.1.i.i.i, %B316.i.i.i ]
  %.52.i.i.i = icmp slt i64 %first.4.1.i.i.i, %.201.i153.i
  br i1 %.52.i.i.i, label %B208.i.i.i.backedge, label %_ZN8__main__10_hand_overB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i.i

B498.if.i.i.i:                                    ; preds = %B498.if.i.i.i, %B498.if.lr.ph.i.i.i
  %.26792.i.i.i = phi i64 [ %.260.promoted.i.i.i, %B498.if.lr.ph.i.i.i ], [ %.267.i.i.i, %B498.if.i.i.i ]
  %first.6.291.i.i.i = phi i64 [ %first.5.1.i.i.i, %B498.if.lr.ph.i.i.i ], [ %.273.i.i.i, %B498.if.i.i.i ]
  %.165.090.i.i.i = phi i64 [ %"$phi466.0.2.2.i.i.i", %B498.if.lr.ph.i.i.i ], [ %.229.i.i.i, %B498.if.i.i.i ]
  %.229.i.i.i = add nsw i64 %.165.090.i.i.i, -1
  %.264.i.i.i = getelementptr i32, ptr %.17.i.i.i, i64 %first.6.291.i.i.i
  %.265.i.i.i = load i32, ptr %.264.i.i.i, align 4, !noalias !114
  %.266.i.i.i = sext i32 %.265.i.i.i to i64
  %.267.i.i.i = add nsw i64 %.26792.i.i.i, %.266.i.i.i
  store i64 %.267.i.i.i, ptr %.260.i.i.i, align 8, !noalias !114
  %.273.i.i.i = add nsw i64 %first.6.291.i.i.i, 1
  %.220.i.i.i = icmp sgt i64 %.165.090.i.i.i, 1
  br i1 %.220.i.i.i, label %B498.if.i.i.i, label %B558.i.i.i

_ZN8__main__10_hand_overB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i.i: ; preds = %B589.i.i.i, %B558.i.i.i, %B158.if.i.i
  %exitcond.not.i154.i = icmp eq i64 %.142.i151.i, %.47.i.i
  br i1 %exitcond.not.i154.i, label %_ZN8__main__5_sendB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx.exit.i, label %B158.if.i.i

_ZN8__main__5_sendB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx.exit.i: ; preds = %_ZN8__main__10_hand_overB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i.i, %B674.if.i
  call void @llvm.lifetime.end.p0(ptr nonnull %.187.i.i), !noalias !73
  %.572.i = icmp sgt i64 %.519.0168.i, 1
  br i1 %.572.i, label %B674.if.i, label %B508.loopexit.i

_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit: ; preds = %B234.i, %_ZN8__main__8_receiveB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EEi.exit.i, %_ZN8__main__5_waitB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE.exit.i, %B50.loopexit.i, %B138.i.i, %B44.if.i.i, %B126.i.i, %B212.i.i, %_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i, %.3
  %.4.0 = phi i64 [ 0, %.3 ], [ 0, %B138.i.i ], [ 2, %_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx.exit.i ], [ 1, %B126.i.i ], [ 1, %B212.i.i ], [ 0, %B44.if.i.i ], [ 0, %B50.loopexit.i ], [ 0, %_ZN8__main__5_waitB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE.exit.i ], [ 0, %_ZN8__main__8_receiveB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EEi.exit.i ], [ 0, %B234.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.226.i)
  ret i64 %.4.0
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smin.i64(i64, i64) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.bswap.i16(i16) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smax.i64(i64, i64) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.bswap.i32(i32) #2

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
!7 = distinct !{!7, !8, !"_ZN8dropzero10softswitch5ports8gso_code8_networkB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!8 = distinct !{!8, !"_ZN8dropzero10softswitch5ports8gso_code8_networkB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!9 = !{!10}
!10 = distinct !{!10, !11, !"_ZN8dropzero10softswitch5ports8gso_code8_headersB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2064EE: %retptr"}
!11 = distinct !{!11, !"_ZN8dropzero10softswitch5ports8gso_code8_headersB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2064EE"}
!12 = !{!13}
!13 = distinct !{!13, !14, !"_ZN8dropzero10softswitch5ports8gso_code5_partB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx: %retptr"}
!14 = distinct !{!14, !"_ZN8dropzero10softswitch5ports8gso_code5_partB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx"}
!15 = !{!16, !13}
!16 = distinct !{!16, !17, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!17 = distinct !{!17, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!18 = !{!19, !21, !13}
!19 = distinct !{!19, !20, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!20 = distinct !{!20, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!21 = distinct !{!21, !22, !"_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx: %retptr"}
!22 = distinct !{!22, !"_ZN8dropzero10softswitch5ports8gso_code7_finishB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx"}
!23 = !{!21, !13}
!24 = !{!25}
!25 = distinct !{!25, !26, !"_ZN8dropzero10softswitch5ports8gso_code11_is_regularB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!26 = distinct !{!26, !"_ZN8dropzero10softswitch5ports8gso_code11_is_regularB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!27 = !{!28, !25}
!28 = distinct !{!28, !29, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!29 = distinct !{!29, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!30 = !{!31, !33, !25}
!31 = distinct !{!31, !32, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29: %retptr"}
!32 = distinct !{!32, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29"}
!33 = distinct !{!33, !34, !"_ZN8dropzero10softswitch5ports8gso_code7_pseudoB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!34 = distinct !{!34, !"_ZN8dropzero10softswitch5ports8gso_code7_pseudoB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!35 = !{!36, !25}
!36 = distinct !{!36, !37, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!37 = distinct !{!37, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!38 = !{!39}
!39 = distinct !{!39, !40, !"_ZN8dropzero10softswitch5ports8gso_code6_alikeB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!40 = distinct !{!40, !"_ZN8dropzero10softswitch5ports8gso_code6_alikeB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!41 = !{!42}
!42 = distinct !{!42, !43, !"_ZN8dropzero10softswitch5ports8gso_code9_put_headB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx: %retptr"}
!43 = distinct !{!43, !"_ZN8dropzero10softswitch5ports8gso_code9_put_headB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx"}
!44 = !{!45, !42}
!45 = distinct !{!45, !46, !"_ZN8dropzero10softswitch5ports8gso_code12_set_lengthsB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!46 = distinct !{!46, !"_ZN8dropzero10softswitch5ports8gso_code12_set_lengthsB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!47 = !{!48, !45, !42}
!48 = distinct !{!48, !49, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!49 = distinct !{!49, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!50 = !{!51, !53, !42}
!51 = distinct !{!51, !52, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29: %retptr"}
!52 = distinct !{!52, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29"}
!53 = distinct !{!53, !54, !"_ZN8dropzero10softswitch5ports8gso_code7_pseudoB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!54 = distinct !{!54, !"_ZN8dropzero10softswitch5ports8gso_code7_pseudoB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!55 = !{!56}
!56 = distinct !{!56, !57, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx24Literal_5bint_5d_2852_29: %retptr"}
!57 = distinct !{!57, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx24Literal_5bint_5d_2852_29"}
!58 = !{!59}
!59 = distinct !{!59, !60, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx: %retptr"}
!60 = distinct !{!60, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx"}
!61 = !{!62}
!62 = distinct !{!62, !63, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx: %retptr"}
!63 = distinct !{!63, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx"}
!64 = !{!65}
!65 = distinct !{!65, !66, !"_ZN8dropzero10softswitch5ports8gso_code11_clear_headB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %retptr"}
!66 = distinct !{!66, !"_ZN8dropzero10softswitch5ports8gso_code11_clear_headB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx"}
!67 = !{!68}
!68 = distinct !{!68, !69, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx24Literal_5bint_5d_2810_29: %retptr"}
!69 = distinct !{!69, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx24Literal_5bint_5d_2810_29"}
!70 = !{!71}
!71 = distinct !{!71, !72, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx: %retptr"}
!72 = distinct !{!72, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx"}
!73 = !{!74, !76}
!74 = distinct !{!74, !75, !"_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %retptr"}
!75 = distinct !{!75, !"_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx"}
!76 = distinct !{!76, !75, !"_ZN8__main__9fast_pathB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %excinfo"}
!77 = !{!78, !74, !76}
!78 = distinct !{!78, !79, !"_ZN8__main__5_waitB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE: %retptr"}
!79 = distinct !{!79, !"_ZN8__main__5_waitB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE"}
!80 = !{!81, !83, !78, !74, !76}
!81 = distinct !{!81, !82, !"_ZN8__main__5_readB3v36B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE23Literal_5bint_5d_281_29: %retptr"}
!82 = distinct !{!82, !"_ZN8__main__5_readB3v36B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE23Literal_5bint_5d_281_29"}
!83 = distinct !{!83, !84, !"_ZN8__main__4_nowB3v35B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE: %retptr"}
!84 = distinct !{!84, !"_ZN8__main__4_nowB3v35B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE"}
!85 = !{!86, !88, !78, !74, !76}
!86 = distinct !{!86, !87, !"_ZN8__main__5_readB3v36B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE23Literal_5bint_5d_281_29: %retptr"}
!87 = distinct !{!87, !"_ZN8__main__5_readB3v36B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE23Literal_5bint_5d_281_29"}
!88 = distinct !{!88, !89, !"_ZN8__main__4_nowB3v35B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE: %retptr"}
!89 = distinct !{!89, !"_ZN8__main__4_nowB3v35B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE"}
!90 = !{!91, !74, !76}
!91 = distinct !{!91, !92, !"_ZN8__main__17_python_is_wantedB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE: %retptr"}
!92 = distinct !{!92, !"_ZN8__main__17_python_is_wantedB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE"}
!93 = !{!94, !74, !76}
!94 = distinct !{!94, !95, !"_ZN8__main__8_receiveB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EEi: %retptr"}
!95 = distinct !{!95, !"_ZN8__main__8_receiveB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EEi"}
!96 = !{!97, !99, !74, !76}
!97 = distinct !{!97, !98, !"_ZN8__main__5_readB3v36B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE23Literal_5bint_5d_281_29: %retptr"}
!98 = distinct !{!98, !"_ZN8__main__5_readB3v36B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE23Literal_5bint_5d_281_29"}
!99 = distinct !{!99, !100, !"_ZN8__main__4_nowB3v35B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE: %retptr"}
!100 = distinct !{!100, !"_ZN8__main__4_nowB3v35B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE"}
!101 = !{!102, !74, !76}
!102 = distinct !{!102, !103, !"_ZN8__main__5_readB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE23Literal_5bint_5d_280_29: %retptr"}
!103 = distinct !{!103, !"_ZN8__main__5_readB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE23Literal_5bint_5d_280_29"}
!104 = !{!"branch_weights", i32 99, i32 1}
!105 = !{!106, !74, !76}
!106 = distinct !{!106, !107, !"_ZN8__main__14_python_splitsB3v41B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE: %retptr"}
!107 = distinct !{!107, !"_ZN8__main__14_python_splitsB3v41B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EE"}
!108 = !{!109, !74, !76}
!109 = distinct !{!109, !110, !"_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx: %retptr"}
!110 = distinct !{!110, !"_ZN8__main__8_processB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx"}
!111 = !{!112, !74, !76}
!112 = distinct !{!112, !113, !"_ZN8__main__5_sendB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx: %retptr"}
!113 = distinct !{!113, !"_ZN8__main__5_sendB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExxx"}
!114 = !{!115, !112, !74, !76}
!115 = distinct !{!115, !116, !"_ZN8__main__10_hand_overB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx: %retptr"}
!116 = distinct !{!116, !"_ZN8__main__10_hand_overB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2058EExx"}
