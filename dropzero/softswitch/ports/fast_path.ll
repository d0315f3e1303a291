; LLVM 22, x86_64-unknown-linux-gnu, sources 519e7b4446c8c9f46ab1955304a0f7ce74731497f7caefd6337bcef220c00523
; written by numba 0.68.1 in Python 3.11
; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define internal fastcc noundef range(i32 0, 2) i32 @_ZN8dropzero10softswitch5ports8gso_code5splitB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr noalias nonnull writeonly captures(none) %retptr, i64 %arg.at, i64 %arg.count) unnamed_addr #0 {
entry:
  %.6 = inttoptr i64 %arg.at to ptr
  %.12 = getelementptr inbounds nuw i8, ptr %.6, i64 176
  %.14 = load i64, ptr %.12, align 1
  %.15 = inttoptr i64 %.14 to ptr
  %.17 = getelementptr inbounds nuw i8, ptr %.6, i64 136
  %.19 = load i64, ptr %.17, align 1
  %.20 = inttoptr i64 %.19 to ptr
  %.28 = getelementptr inbounds nuw i8, ptr %.6, i64 144
  %.30 = load i64, ptr %.28, align 1
  %.31 = inttoptr i64 %.30 to ptr
  %.33 = getelementptr inbounds nuw i8, ptr %.6, i64 152
  %.35 = load i64, ptr %.33, align 1
  %.36 = inttoptr i64 %.35 to ptr
  %.38 = getelementptr inbounds nuw i8, ptr %.6, i64 160
  %.40 = load i64, ptr %.38, align 1
  %.41 = inttoptr i64 %.40 to ptr
  %.43 = getelementptr inbounds nuw i8, ptr %.6, i64 168
  %.45 = load i64, ptr %.43, align 1
  %.46 = inttoptr i64 %.45 to ptr
  %.55 = getelementptr inbounds nuw i8, ptr %.6, i64 104
  %.57 = load i64, ptr %.55, align 1
  %.59 = getelementptr inbounds nuw i8, ptr %.6, i64 96
  %.61 = load i64, ptr %.59, align 1
  %.174274.not = icmp slt i64 %arg.count, 1
  br i1 %.174274.not, label %B1806, label %B522.if.lr.ph

B522.if.lr.ph:                                    ; preds = %entry
  %.77 = getelementptr inbounds nuw i8, ptr %.6, i64 128
  %.79 = load i64, ptr %.77, align 1
  %.73 = getelementptr inbounds nuw i8, ptr %.6, i64 120
  %.75 = load i64, ptr %.73, align 1
  %.69 = getelementptr inbounds nuw i8, ptr %.6, i64 112
  %.71 = load i64, ptr %.69, align 1
  %.217 = inttoptr i64 %.79 to ptr
  %.221 = inttoptr i64 %.71 to ptr
  %.231 = inttoptr i64 %.75 to ptr
  %.237 = getelementptr inbounds nuw i8, ptr %.6, i64 336
  %.241 = getelementptr inbounds nuw i8, ptr %.6, i64 224
  %.349 = add i64 %.75, -32
  %.272 = getelementptr inbounds nuw i8, ptr %.6, i64 344
  br label %B522.if

B720:                                             ; preds = %B522.if
  %.260 = getelementptr inbounds nuw i8, ptr %.232, i64 16
  %.262 = load i64, ptr %.260, align 1
  %.263 = mul nsw i64 %.262, 1000000000
  %.265 = getelementptr inbounds nuw i8, ptr %.232, i64 24
  %.267 = load i64, ptr %.265, align 1
  %.270 = add nsw i64 %.263, %.267
  %.274 = load i64, ptr %.272, align 1
  %.275 = sub i64 %.270, %.274
  %.11.i = tail call i64 @llvm.smin.i64(i64 %.275, i64 %.244)
  %.11.i195 = tail call i64 @llvm.smax.i64(i64 %.11.i, i64 0)
  br label %B916.else.if

B834:                                             ; preds = %B522.if
  %.347 = mul nuw nsw i64 %.115.0276, 72
  %.350 = add i64 %.349, %.347
  %.351 = inttoptr i64 %.350 to ptr
  br label %B916.else.if

B1078:                                            ; preds = %B916.else.if
  %.466 = add nsw i64 %.404, %.57
  %.6.i = add nsw i64 %.466, 4
  %.7.i = inttoptr i64 %.466 to ptr
  %.8.i = inttoptr i64 %.6.i to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(12) %.7.i, ptr noundef nonnull align 1 dereferenceable(12) %.8.i, i64 12, i1 false), !noalias !0
  %.14.i = getelementptr inbounds nuw i8, ptr %control.2.1, i64 66
  %.16.i = load i16, ptr %.14.i, align 1, !noalias !0
  %rev.i.i = tail call i16 @llvm.bswap.i16(i16 %.16.i)
  %.44.i = getelementptr inbounds nuw i8, ptr %control.2.1, i64 64
  %.46.i = load i16, ptr %.44.i, align 1, !noalias !0
  %rev.i2.i = tail call i16 @llvm.bswap.i16(i16 %.46.i)
  %.72.i = getelementptr inbounds nuw i8, ptr %.7.i, i64 12
  store i16 %rev.i.i, ptr %.72.i, align 1, !noalias !0
  %.76.i = getelementptr inbounds nuw i8, ptr %.7.i, i64 14
  store i16 %rev.i2.i, ptr %.76.i, align 1, !noalias !0
  %.455 = add nuw nsw i64 %.423, 4
  %.451 = add nsw i64 %.417, -6
  br label %B1176

B1176:                                            ; preds = %B1078, %B916.else.if
  %start.2.1 = phi i64 [ %.404, %B1078 ], [ %.405, %B916.else.if ]
  %transport.2.1 = phi i64 [ %.455, %B1078 ], [ %.423, %B916.else.if ]
  %size.2.1 = phi i64 [ %.451, %B1078 ], [ %.418, %B916.else.if ]
  %.505 = add nsw i64 %start.2.1, %.57
  %.513 = getelementptr inbounds nuw i8, ptr %.218, i64 48
  %.515 = load i32, ptr %.513, align 1
  %0 = and i32 %.515, 32
  %.518.not = icmp eq i32 %0, 0
  br i1 %.518.not, label %B1226, label %B1758

B1226:                                            ; preds = %B1176
  %.526 = getelementptr inbounds nuw i8, ptr %.222, i64 1
  %.527 = load i8, ptr %.526, align 1
  %.529 = icmp eq i8 %.527, 0
  br i1 %.529, label %B1258, label %B1356

B1258:                                            ; preds = %B1226
  %.14.i196 = getelementptr inbounds nuw i8, ptr %.222, i64 8
  %.16.i197 = load i16, ptr %.14.i196, align 1, !noalias !3
  %.17.i = zext i16 %.16.i197 to i64
  %.19.i = add nuw nsw i64 %transport.2.1, %.17.i
  %.24.i = load i8, ptr %.222, align 1, !noalias !3
  %1 = and i8 %.24.i, 1
  %.27.not.i = icmp eq i8 %1, 0
  %.30.i = add nuw nsw i64 %.19.i, 2
  %.32.not.i = icmp sgt i64 %.30.i, %size.2.1
  %or.cond = select i1 %.27.not.i, i1 true, i1 %.32.not.i
  br i1 %or.cond, label %_ZN8dropzero10softswitch5ports8gso_code18_complete_checksumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2084EE.exit, label %B98.i

B98.i:                                            ; preds = %B1258
  %.37.i = add nsw i64 %transport.2.1, %.505
  %.40.i = sub nsw i64 %size.2.1, %transport.2.1
  %.47.i = add nsw i64 %.19.i, %.505
  %.14.i.i.i = ashr i64 %.40.i, 2
  %.9658.not.i.i.i = icmp slt i64 %.14.i.i.i, 1
  br i1 %.9658.not.i.i.i, label %B110.i.i.i, label %B44.if.lr.ph.i.i.i

B44.if.lr.ph.i.i.i:                               ; preds = %B98.i
  %.135.i.i.i = inttoptr i64 %.37.i to ptr
  br label %B44.if.i.i.i

B110.i.i.i:                                       ; preds = %B44.if.i.i.i, %B98.i
  %total.4.0.lcssa.i.i.i = phi i64 [ 0, %B98.i ], [ %.142.i.i.i, %B44.if.i.i.i ]
  %.155.i.i.i = and i64 %.40.i, 2
  %.156.not.i.i.i = icmp eq i64 %.155.i.i.i, 0
  br i1 %.156.not.i.i.i, label %B192.i.i.i, label %B120.i.i.i

B120.i.i.i:                                       ; preds = %B110.i.i.i
  %.159.i.i.i = and i64 %.40.i, -4
  %.161.i.i.i = add nsw i64 %.159.i.i.i, %.37.i
  %.162.i.i.i = inttoptr i64 %.161.i.i.i to ptr
  %.166.i.i.i = load i16, ptr %.162.i.i.i, align 1, !noalias !6
  %.168.i.i.i = zext i16 %.166.i.i.i to i64
  %.169.i.i.i = add nuw nsw i64 %total.4.0.lcssa.i.i.i, %.168.i.i.i
  br label %B192.i.i.i

B192.i.i.i:                                       ; preds = %B120.i.i.i, %B110.i.i.i
  %total.5.0.i.i.i = phi i64 [ %.169.i.i.i, %B120.i.i.i ], [ %total.4.0.lcssa.i.i.i, %B110.i.i.i ]
  %.182.i.i.i = and i64 %.40.i, 1
  %.183.not.i.i.i = icmp eq i64 %.182.i.i.i, 0
  br i1 %.183.not.i.i.i, label %_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i, label %B202.i.i.i

B202.i.i.i:                                       ; preds = %B192.i.i.i
  %.186.i.i.i = and i64 %.40.i, -2
  %.190.i.i.i = add nsw i64 %.186.i.i.i, %.37.i
  %.193.i.i.i = inttoptr i64 %.190.i.i.i to ptr
  %.196.i.i.i = load i8, ptr %.193.i.i.i, align 1, !noalias !6
  %.198.i.i.i = zext i8 %.196.i.i.i to i64
  %.199.i.i.i = add nsw i64 %total.5.0.i.i.i, %.198.i.i.i
  br label %_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i

B44.if.i.i.i:                                     ; preds = %B44.if.i.i.i, %B44.if.lr.ph.i.i.i
  %total.4.061.i.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i.i ], [ %.142.i.i.i, %B44.if.i.i.i ]
  %.38.059.i.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i.i ], [ %.109.i.i.i, %B44.if.i.i.i ]
  %.109.i.i.i = add nuw nsw i64 %.38.059.i.i.i, 1
  %.136.i.i.i = getelementptr [4 x i8], ptr %.135.i.i.i, i64 %.38.059.i.i.i
  %.139.i.i.i = load i32, ptr %.136.i.i.i, align 1, !noalias !6
  %.141.i.i.i = zext i32 %.139.i.i.i to i64
  %.142.i.i.i = add nuw nsw i64 %total.4.061.i.i.i, %.141.i.i.i
  %exitcond.not.i.i.i = icmp eq i64 %.109.i.i.i, %.14.i.i.i
  br i1 %exitcond.not.i.i.i, label %B110.i.i.i, label %B44.if.i.i.i

_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i: ; preds = %B202.i.i.i, %B192.i.i.i
  %total.6.0.i.i.i = phi i64 [ %.199.i.i.i, %B202.i.i.i ], [ %total.5.0.i.i.i, %B192.i.i.i ]
  %.5.i.i.i = and i64 %total.6.0.i.i.i, 4294967295
  %.6.i.i.i = ashr i64 %total.6.0.i.i.i, 32
  %.7.i.i.i = add nsw i64 %.5.i.i.i, %.6.i.i.i
  %.8.i.i.i = and i64 %.7.i.i.i, 4294967295
  %.9.i.i.i = ashr i64 %.7.i.i.i, 32
  %.10.i.i.i = add nsw i64 %.8.i.i.i, %.9.i.i.i
  %2 = and i64 %.10.i.i.i, 65535
  %.136.i10.i.i = ashr i64 %.10.i.i.i, 16
  %.137.i.i.i = add nsw i64 %2, %.136.i10.i.i
  %3 = and i64 %.137.i.i.i, 65535
  %.136.1.i.i.i = ashr i64 %.137.i.i.i, 16
  %.137.1.i.i.i = add nsw i64 %3, %.136.1.i.i.i
  %4 = and i64 %.137.1.i.i.i, 65535
  %.136.2.i.i.i = ashr i64 %.137.1.i.i.i, 16
  %.137.2.i.i.i = add nsw i64 %4, %.136.2.i.i.i
  %.66.not.i.i = icmp eq i64 %.137.2.i.i.i, 65535
  %5 = trunc i64 %.137.2.i.i.i to i16
  %6 = xor i16 %5, -1
  %"$phi78.0.2.0.i.i" = select i1 %.66.not.i.i, i16 -1, i16 %6
  %.81.i.i = inttoptr i64 %.47.i to ptr
  store i16 %"$phi78.0.2.0.i.i", ptr %.81.i.i, align 1, !noalias !11
  br label %_ZN8dropzero10softswitch5ports8gso_code18_complete_checksumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2084EE.exit

_ZN8dropzero10softswitch5ports8gso_code18_complete_checksumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2084EE.exit: ; preds = %B1258, %_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i
  %.573 = getelementptr i32, ptr %.20, i64 %.115.0276
  %.574 = load i32, ptr %.573, align 4
  %.25.i = getelementptr i64, ptr %.31, i64 %made.2.0278
  store i64 %start.2.1, ptr %.25.i, align 8, !noalias !12
  %.27.i = trunc i64 %size.2.1 to i32
  %.28.i = getelementptr i32, ptr %.36, i64 %made.2.0278
  store i32 %.27.i, ptr %.28.i, align 4, !noalias !12
  %.30.i198 = getelementptr i32, ptr %.41, i64 %made.2.0278
  store i32 %.574, ptr %.30.i198, align 4, !noalias !12
  %.32.i = getelementptr i64, ptr %.46, i64 %made.2.0278
  store i64 %.364.0, ptr %.32.i, align 8, !noalias !12
  br label %B1758

B1356:                                            ; preds = %B1226
  %.628 = load i8, ptr %.222, align 1
  %7 = and i8 %.628, 1
  %.631.not = icmp eq i8 %7, 0
  br i1 %.631.not, label %B1758, label %B1386

B1386:                                            ; preds = %B1356
  %.19.i199 = icmp samesign ugt i64 %transport.2.1, 14
  br i1 %.19.i199, label %B20.i, label %B212.i

B20.i:                                            ; preds = %B1386
  %.33.i = add nsw i64 %.505, 12
  %.34.i = inttoptr i64 %.33.i to ptr
  %.38.i = load i16, ptr %.34.i, align 1, !noalias !15
  switch i16 %.38.i, label %B212.i [
    i16 -22392, label %B100.preheader.i
    i16 129, label %B100.preheader.i
  ]

B100.preheader.i:                                 ; preds = %B20.i, %B20.i
  %.9868.i = icmp samesign ugt i64 %transport.2.1, 18
  br i1 %.9868.i, label %B132.lr.ph.i, label %B212.i

B132.lr.ph.i:                                     ; preds = %B100.preheader.i
  %.108.i = add i64 %.505, -2
  br label %B132.i

B132.i:                                           ; preds = %B100.backedge.i, %B132.lr.ph.i
  %.8769.i = phi i64 [ 18, %B132.lr.ph.i ], [ %.87.i, %B100.backedge.i ]
  %.111.i = add i64 %.108.i, %.8769.i
  %.112.i = inttoptr i64 %.111.i to ptr
  %.116.i = load i16, ptr %.112.i, align 1, !noalias !15
  switch i16 %.116.i, label %B212.i [
    i16 -22392, label %B100.backedge.i
    i16 129, label %B100.backedge.i
  ]

B100.backedge.i:                                  ; preds = %B132.i, %B132.i
  %.87.i = add nuw nsw i64 %.8769.i, 4
  %.98.i = icmp samesign ult i64 %.87.i, %transport.2.1
  br i1 %.98.i, label %B132.i, label %B212.i

B212.i:                                           ; preds = %B100.backedge.i, %B132.i, %B100.preheader.i, %B20.i, %B1386
  %network.3.1.i = phi i64 [ 14, %B20.i ], [ 14, %B1386 ], [ 18, %B100.preheader.i ], [ %.8769.i, %B132.i ], [ %.87.i, %B100.backedge.i ]
  %.172.i = sub nsw i64 %transport.2.1, %network.3.1.i
  %.173.i = icmp slt i64 %.172.i, 20
  br i1 %.173.i, label %B1386.endif, label %B244.i

B244.i:                                           ; preds = %B212.i
  %.185.i = add nsw i64 %network.3.1.i, %.505
  %.186.i = add nsw i64 %.185.i, -2
  %.187.i = inttoptr i64 %.186.i to ptr
  %.191.i = load i16, ptr %.187.i, align 1, !noalias !15
  %.200.i = inttoptr i64 %.185.i to ptr
  %.203.i = load i8, ptr %.200.i, align 1, !noalias !15
  switch i16 %.191.i, label %B514.i [
    i16 8, label %B392.else.if.i
    i16 -8826, label %B464.i
  ]

B464.i:                                           ; preds = %B244.i
  %.mask.old.i = and i8 %.203.i, -16
  %.328.old.i = icmp eq i8 %.mask.old.i, 96
  %.335.old.i = icmp sgt i64 %.172.i, 39
  %or.cond63.i = and i1 %.335.old.i, %.328.old.i
  br i1 %or.cond63.i, label %B1386.endif, label %B514.i

B514.i:                                           ; preds = %B392.else.if.i, %B464.i, %B244.i
  br label %B1386.endif

B392.else.if.i:                                   ; preds = %B244.i
  %.23261.i = lshr i64 %.172.i, 2
  %.254.i = or i64 %.23261.i, 64
  %.256.i = zext i8 %.203.i to i64
  %.257.i = icmp eq i64 %.254.i, %.256.i
  %.281.i = and i64 %.172.i, 3
  %.302.not.i = icmp eq i64 %.281.i, 0
  %or.cond64.i = and i1 %.302.not.i, %.257.i
  br i1 %or.cond64.i, label %B1386.endif, label %B514.i

B1758:                                            ; preds = %B1622.if, %_ZN8dropzero10softswitch5ports8gso_code15_split_in_placeB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit, %B1176, %_ZN8dropzero10softswitch5ports8gso_code18_complete_checksumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2084EE.exit, %B1356
  %segments.3.2 = phi i64 [ 1, %_ZN8dropzero10softswitch5ports8gso_code18_complete_checksumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2084EE.exit ], [ 0, %B1176 ], [ 0, %B1356 ], [ 0, %_ZN8dropzero10softswitch5ports8gso_code15_split_in_placeB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit ], [ %storemerge.i, %B1622.if ]
  %.1001 = trunc nuw nsw i64 %segments.3.2 to i32
  %.1002 = getelementptr i32, ptr %.15, i64 %.115.0276
  store i32 %.1001, ptr %.1002, align 4
  %.1008 = add nuw nsw i64 %segments.3.2, %made.2.0278
  %.1014 = getelementptr inbounds nuw i8, ptr %.218, i64 40
  store i64 72, ptr %.1014, align 1
  %exitcond280.not = icmp eq i64 %.187, %arg.count
  br i1 %exitcond280.not, label %B1806, label %B522.if

B1806:                                            ; preds = %B1758, %entry
  %made.2.0.lcssa = phi i64 [ 0, %entry ], [ %.1008, %B1758 ]
  store i64 %made.2.0.lcssa, ptr %retptr, align 8
  ret i32 0

B522.if:                                          ; preds = %B522.if.lr.ph, %B1758
  %made.2.0278 = phi i64 [ 0, %B522.if.lr.ph ], [ %.1008, %B1758 ]
  %.115.0276 = phi i64 [ 0, %B522.if.lr.ph ], [ %.187, %B1758 ]
  %.187 = add nuw nsw i64 %.115.0276, 1
  %.218 = getelementptr [64 x i8], ptr %.217, i64 %.115.0276
  %.222 = getelementptr [10 x i8], ptr %.221, i64 %.115.0276
  %.232 = getelementptr [72 x i8], ptr %.231, i64 %.115.0276
  %.239 = load i64, ptr %.237, align 1
  %.243 = load i64, ptr %.241, align 1
  %.244 = sub nsw i64 %.239, %.243
  %.249 = getelementptr inbounds nuw i8, ptr %.232, i64 12
  %.251 = load i32, ptr %.249, align 1
  %.253 = icmp eq i32 %.251, 35
  br i1 %.253, label %B720, label %B834

B916.else.if:                                     ; preds = %B720, %B834
  %control.2.1 = phi ptr [ %.232, %B720 ], [ %.351, %B834 ]
  %arrival.2.1 = phi i64 [ %.11.i195, %B720 ], [ %.244, %B834 ]
  %.375 = sdiv i64 %arrival.2.1, 1000
  %.376 = srem i64 %arrival.2.1, 1000
  %.376.lobit = ashr i64 %.376, 63
  %.364.0 = add nsw i64 %.376.lobit, %.375
  %.404 = mul nsw i64 %.115.0276, %.61
  %.405 = add nsw i64 %.404, 4
  %.414 = getelementptr inbounds nuw i8, ptr %.218, i64 56
  %.416 = load i32, ptr %.414, align 1
  %.417 = zext i32 %.416 to i64
  %.418 = add nsw i64 %.417, -10
  %.420 = getelementptr inbounds nuw i8, ptr %.222, i64 6
  %.422 = load i16, ptr %.420, align 1
  %.423 = zext i16 %.422 to i64
  %.439 = getelementptr inbounds nuw i8, ptr %control.2.1, i64 48
  %.441 = load i32, ptr %.439, align 1
  %8 = and i32 %.441, 16
  %.444.not = icmp eq i32 %8, 0
  br i1 %.444.not, label %B1176, label %B1078

B1386.endif:                                      ; preds = %B212.i, %B392.else.if.i, %B514.i, %B464.i
  %.638.0 = phi i64 [ 0, %B212.i ], [ %network.3.1.i, %B392.else.if.i ], [ 0, %B514.i ], [ %network.3.1.i, %B464.i ]
  switch i8 %.527, label %B1386.endif.endif [
    i8 5, label %B36.i
    i8 -124, label %B148.i
    i8 -127, label %B148.i
    i8 4, label %B148.i
    i8 1, label %B148.i
  ]

B36.i:                                            ; preds = %B1386.endif
  %.23.i = getelementptr inbounds nuw i8, ptr %.222, i64 8
  %.25.i203 = load i16, ptr %.23.i, align 1, !noalias !18
  %.27.i204 = icmp eq i16 %.25.i203, 6
  %.36.i = add nuw nsw i64 %transport.2.1, 8
  %spec.select = select i1 %.27.i204, i64 %.36.i, i64 0
  br label %B1386.endif.endif

B148.i:                                           ; preds = %B1386.endif, %B1386.endif, %B1386.endif, %B1386.endif
  %.92.i = getelementptr inbounds nuw i8, ptr %.222, i64 8
  %.94.i = load i16, ptr %.92.i, align 1, !noalias !18
  %.98.i201 = icmp ne i16 %.94.i, 16
  %.101.i = add nuw nsw i64 %transport.2.1, 20
  %.103.i = icmp sgt i64 %.101.i, %size.2.1
  %or.cond270 = select i1 %.98.i201, i1 true, i1 %.103.i
  br i1 %or.cond270, label %B1386.endif.endif, label %B212.i202

B212.i202:                                        ; preds = %B148.i
  %.115.i = add i64 %.505, 12
  %.118.i = add i64 %.115.i, %transport.2.1
  %.119.i = inttoptr i64 %.118.i to ptr
  %.122.i = load i8, ptr %.119.i, align 1, !noalias !18
  %.130.i = icmp ugt i8 %.122.i, 79
  %9 = lshr i8 %.122.i, 2
  %10 = and i8 %9, 60
  %.125.i = zext nneg i8 %10 to i64
  %.134.i = add nuw nsw i64 %transport.2.1, %.125.i
  %"$phi350.0.2.0.i" = select i1 %.130.i, i64 %.134.i, i64 0
  br label %B1386.endif.endif

B1386.endif.endif:                                ; preds = %B36.i, %B212.i202, %B148.i, %B1386.endif
  %.667.0 = phi i64 [ %spec.select, %B36.i ], [ 0, %B1386.endif ], [ %"$phi350.0.2.0.i", %B212.i202 ], [ 0, %B148.i ]
  %.695 = getelementptr inbounds nuw i8, ptr %.222, i64 4
  %.697 = load i16, ptr %.695, align 1
  %.700 = zext i16 %.697 to i64
  %.708 = mul nsw i64 %.187, %.61
  %.710 = sub nsw i64 %.708, %start.2.1
  %.16.i205 = sub nsw i64 %size.2.1, %.667.0
  %.20.i = icmp eq i64 %.638.0, 0
  %.23.i206 = icmp eq i64 %.667.0, 0
  %or.cond.not29.i = select i1 %.20.i, i1 true, i1 %.23.i206
  %.26.i = icmp slt i64 %.16.i205, 1
  %or.cond1.i = select i1 %or.cond.not29.i, i1 true, i1 %.26.i
  %.29.i = icmp eq i16 %.697, 0
  %or.cond2.i = select i1 %or.cond1.i, i1 true, i1 %.29.i
  br i1 %or.cond2.i, label %_ZN8dropzero10softswitch5ports8gso_code14_segment_countB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit, label %B50.i

B50.i:                                            ; preds = %B1386.endif.endif
  %.43.i = add nsw i64 %.16.i205, -1
  %.44.i207 = add nuw nsw i64 %.43.i, %.700
  %11 = or i64 %.44.i207, %.700
  %12 = icmp slt i64 %11, 4294967296
  br i1 %12, label %13, label %18

B94.i:                                            ; preds = %B50.else.if.else.i
  %.96.i = mul nuw nsw i64 %20, %.667.0
  %.100.i = add nuw nsw i64 %.96.i, %.16.i205
  %.104.not.i = icmp sgt i64 %.100.i, %.710
  br i1 %.104.not.i, label %B122.i, label %_ZN8dropzero10softswitch5ports8gso_code14_segment_countB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit

B122.i:                                           ; preds = %B50.else.if.else.i, %B94.i
  br label %_ZN8dropzero10softswitch5ports8gso_code14_segment_countB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit

13:                                               ; preds = %B50.i
  %14 = zext i16 %.697 to i32
  %15 = trunc i64 %.44.i207 to i32
  %16 = udiv i32 %15, %14
  %17 = zext i32 %16 to i64
  br label %B50.else.if.else.i

18:                                               ; preds = %B50.i
  %19 = udiv i64 %.44.i207, %.700
  br label %B50.else.if.else.i

B50.else.if.else.i:                               ; preds = %18, %13
  %20 = phi i64 [ %17, %13 ], [ %19, %18 ]
  %.92.i208 = icmp slt i64 %20, 129
  br i1 %.92.i208, label %B94.i, label %B122.i

_ZN8dropzero10softswitch5ports8gso_code14_segment_countB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit: ; preds = %B1386.endif.endif, %B94.i, %B122.i
  %storemerge.i = phi i64 [ 0, %B1386.endif.endif ], [ 0, %B122.i ], [ %20, %B94.i ]
  %.26.not.i = icmp eq i64 %storemerge.i, 0
  br i1 %.26.not.i, label %_ZN8dropzero10softswitch5ports8gso_code15_split_in_placeB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit, label %B12.i

B12.i:                                            ; preds = %_ZN8dropzero10softswitch5ports8gso_code14_segment_countB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit
  %.51.i = sub nsw i64 %.667.0, %transport.2.1
  %.60.i = add nsw i64 %.638.0, %.505
  %.61.i = inttoptr i64 %.60.i to ptr
  %.64.i = load i8, ptr %.61.i, align 1, !noalias !21
  %.mask.i = and i8 %.64.i, -16
  %.69.i = icmp eq i8 %.mask.i, 64
  %.74.not.i = icmp eq i64 %.51.i, 8
  %..i = select i1 %.74.not.i, i64 6, i64 16
  %.93.i = add nuw nsw i64 %..i, %transport.2.1
  %.105.i = add nsw i64 %.60.i, 4
  %.106.i = inttoptr i64 %.105.i to ptr
  %.110.i = load i16, ptr %.106.i, align 1, !noalias !21
  %rev.i.i209 = tail call i16 @llvm.bswap.i16(i16 %.110.i)
  %.144.i = add nuw nsw i64 %transport.2.1, 4
  %.145.i = add i64 %.144.i, %.505
  %.146.i = inttoptr i64 %.145.i to ptr
  %.150.i = load i32, ptr %.146.i, align 1, !noalias !21
  %rev.i156.i = tail call i32 @llvm.bswap.i32(i32 %.150.i)
  %.181.i = add nsw i64 %.93.i, %.505
  %.182.i = inttoptr i64 %.181.i to ptr
  %.186.i210 = load i16, ptr %.182.i, align 1, !noalias !21
  %.191.i211 = sub nsw i64 %size.2.1, %transport.2.1
  %trunc.i.i = trunc i64 %.191.i211 to i16
  %.187.i212 = zext i16 %.186.i210 to i64
  %21 = xor i16 %trunc.i.i, -1
  %22 = tail call i16 @llvm.bswap.i16(i16 %21)
  %.216.i = zext i16 %22 to i64
  %.217.i = add nuw nsw i64 %.187.i212, %.216.i
  %.402.i = add nsw i64 %.667.0, %.505
  %.414.i = inttoptr i64 %.505 to ptr
  %.419.i = sub nsw i64 %.667.0, %.638.0
  %.612.i = add i64 %.638.0, 4
  %.520.i = sub nsw i64 %transport.2.1, %.638.0
  %.14.i.i = ashr i64 %.520.i, 2
  %.9658.not.i.i = icmp slt i64 %.14.i.i, 1
  %.155.i.i = and i64 %.520.i, 2
  %.156.not.i.i = icmp eq i64 %.155.i.i, 0
  %.159.i.i = and i64 %.520.i, -4
  %.182.i.i = and i64 %.520.i, 1
  %.183.not.i.i = icmp eq i64 %.182.i.i, 0
  %.186.i.i = and i64 %.520.i, -2
  br label %B564.if.i

B760.i:                                           ; preds = %B564.if.i
  %rev.i160.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i159.i)
  %.457.i = add nsw i64 %.393.i, %.638.0
  %.458.i = add nsw i64 %.457.i, 2
  %.459.i = inttoptr i64 %.458.i to ptr
  store i16 %rev.i160.i, ptr %.459.i, align 1, !noalias !21
  %23 = trunc i64 %.342.i to i16
  %trunc.i162.i = add i16 %rev.i.i209, %23
  %rev.i163.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i162.i)
  %.496.i = add nsw i64 %.457.i, 4
  %.497.i = inttoptr i64 %.496.i to ptr
  store i16 %rev.i163.i, ptr %.497.i, align 1, !noalias !21
  %.506.i = add nsw i64 %.457.i, 10
  %.507.i = inttoptr i64 %.506.i to ptr
  store i16 0, ptr %.507.i, align 1, !noalias !21
  br i1 %.9658.not.i.i, label %B110.i.i, label %B44.if.lr.ph.i.i

B44.if.lr.ph.i.i:                                 ; preds = %B760.i
  %.135.i.i = inttoptr i64 %.457.i to ptr
  br label %B44.if.i.i

B110.i.i:                                         ; preds = %B44.if.i.i, %B760.i
  %total.4.0.lcssa.i.i = phi i64 [ 0, %B760.i ], [ %.142.i.i, %B44.if.i.i ]
  br i1 %.156.not.i.i, label %B192.i.i, label %B120.i.i

B120.i.i:                                         ; preds = %B110.i.i
  %.161.i.i = add nsw i64 %.457.i, %.159.i.i
  %.162.i.i = inttoptr i64 %.161.i.i to ptr
  %.166.i.i = load i16, ptr %.162.i.i, align 1, !noalias !24
  %.168.i.i = zext i16 %.166.i.i to i64
  %.169.i.i = add nuw nsw i64 %total.4.0.lcssa.i.i, %.168.i.i
  br label %B192.i.i

B192.i.i:                                         ; preds = %B120.i.i, %B110.i.i
  %total.5.0.i.i = phi i64 [ %.169.i.i, %B120.i.i ], [ %total.4.0.lcssa.i.i, %B110.i.i ]
  br i1 %.183.not.i.i, label %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit.i, label %B202.i.i

B202.i.i:                                         ; preds = %B192.i.i
  %.190.i.i = add nsw i64 %.457.i, %.186.i.i
  %.193.i.i = inttoptr i64 %.190.i.i to ptr
  %.196.i.i = load i8, ptr %.193.i.i, align 1, !noalias !24
  %.198.i.i = zext i8 %.196.i.i to i64
  %.199.i.i = add nsw i64 %total.5.0.i.i, %.198.i.i
  br label %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit.i

B44.if.i.i:                                       ; preds = %B44.if.i.i, %B44.if.lr.ph.i.i
  %total.4.061.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i ], [ %.142.i.i, %B44.if.i.i ]
  %.38.059.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i ], [ %.109.i.i, %B44.if.i.i ]
  %.109.i.i = add nuw nsw i64 %.38.059.i.i, 1
  %.136.i.i = getelementptr [4 x i8], ptr %.135.i.i, i64 %.38.059.i.i
  %.139.i.i = load i32, ptr %.136.i.i, align 1, !noalias !24
  %.141.i.i = zext i32 %.139.i.i to i64
  %.142.i.i = add nuw nsw i64 %total.4.061.i.i, %.141.i.i
  %exitcond.not.i.i = icmp eq i64 %.109.i.i, %.14.i.i
  br i1 %exitcond.not.i.i, label %B110.i.i, label %B44.if.i.i

_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit.i: ; preds = %B202.i.i, %B192.i.i
  %total.6.0.i.i = phi i64 [ %.199.i.i, %B202.i.i ], [ %total.5.0.i.i, %B192.i.i ]
  %.5.i.i = and i64 %total.6.0.i.i, 4294967295
  %.6.i.i = ashr i64 %total.6.0.i.i, 32
  %.7.i.i = add nsw i64 %.5.i.i, %.6.i.i
  %.8.i.i = and i64 %.7.i.i, 4294967295
  %.9.i165.i = ashr i64 %.7.i.i, 32
  %.10.i.i = add nsw i64 %.8.i.i, %.9.i165.i
  %24 = and i64 %.10.i.i, 65535
  %.136.i166.i = ashr i64 %.10.i.i, 16
  %.137.i.i = add nsw i64 %24, %.136.i166.i
  %25 = and i64 %.137.i.i, 65535
  %.136.1.i.i = ashr i64 %.137.i.i, 16
  %.137.1.i.i = add nsw i64 %25, %.136.1.i.i
  %.136.2.i.i = lshr i64 %.137.1.i.i, 16
  %.137.2.i.i = add nsw i64 %.136.2.i.i, %.137.1.i.i
  %26 = trunc i64 %.137.2.i.i to i16
  %.576.i = xor i16 %26, -1
  store i16 %.576.i, ptr %.507.i, align 1, !noalias !21
  br label %B1268.i

B1160.i:                                          ; preds = %B564.if.i
  %trunc.i167.i = add i16 %trunc.i159.i, -40
  %rev.i168.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i167.i)
  %.613.i = add i64 %.612.i, %.393.i
  %.614.i = inttoptr i64 %.613.i to ptr
  store i16 %rev.i168.i, ptr %.614.i, align 1, !noalias !21
  br label %B1268.i

B1268.i:                                          ; preds = %B1160.i, %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit.i
  br i1 %.74.not.i, label %B1550.i, label %B1272.i

B1272.i:                                          ; preds = %B1268.i
  %27 = trunc i64 %.348.i to i32
  %trunc.i170.i = add i32 %rev.i156.i, %27
  %rev.i171.i = tail call i32 @llvm.bswap.i32(i32 %trunc.i170.i)
  %.655.i = add nsw i64 %.393.i, %transport.2.1
  %.656.i = add nsw i64 %.655.i, 4
  %.657.i = inttoptr i64 %.656.i to ptr
  store i32 %rev.i171.i, ptr %.657.i, align 1, !noalias !21
  %.666.i = add nsw i64 %.655.i, 13
  %.667.i = inttoptr i64 %.666.i to ptr
  %.675.not.i = icmp eq i64 %.245.0193.i, 0
  br i1 %.675.not.i, label %B1494.i, label %B1444.i

B1444.i:                                          ; preds = %B1272.i
  %.679.i = load i8, ptr %.667.i, align 1, !noalias !21
  %28 = and i8 %.679.i, -10
  store i8 %28, ptr %.667.i, align 1, !noalias !21
  br label %B1494.i

B1494.i:                                          ; preds = %B1444.i, %B1272.i
  %.690.not.i = icmp eq i64 %.342.i, 0
  br i1 %.690.not.i, label %B1648.i, label %B1498.i

B1498.i:                                          ; preds = %B1494.i
  %.696.i = load i8, ptr %.667.i, align 1, !noalias !21
  %29 = and i8 %.696.i, 127
  store i8 %29, ptr %.667.i, align 1, !noalias !21
  br label %B1648.i

B1550.i:                                          ; preds = %B1268.i
  %30 = trunc i64 %.11.i.i to i16
  %trunc.i173.i = add i16 %30, 8
  %rev.i174.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i173.i)
  %.746.i = add i64 %.393.i, %.144.i
  %.747.i = inttoptr i64 %.746.i to ptr
  store i16 %rev.i174.i, ptr %.747.i, align 1, !noalias !21
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
  store i16 %.814.i, ptr %.812.i, align 1, !noalias !21
  %.821.i = add nsw i64 %.393.i, %transport.2.1
  %.14.i.i.i213 = ashr i64 %.758.i, 2
  %.9658.not.i.i.i214 = icmp slt i64 %.14.i.i.i213, 1
  br i1 %.9658.not.i.i.i214, label %B110.i.i.i226, label %B44.if.lr.ph.i.i.i215

B44.if.lr.ph.i.i.i215:                            ; preds = %B1648.i
  %.135.i.i.i216 = inttoptr i64 %.821.i to ptr
  br label %B44.if.i.i.i217

B110.i.i.i226:                                    ; preds = %B44.if.i.i.i217, %B1648.i
  %total.4.0.lcssa.i.i.i227 = phi i64 [ 0, %B1648.i ], [ %.142.i.i.i224, %B44.if.i.i.i217 ]
  %.155.i.i.i228 = and i64 %.758.i, 2
  %.156.not.i.i.i229 = icmp eq i64 %.155.i.i.i228, 0
  br i1 %.156.not.i.i.i229, label %B192.i.i.i237, label %B120.i.i.i230

B120.i.i.i230:                                    ; preds = %B110.i.i.i226
  %.159.i.i.i231 = and i64 %.758.i, -4
  %.161.i.i.i232 = add nsw i64 %.159.i.i.i231, %.821.i
  %.162.i.i.i233 = inttoptr i64 %.161.i.i.i232 to ptr
  %.166.i.i.i234 = load i16, ptr %.162.i.i.i233, align 1, !noalias !27
  %.168.i.i.i235 = zext i16 %.166.i.i.i234 to i64
  %.169.i.i.i236 = add nuw nsw i64 %total.4.0.lcssa.i.i.i227, %.168.i.i.i235
  br label %B192.i.i.i237

B192.i.i.i237:                                    ; preds = %B120.i.i.i230, %B110.i.i.i226
  %total.5.0.i.i.i238 = phi i64 [ %.169.i.i.i236, %B120.i.i.i230 ], [ %total.4.0.lcssa.i.i.i227, %B110.i.i.i226 ]
  %.182.i.i.i239 = and i64 %.758.i, 1
  %.183.not.i.i.i240 = icmp eq i64 %.182.i.i.i239, 0
  br i1 %.183.not.i.i.i240, label %_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i248, label %B202.i.i.i241

B202.i.i.i241:                                    ; preds = %B192.i.i.i237
  %.186.i.i.i242 = and i64 %.758.i, -2
  %.190.i.i.i243 = add nsw i64 %.186.i.i.i242, %.821.i
  %.193.i.i.i244 = inttoptr i64 %.190.i.i.i243 to ptr
  %.196.i.i.i245 = load i8, ptr %.193.i.i.i244, align 1, !noalias !27
  %.198.i.i.i246 = zext i8 %.196.i.i.i245 to i64
  %.199.i.i.i247 = add nsw i64 %total.5.0.i.i.i238, %.198.i.i.i246
  br label %_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i248

B44.if.i.i.i217:                                  ; preds = %B44.if.i.i.i217, %B44.if.lr.ph.i.i.i215
  %total.4.061.i.i.i218 = phi i64 [ 0, %B44.if.lr.ph.i.i.i215 ], [ %.142.i.i.i224, %B44.if.i.i.i217 ]
  %.38.059.i.i.i219 = phi i64 [ 0, %B44.if.lr.ph.i.i.i215 ], [ %.109.i.i.i220, %B44.if.i.i.i217 ]
  %.109.i.i.i220 = add nuw nsw i64 %.38.059.i.i.i219, 1
  %.136.i.i.i221 = getelementptr [4 x i8], ptr %.135.i.i.i216, i64 %.38.059.i.i.i219
  %.139.i.i.i222 = load i32, ptr %.136.i.i.i221, align 1, !noalias !27
  %.141.i.i.i223 = zext i32 %.139.i.i.i222 to i64
  %.142.i.i.i224 = add nuw nsw i64 %total.4.061.i.i.i218, %.141.i.i.i223
  %exitcond.not.i.i.i225 = icmp eq i64 %.109.i.i.i220, %.14.i.i.i213
  br i1 %exitcond.not.i.i.i225, label %B110.i.i.i226, label %B44.if.i.i.i217

_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i248: ; preds = %B202.i.i.i241, %B192.i.i.i237
  %total.6.0.i.i.i249 = phi i64 [ %.199.i.i.i247, %B202.i.i.i241 ], [ %total.5.0.i.i.i238, %B192.i.i.i237 ]
  %.5.i.i.i250 = and i64 %total.6.0.i.i.i249, 4294967295
  %.6.i.i.i251 = ashr i64 %total.6.0.i.i.i249, 32
  %.7.i.i.i252 = add nsw i64 %.5.i.i.i250, %.6.i.i.i251
  %.8.i.i.i253 = and i64 %.7.i.i.i252, 4294967295
  %.9.i.i.i254 = ashr i64 %.7.i.i.i252, 32
  %.10.i.i.i255 = add nsw i64 %.8.i.i.i253, %.9.i.i.i254
  %33 = and i64 %.10.i.i.i255, 65535
  %.136.i10.i.i256 = ashr i64 %.10.i.i.i255, 16
  %.137.i.i.i257 = add nsw i64 %33, %.136.i10.i.i256
  %34 = and i64 %.137.i.i.i257, 65535
  %.136.1.i.i.i258 = ashr i64 %.137.i.i.i257, 16
  %.137.1.i.i.i259 = add nsw i64 %34, %.136.1.i.i.i258
  %35 = and i64 %.137.1.i.i.i259, 65535
  %.136.2.i.i.i260 = ashr i64 %.137.1.i.i.i259, 16
  %.137.2.i.i.i261 = add nsw i64 %35, %.136.2.i.i.i260
  %.66.not.i.i262 = icmp eq i64 %.137.2.i.i.i261, 65535
  %36 = trunc i64 %.137.2.i.i.i261 to i16
  %37 = xor i16 %36, -1
  %"$phi78.0.2.0.i.i263" = select i1 %.66.not.i.i262, i16 -1, i16 %37
  store i16 %"$phi78.0.2.0.i.i263", ptr %.812.i, align 1, !noalias !32
  %exitcond.not.i = icmp eq i64 %storemerge.i, %.315.i
  br i1 %exitcond.not.i, label %_ZN8dropzero10softswitch5ports8gso_code15_split_in_placeB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit, label %B564.if.i

B564.if.i:                                        ; preds = %_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i248, %B12.i
  %.245.0193.i = phi i64 [ 0, %B12.i ], [ %.315.i, %_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i248 ]
  %.315.i = add nuw nsw i64 %.245.0193.i, 1
  %38 = xor i64 %.245.0193.i, -1
  %.342.i = add i64 %storemerge.i, %38
  %.348.i = mul nsw i64 %.342.i, %.700
  %39 = add i64 %.667.0, %.348.i
  %.354.i = sub i64 %size.2.1, %39
  %.11.i.i = tail call i64 @llvm.smin.i64(i64 %.354.i, i64 range(i64 0, 65536) %.700)
  %.389.i = add nsw i64 %.348.i, %.505
  %.392.i = mul nsw i64 %.342.i, %.667.0
  %.393.i = add nsw i64 %.389.i, %.392.i
  %.399.i = add nsw i64 %.393.i, %.667.0
  %.404.i = add nsw i64 %.402.i, %.348.i
  %.406.i = inttoptr i64 %.399.i to ptr
  %.407.i = inttoptr i64 %.404.i to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %.406.i, ptr align 1 %.407.i, i64 %.11.i.i, i1 false), !noalias !21
  %.413.i = inttoptr i64 %.393.i to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %.413.i, ptr align 1 %.414.i, i64 %.667.0, i1 false), !noalias !21
  %.421.i = add nsw i64 %.11.i.i, %.419.i
  %trunc.i159.i = trunc i64 %.421.i to i16
  br i1 %.69.i, label %B760.i, label %B1160.i

_ZN8dropzero10softswitch5ports8gso_code15_split_in_placeB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit: ; preds = %_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit.i248, %_ZN8dropzero10softswitch5ports8gso_code14_segment_countB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit
  %.859271.not = icmp slt i64 %storemerge.i, 1
  br i1 %.859271.not, label %B1758, label %B1622.if.lr.ph

B1622.if.lr.ph:                                   ; preds = %_ZN8dropzero10softswitch5ports8gso_code15_split_in_placeB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit
  %.901 = add nuw nsw i64 %.667.0, %.700
  %.945 = getelementptr i32, ptr %.20, i64 %.115.0276
  br label %B1622.if

B1622.if:                                         ; preds = %B1622.if.lr.ph, %B1622.if
  %.800.0272 = phi i64 [ 0, %B1622.if.lr.ph ], [ %.872, %B1622.if ]
  %.872 = add nuw nsw i64 %.800.0272, 1
  %.909 = mul nuw nsw i64 %.800.0272, %.700
  %.911 = sub nsw i64 %size.2.1, %.909
  %.11.i264 = tail call i64 @llvm.smin.i64(i64 %.911, i64 %.901)
  %.902 = mul nsw i64 %.800.0272, %.901
  %.904 = add nsw i64 %.902, %start.2.1
  %.942 = add nuw nsw i64 %.800.0272, %made.2.0278
  %.946 = load i32, ptr %.945, align 4
  %.25.i265 = getelementptr i64, ptr %.31, i64 %.942
  store i64 %.904, ptr %.25.i265, align 8, !noalias !33
  %.27.i266 = trunc i64 %.11.i264 to i32
  %.28.i267 = getelementptr i32, ptr %.36, i64 %.942
  store i32 %.27.i266, ptr %.28.i267, align 4, !noalias !33
  %.30.i268 = getelementptr i32, ptr %.41, i64 %.942
  store i32 %.946, ptr %.30.i268, align 4, !noalias !33
  %.32.i269 = getelementptr i64, ptr %.46, i64 %.942
  store i64 %.364.0, ptr %.32.i269, align 8, !noalias !33
  %exitcond.not = icmp eq i64 %.872, %storemerge.i
  br i1 %exitcond.not, label %B1758, label %B1622.if
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #1

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define i64 @split(i64 %.1, i64 %.2) local_unnamed_addr #0 {
.4:
  %.5 = alloca i64, align 8
  %0 = call fastcc i32 @_ZN8dropzero10softswitch5ports8gso_code5splitB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr %.5, i64 %.1, i64 %.2)
  %.8 = load i64, ptr %.5, align 8
  ret i64 %.8
}

; Function Attrs: nofree norecurse nounwind
define internal fastcc void @_ZN8dropzero10softswitch5ports9ring_code4takeB3v20B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr noalias nonnull writeonly captures(none) %retptr, i64 %arg.at, i64 %arg.packets) unnamed_addr #2 {
entry:
  %.9 = inttoptr i64 %arg.at to ptr
  %.15 = getelementptr inbounds nuw i8, ptr %.9, i64 144
  %.17 = load i64, ptr %.15, align 1
  %.18 = inttoptr i64 %.17 to ptr
  %.20 = getelementptr inbounds nuw i8, ptr %.9, i64 152
  %.22 = load i64, ptr %.20, align 1
  %.23 = inttoptr i64 %.22 to ptr
  %.31 = getelementptr inbounds nuw i8, ptr %.9, i64 160
  %.33 = load i64, ptr %.31, align 1
  %.34 = inttoptr i64 %.33 to ptr
  %.36 = getelementptr inbounds nuw i8, ptr %.9, i64 168
  %.38 = load i64, ptr %.36, align 1
  %.39 = inttoptr i64 %.38 to ptr
  %.47 = getelementptr inbounds nuw i8, ptr %.9, i64 88
  %.49 = load i64, ptr %.47, align 1
  %.51 = getelementptr inbounds nuw i8, ptr %.9, i64 96
  %.53 = load i64, ptr %.51, align 1
  %.54 = mul nsw i64 %.53, %.49
  %.59 = getelementptr inbounds nuw i8, ptr %.9, i64 336
  %.61 = load i64, ptr %.59, align 1
  %.63 = getelementptr inbounds nuw i8, ptr %.9, i64 224
  %.65 = load i64, ptr %.63, align 1
  %.66 = sub nsw i64 %.61, %.65
  %.85 = sdiv i64 %.66, 1000
  %.86 = srem i64 %.66, 1000
  %.86.lobit = ashr i64 %.86, 63
  %.74.0 = add nsw i64 %.86.lobit, %.85
  %.111 = getelementptr inbounds nuw i8, ptr %.9, i64 376
  %.113 = load i64, ptr %.111, align 1
  %.11.i = tail call i64 @llvm.smax.i64(i64 %.113, i64 1)
  %0 = icmp slt i64 %.113, 4294967296
  br i1 %0, label %1, label %5

B786:                                             ; preds = %B462.if
  fence seq_cst
  br label %B814

B814:                                             ; preds = %B462.if, %B786
  %.427 = add nsw i64 %.11.i152, %.338
  %.508153.not = icmp slt i64 %.11.i151, 1
  br i1 %.508153.not, label %B1264, label %B852.if.lr.ph

B852.if.lr.ph:                                    ; preds = %B814
  %.625 = getelementptr inbounds nuw i8, ptr %.314, i64 8
  %.679 = getelementptr inbounds nuw i8, ptr %.322, i64 8
  br label %B852.if

B1040:                                            ; preds = %B852.if
  %.612 = load i64, ptr %.610, align 1
  %.614 = add nsw i64 %.612, %start.2.1157
  %.616 = add nsw i64 %.554, 22
  %.620 = inttoptr i64 %.614 to ptr
  %.621 = inttoptr i64 %.616 to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %.620, ptr align 1 %.621, i64 %.561, i1 false)
  %.627 = load i64, ptr %.625, align 1
  %.641 = getelementptr i64, ptr %.18, i64 %packets.2.1156
  store i64 %start.2.1157, ptr %.641, align 8
  %.645 = trunc nuw nsw i64 %.561 to i32
  %.646 = getelementptr i32, ptr %.23, i64 %packets.2.1156
  store i32 %.645, ptr %.646, align 4
  %.650 = trunc i64 %.627 to i32
  %.651 = getelementptr i32, ptr %.34, i64 %packets.2.1156
  store i32 %.650, ptr %.651, align 4
  %.655 = getelementptr i64, ptr %.39, i64 %packets.2.1156
  store i64 %.74.0, ptr %.655, align 8
  %.658 = add nsw i64 %start.2.1157, 1600
  %.664 = add nsw i64 %packets.2.1156, 1
  %.672 = load i64, ptr %.322, align 1
  %.673 = add nsw i64 %.672, 1
  store i64 %.673, ptr %.322, align 1
  %.681 = load i64, ptr %.679, align 1
  %.683 = add nsw i64 %.681, %.561
  store i64 %.683, ptr %.679, align 1
  br label %B1343

B1264:                                            ; preds = %B1343, %B814
  %packets.2.1.lcssa = phi i64 [ %packets.3.0162, %B814 ], [ %packets.4.2, %B1343 ]
  %start.2.1.lcssa = phi i64 [ %start.3.0163, %B814 ], [ %start.4.2, %B1343 ]
  br i1 %.409.not, label %B1338, label %B1268

B1268:                                            ; preds = %B1264
  fence seq_cst
  store i64 %.427, ptr %.337, align 8
  br label %B1338

B1338:                                            ; preds = %B1268, %B1264
  %exitcond.not = icmp eq i64 %.284, %.113
  br i1 %exitcond.not, label %B1342, label %B462.if

B1342:                                            ; preds = %B1338, %B0.endif.endif.else.endif
  %packets.3.0.lcssa = phi i64 [ %arg.packets, %B0.endif.endif.else.endif ], [ %packets.2.1.lcssa, %B1338 ]
  store i64 %packets.3.0.lcssa, ptr %retptr, align 8
  ret void

B1343:                                            ; preds = %B1040, %B852.if
  %packets.4.2 = phi i64 [ %packets.2.1156, %B852.if ], [ %.664, %B1040 ]
  %start.4.2 = phi i64 [ %start.2.1157, %B852.if ], [ %.658, %B1040 ]
  %.508 = icmp sgt i64 %.455.0155, 1
  br i1 %.508, label %B852.if, label %B1264

1:                                                ; preds = %entry
  %2 = trunc nuw i64 %.11.i to i32
  %3 = udiv i32 256, %2
  %4 = zext nneg i32 %3 to i64
  br label %B0.endif.endif.else.endif

5:                                                ; preds = %entry
  %6 = udiv i64 256, %.11.i
  br label %B0.endif.endif.else.endif

B0.endif.endif.else.endif:                        ; preds = %5, %1
  %7 = phi i64 [ %4, %1 ], [ %6, %5 ]
  %.271159.not = icmp slt i64 %.113, 1
  br i1 %.271159.not, label %B1342, label %B462.if.lr.ph

B462.if.lr.ph:                                    ; preds = %B0.endif.endif.else.endif
  %.310 = getelementptr inbounds nuw i8, ptr %.9, i64 368
  %.610 = getelementptr inbounds nuw i8, ptr %.9, i64 104
  br label %B462.if

B462.if:                                          ; preds = %B462.if.lr.ph, %B1338
  %start.3.0163 = phi i64 [ %.54, %B462.if.lr.ph ], [ %start.2.1.lcssa, %B1338 ]
  %packets.3.0162 = phi i64 [ %arg.packets, %B462.if.lr.ph ], [ %packets.2.1.lcssa, %B1338 ]
  %.214.0161 = phi i64 [ 0, %B462.if.lr.ph ], [ %.284, %B1338 ]
  %.284 = add nuw nsw i64 %.214.0161, 1
  %.312 = load i64, ptr %.310, align 1
  %.313 = inttoptr i64 %.312 to ptr
  %.314 = getelementptr [48 x i8], ptr %.313, i64 %.214.0161
  %.319 = getelementptr inbounds nuw i8, ptr %.314, i64 40
  %.321 = load i64, ptr %.319, align 1
  %.322 = inttoptr i64 %.321 to ptr
  %.330 = load i64, ptr %.314, align 1
  %.331 = inttoptr i64 %.330 to ptr
  %.337 = getelementptr i8, ptr %.331, i64 64
  %.338 = load i64, ptr %.337, align 8
  %.345 = load i64, ptr %.331, align 8
  %.347 = sub nsw i64 %.345, %.338
  %.11.i151 = tail call i64 @llvm.smin.i64(i64 %7, i64 %.347)
  %.11.i152 = tail call i64 @llvm.smax.i64(i64 %.11.i151, i64 0)
  %.409.not = icmp slt i64 %.11.i151, 1
  br i1 %.409.not, label %B814, label %B786

B852.if:                                          ; preds = %B852.if.lr.ph, %B1343
  %start.2.1157 = phi i64 [ %start.3.0163, %B852.if.lr.ph ], [ %start.4.2, %B1343 ]
  %packets.2.1156 = phi i64 [ %packets.3.0162, %B852.if.lr.ph ], [ %packets.4.2, %B1343 ]
  %.455.0155 = phi i64 [ %.11.i152, %B852.if.lr.ph ], [ %.517, %B1343 ]
  %.452.0154 = phi i64 [ %.338, %B852.if.lr.ph ], [ %.521, %B1343 ]
  %.517 = add nsw i64 %.455.0155, -1
  %.521 = add i64 %.452.0154, 1
  %8 = and i64 %.452.0154, 511
  %9 = mul nuw nsw i64 %8, 1600
  %.549 = load i64, ptr %.314, align 1
  %.550 = add nuw nsw i64 %9, 4096
  %.554 = add i64 %.550, %.549
  %.559 = inttoptr i64 %.554 to ptr
  %.561 = load i64, ptr %.559, align 8
  %10 = add i64 %.561, -14
  %or.cond = icmp ult i64 %10, 1565
  br i1 %or.cond, label %B1040, label %B1343
}

; Function Attrs: nofree norecurse nounwind
define i64 @take(i64 %.1, i64 %.2) local_unnamed_addr #2 {
.4:
  %.5 = alloca i64, align 8
  call fastcc void @_ZN8dropzero10softswitch5ports9ring_code4takeB3v20B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr %.5, i64 %.1, i64 %.2)
  %.8 = load i64, ptr %.5, align 8
  ret i64 %.8
}

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define internal fastcc void @_ZN8dropzero10softswitch5ports8gso_code8coalesceB3v21B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx(ptr noalias nonnull writeonly captures(none) %retptr, i64 %arg.at, i64 %arg.data, i64 %arg.starts_at, i64 %arg.lengths_at, i64 %arg.ports_at, i64 %arg.count, i64 %arg.port) unnamed_addr #0 {
entry:
  %.367.i = alloca i8, align 1
  %.15 = inttoptr i64 %arg.at to ptr
  %.20 = inttoptr i64 %arg.starts_at to ptr
  %.21 = inttoptr i64 %arg.lengths_at to ptr
  %.22 = inttoptr i64 %arg.ports_at to ptr
  %.33 = getelementptr inbounds nuw i8, ptr %.15, i64 176
  %.35 = load i64, ptr %.33, align 1
  %.36 = inttoptr i64 %.35 to ptr
  %.152334.not = icmp slt i64 %arg.count, 1
  br i1 %.152334.not, label %B1432, label %B330.if.lr.ph

B330.if.lr.ph:                                    ; preds = %entry
  %.272 = getelementptr inbounds nuw i8, ptr %.15, i64 304
  %.526 = getelementptr inbounds nuw i8, ptr %.15, i64 280
  %.8.i275 = getelementptr inbounds nuw i8, ptr %.15, i64 288
  %.694 = getelementptr inbounds nuw i8, ptr %.15, i64 280
  %.8.i286 = getelementptr inbounds nuw i8, ptr %.15, i64 288
  %.792 = getelementptr inbounds nuw i8, ptr %.15, i64 296
  %.924 = getelementptr inbounds nuw i8, ptr %.15, i64 296
  br label %B330.if

B360:                                             ; preds = %B330.if
  %.254 = getelementptr i64, ptr %.20, i64 %.93.0336
  %.255 = load i64, ptr %.254, align 8
  %.257 = add nsw i64 %.255, %arg.data
  %.260 = getelementptr i32, ptr %.21, i64 %.93.0336
  %.261 = load i32, ptr %.260, align 4
  %.264 = sext i32 %.261 to i64
  %.274 = load i64, ptr %.272, align 1
  %.275.not = icmp eq i64 %.274, 0
  br i1 %.275.not, label %B484, label %B438

B438:                                             ; preds = %B360
  call void @llvm.lifetime.start.p0(ptr nonnull %.367.i)
  store i8 0, ptr %.367.i, align 1, !noalias !36
  %.14.i = inttoptr i64 %.257 to ptr
  %.20.i = icmp slt i32 %.261, 43
  br i1 %.20.i, label %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit, label %B70.i

B70.i:                                            ; preds = %B438
  %.23.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 12
  %.25.i = load i16, ptr %.23.i, align 1, !noalias !36
  %.27.not.i = icmp eq i16 %.25.i, 8
  br i1 %.27.not.i, label %B102.i, label %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit

B102.i:                                           ; preds = %B70.i
  %.30.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 14
  %.31.i = load i8, ptr %.30.i, align 1, !noalias !36
  %.33.not.i = icmp eq i8 %.31.i, 69
  br i1 %.33.not.i, label %B134.i, label %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit

B134.i:                                           ; preds = %B102.i
  %.36.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 20
  %.38.i = load i16, ptr %.36.i, align 1, !noalias !36
  %.40.not.i = icmp eq i16 %.38.i, 64
  br i1 %.40.not.i, label %B166.i, label %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit

B166.i:                                           ; preds = %B134.i
  %.43.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 16
  %.45.i = load i16, ptr %.43.i, align 1, !noalias !36
  %0 = trunc i32 %.261 to i16
  %trunc.i.i = add i16 %0, -14
  %rev.i.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i.i)
  %.76.not.i = icmp eq i16 %rev.i.i, %.45.i
  br i1 %.76.not.i, label %B44.if.i.i, label %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit

B44.if.i.i:                                       ; preds = %B166.i
  %.81.i = add nsw i64 %.257, 14
  %.135.i.i = inttoptr i64 %.81.i to ptr
  %.139.i.i = load i32, ptr %.135.i.i, align 1, !noalias !39
  %.141.i.i = zext i32 %.139.i.i to i64
  %.136.i.1.i = getelementptr i8, ptr %.135.i.i, i64 4
  %.139.i.1.i = load i32, ptr %.136.i.1.i, align 1, !noalias !39
  %.141.i.1.i = zext i32 %.139.i.1.i to i64
  %.142.i.1.i = add nuw nsw i64 %.141.i.1.i, %.141.i.i
  %.136.i.2.i = getelementptr i8, ptr %.135.i.i, i64 8
  %.139.i.2.i = load i32, ptr %.136.i.2.i, align 1, !noalias !39
  %.141.i.2.i = zext i32 %.139.i.2.i to i64
  %.142.i.2.i = add nuw nsw i64 %.142.i.1.i, %.141.i.2.i
  %.136.i.3.i = getelementptr i8, ptr %.135.i.i, i64 12
  %.139.i.3.i = load i32, ptr %.136.i.3.i, align 1, !noalias !39
  %.141.i.3.i = zext i32 %.139.i.3.i to i64
  %.142.i.3.i = add nuw nsw i64 %.142.i.2.i, %.141.i.3.i
  %.136.i.4.i = getelementptr i8, ptr %.135.i.i, i64 16
  %.139.i.4.i = load i32, ptr %.136.i.4.i, align 1, !noalias !39
  %.141.i.4.i = zext i32 %.139.i.4.i to i64
  %.142.i.4.i = add nuw nsw i64 %.142.i.3.i, %.141.i.4.i
  %.5.i.i = and i64 %.142.i.4.i, 4294967295
  %.6.i.i = lshr i64 %.142.i.4.i, 32
  %.7.i.i = add nuw nsw i64 %.5.i.i, %.6.i.i
  %.8.i.i = and i64 %.7.i.i, 4294967295
  %.9.i49.i = lshr i64 %.7.i.i, 32
  %.10.i.i = add nuw nsw i64 %.8.i.i, %.9.i49.i
  %1 = and i64 %.10.i.i, 65535
  %.136.i50.i = lshr i64 %.10.i.i, 16
  %.137.i.i = add nuw nsw i64 %1, %.136.i50.i
  %2 = and i64 %.137.i.i, 65535
  %.136.1.i.i = lshr i64 %.137.i.i, 16
  %.137.1.i.i = add nuw nsw i64 %2, %.136.1.i.i
  %3 = and i64 %.137.1.i.i, 65535
  %.136.2.i.i = lshr i64 %.137.1.i.i, 16
  %.137.2.i.i = add nuw nsw i64 %3, %.136.2.i.i
  %.131.not.i = icmp eq i64 %.137.2.i.i, 65535
  br i1 %.131.not.i, label %B342.i, label %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit

B342.i:                                           ; preds = %B44.if.i.i
  %.144.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 23
  %.145.i = load i8, ptr %.144.i, align 1, !noalias !36
  %.147.i = icmp ne i8 %.145.i, 17
  %.150.i = and i64 %.274, 32
  %.151.not.i = icmp eq i64 %.150.i, 0
  %or.cond.i = or i1 %.151.not.i, %.147.i
  br i1 %or.cond.i, label %B542.i, label %B394.i

B394.i:                                           ; preds = %B342.i
  %.154.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 38
  %.156.i = load i16, ptr %.154.i, align 1, !noalias !36
  %trunc.i51.i = add i16 %0, -34
  %rev.i52.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i51.i)
  %.185.i = icmp eq i16 %rev.i52.i, %.156.i
  br i1 %.185.i, label %B458.i, label %B542.i

B458.i:                                           ; preds = %B394.i
  %.190.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 40
  %.192.i = load i16, ptr %.190.i, align 1, !noalias !36
  %.196.i = icmp eq i16 %.192.i, 0
  br i1 %.196.i, label %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit, label %B480.i

B480.i:                                           ; preds = %B458.i
  %.8.i305 = add nsw i64 %.264, -34
  %.9.i.i = add nsw i64 %.257, 26
  %.135.i.i.i306 = inttoptr i64 %.9.i.i to ptr
  %.139.i.i.i307 = load i32, ptr %.135.i.i.i306, align 1, !noalias !42
  %.136.1.i.i.i308 = getelementptr i8, ptr %.135.i.i.i306, i64 4
  %.139.1.i.i.i309 = load i32, ptr %.136.1.i.i.i308, align 1, !noalias !42
  %.36.i310 = add nsw i64 %.257, 34
  %.14.i.i = lshr i64 %.8.i305, 2
  %.135.i.i311 = inttoptr i64 %.36.i310 to ptr
  br label %B44.if.i.i312

B110.i.i:                                         ; preds = %B44.if.i.i312
  %.155.i.i = and i64 %.8.i305, 2
  %.156.not.i.i = icmp eq i64 %.155.i.i, 0
  br i1 %.156.not.i.i, label %B192.i.i, label %B120.i.i

B120.i.i:                                         ; preds = %B110.i.i
  %.159.i.i = and i64 %.8.i305, -4
  %.161.i.i = add nsw i64 %.159.i.i, %.36.i310
  %.162.i.i = inttoptr i64 %.161.i.i to ptr
  %.166.i.i = load i16, ptr %.162.i.i, align 1, !noalias !49
  %.168.i.i = zext i16 %.166.i.i to i64
  %.169.i.i = add nuw nsw i64 %.142.i.i, %.168.i.i
  br label %B192.i.i

B192.i.i:                                         ; preds = %B120.i.i, %B110.i.i
  %total.5.0.i.i = phi i64 [ %.169.i.i, %B120.i.i ], [ %.142.i.i, %B110.i.i ]
  %4 = and i32 %.261, 1
  %.183.not.i.i = icmp eq i32 %4, 0
  br i1 %.183.not.i.i, label %_ZN8dropzero10softswitch5ports8gso_code8_sums_upB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29.exit, label %B202.i.i

B202.i.i:                                         ; preds = %B192.i.i
  %.186.i.i = and i64 %.8.i305, -2
  %.190.i.i = add nsw i64 %.186.i.i, %.36.i310
  %.193.i.i = inttoptr i64 %.190.i.i to ptr
  %.196.i.i = load i8, ptr %.193.i.i, align 1, !noalias !49
  %.198.i.i = zext i8 %.196.i.i to i64
  %.199.i.i = add nsw i64 %total.5.0.i.i, %.198.i.i
  br label %_ZN8dropzero10softswitch5ports8gso_code8_sums_upB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29.exit

B44.if.i.i312:                                    ; preds = %B44.if.i.i312, %B480.i
  %total.4.061.i.i = phi i64 [ 0, %B480.i ], [ %.142.i.i, %B44.if.i.i312 ]
  %.38.059.i.i = phi i64 [ 0, %B480.i ], [ %.109.i.i, %B44.if.i.i312 ]
  %.109.i.i = add nuw nsw i64 %.38.059.i.i, 1
  %.136.i.i = getelementptr [4 x i8], ptr %.135.i.i311, i64 %.38.059.i.i
  %.139.i.i313 = load i32, ptr %.136.i.i, align 1, !noalias !49
  %.141.i.i314 = zext i32 %.139.i.i313 to i64
  %.142.i.i = add nuw nsw i64 %total.4.061.i.i, %.141.i.i314
  %exitcond.not.i.i = icmp eq i64 %.109.i.i, %.14.i.i
  br i1 %exitcond.not.i.i, label %B110.i.i, label %B44.if.i.i312

_ZN8dropzero10softswitch5ports8gso_code8_sums_upB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29.exit: ; preds = %B192.i.i, %B202.i.i
  %total.6.0.i.i = phi i64 [ %.199.i.i, %B202.i.i ], [ %total.5.0.i.i, %B192.i.i ]
  %trunc.i.i.i = trunc i64 %.8.i305 to i16
  %rev.i.i.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i.i.i)
  %.9.i.i.i = zext i16 %rev.i.i.i to i64
  %.142.1.i.i.i315 = add nuw nsw i64 %.9.i.i.i, 4352
  %.141.i.i.i316 = zext i32 %.139.i.i.i307 to i64
  %.37.i.i317 = add nuw nsw i64 %.142.1.i.i.i315, %.141.i.i.i316
  %.141.1.i.i.i318 = zext i32 %.139.1.i.i.i309 to i64
  %.63.i.i319 = add nuw nsw i64 %.37.i.i317, %.141.1.i.i.i318
  %.62.i320 = add nsw i64 %.63.i.i319, %total.6.0.i.i
  %.5.i.i321 = and i64 %.62.i320, 4294967295
  %.6.i.i322 = ashr i64 %.62.i320, 32
  %.7.i.i323 = add nsw i64 %.5.i.i321, %.6.i.i322
  %.8.i.i324 = and i64 %.7.i.i323, 4294967295
  %.9.i3.i = ashr i64 %.7.i.i323, 32
  %.10.i.i325 = add nsw i64 %.8.i.i324, %.9.i3.i
  %5 = and i64 %.10.i.i325, 65535
  %.136.i4.i = ashr i64 %.10.i.i325, 16
  %.137.i.i326 = add nsw i64 %5, %.136.i4.i
  %6 = and i64 %.137.i.i326, 65535
  %.136.1.i.i327 = ashr i64 %.137.i.i326, 16
  %.137.1.i.i328 = add nsw i64 %6, %.136.1.i.i327
  %7 = and i64 %.137.1.i.i328, 65535
  %.136.2.i.i329 = ashr i64 %.137.1.i.i328, 16
  %.137.2.i.i330 = add nsw i64 %7, %.136.2.i.i329
  %.88.i331.not = icmp eq i64 %.137.2.i.i330, 65535
  %spec.select.i = select i1 %.88.i331.not, i64 42, i64 0
  br label %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit

B542.i:                                           ; preds = %B394.i, %B342.i
  %.259.i = icmp eq i8 %.145.i, 6
  %.262.i = and i64 %.274, 2
  %.265.not.i = icmp ne i64 %.262.i, 0
  %or.cond46.not54.i = and i1 %.265.not.i, %.259.i
  %.269.i = icmp sgt i32 %.261, 54
  %or.cond47.i = and i1 %.269.i, %or.cond46.not54.i
  br i1 %or.cond47.i, label %B632.i, label %B950.i

B632.i:                                           ; preds = %B542.i
  %.278.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 46
  %.279.i = load i8, ptr %.278.i, align 1, !noalias !36
  %8 = lshr i8 %.279.i, 2
  %9 = and i8 %8, 60
  %narrow.i = add nuw nsw i8 %9, 34
  %.283.i = zext nneg i8 %narrow.i to i64
  %.313.i = icmp ugt i8 %.279.i, 79
  %.321.i = icmp sgt i64 %.264, %.283.i
  %or.cond48.i = and i1 %.313.i, %.321.i
  br i1 %or.cond48.i, label %B822.i, label %B950.i

B822.i:                                           ; preds = %B632.i
  %.340.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 47
  %.341.i = load i8, ptr %.340.i, align 1, !noalias !36
  %10 = and i8 %.341.i, -90
  %.344.not.i = icmp eq i8 %10, 0
  br i1 %.344.not.i, label %B858.i, label %B950.i

B858.i:                                           ; preds = %B822.i
  %.347.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 50
  %.349.i = load i16, ptr %.347.i, align 1, !noalias !36
  %.353.not.i = icmp eq i16 %.349.i, -1
  br i1 %.353.not.i, label %B950.i, label %B880.i

B880.i:                                           ; preds = %B858.i
  %.356.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 24
  %.358.i = load i16, ptr %.356.i, align 1, !noalias !36
  %.362.not.i = icmp eq i16 %.358.i, -1
  br i1 %.362.not.i, label %B950.i, label %B902.i

B902.i:                                           ; preds = %B880.i
  store i8 0, ptr %.367.i, align 1, !noalias !36
  call fastcc void @_ZN8dropzero10softswitch5ports8gso_code8_sums_upB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx23Literal_5bint_5d_286_29(ptr %.367.i, i64 %.257, i64 range(i64 -2147483648, 2147483648) %.264)
  %.381.i = load i8, ptr %.367.i, align 1, !noalias !36
  %.384.not.i = icmp eq i8 %.381.i, 0
  br i1 %.384.not.i, label %B950.i, label %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit

B950.i:                                           ; preds = %B902.i, %B880.i, %B858.i, %B822.i, %B632.i, %B542.i
  br label %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit

_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit: ; preds = %B902.i, %B458.i, %_ZN8dropzero10softswitch5ports8gso_code8_sums_upB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29.exit, %B438, %B70.i, %B102.i, %B134.i, %B166.i, %B44.if.i.i, %B950.i
  %.284.0 = phi i64 [ 0, %B438 ], [ 0, %B950.i ], [ %spec.select.i, %_ZN8dropzero10softswitch5ports8gso_code8_sums_upB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29.exit ], [ 0, %B44.if.i.i ], [ 0, %B166.i ], [ 0, %B134.i ], [ 0, %B102.i ], [ 0, %B70.i ], [ 42, %B458.i ], [ %.283.i, %B902.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.367.i)
  br label %B484

B484:                                             ; preds = %B360, %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit
  %"$phi484.1.2.1" = phi i64 [ %.284.0, %_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx.exit ], [ 0, %B360 ]
  %.323 = sub nsw i64 %.264, %"$phi484.1.2.1"
  br i1 %growing.3.0339, label %B500, label %B1000

B500:                                             ; preds = %B484
  %.333 = icmp ne i64 %"$phi484.1.2.1", %header_bytes.2.0342
  %.336 = icmp sgt i64 %segments.3.0341, 63
  %or.cond.not332 = select i1 %.333, i1 true, i1 %.336
  %.340.not = icmp sgt i64 %.323, %segment_bytes.2.0343
  %or.cond222 = select i1 %or.cond.not332, i1 true, i1 %.340.not
  br i1 %or.cond222, label %B1000, label %B546

B546:                                             ; preds = %B500
  %.344 = add nsw i64 %.323, %payload_bytes.3.0344
  %.347 = sub nuw nsw i64 65549, %"$phi484.1.2.1"
  %.348.not = icmp sgt i64 %.344, %.347
  br i1 %.348.not, label %B1000, label %B596

B596:                                             ; preds = %B546
  %.6.i = inttoptr i64 %first.2.0340 to ptr
  %.8.i = inttoptr i64 %.257 to ptr
  %.19.i = load i64, ptr %.6.i, align 1, !noalias !52
  %.23.i223 = load i64, ptr %.8.i, align 1, !noalias !52
  %.24.i = icmp eq i64 %.19.i, %.23.i223
  br i1 %.24.i, label %B136.i, label %B1000

B136.i:                                           ; preds = %B596
  %.33.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 8
  %.35.i = load i64, ptr %.33.i, align 1, !noalias !52
  %.37.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 8
  %.39.i = load i64, ptr %.37.i, align 1, !noalias !52
  %.40.i = icmp eq i64 %.35.i, %.39.i
  br i1 %.40.i, label %B168.i, label %B1000

B168.i:                                           ; preds = %B136.i
  %.45.i224 = getelementptr inbounds nuw i8, ptr %.6.i, i64 22
  %.46.i = load i8, ptr %.45.i224, align 1, !noalias !52
  %.48.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 22
  %.49.i = load i8, ptr %.48.i, align 1, !noalias !52
  %.50.i = icmp eq i8 %.46.i, %.49.i
  br i1 %.50.i, label %B200.i, label %B1000

B200.i:                                           ; preds = %B168.i
  %.55.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 26
  %.57.i = load i64, ptr %.55.i, align 1, !noalias !52
  %.59.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 26
  %.61.i = load i64, ptr %.59.i, align 1, !noalias !52
  %.62.i = icmp eq i64 %.57.i, %.61.i
  br i1 %.62.i, label %B232.i, label %B1000

B232.i:                                           ; preds = %B200.i
  %.67.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 34
  %.69.i = load i32, ptr %.67.i, align 1, !noalias !52
  %.73.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 34
  %.75.i = load i32, ptr %.73.i, align 1, !noalias !52
  %.78.i.not = icmp eq i32 %.69.i, %.75.i
  br i1 %.78.i.not, label %B628, label %B1000

B628:                                             ; preds = %B232.i
  %.388 = icmp eq i64 %"$phi484.1.2.1", 42
  br i1 %.388, label %B686, label %B650

B650:                                             ; preds = %B628
  %.28.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 38
  %.30.i225 = load i32, ptr %.28.i, align 1, !noalias !55
  %rev.i.i226 = tail call i32 @llvm.bswap.i32(i32 %.30.i225)
  %.62.i227 = getelementptr inbounds nuw i8, ptr %.8.i, i64 38
  %.64.i = load i32, ptr %.62.i227, align 1, !noalias !55
  %rev.i53.i = tail call i32 @llvm.bswap.i32(i32 %.64.i)
  %arg.payload_bytes.tr.i = trunc i64 %payload_bytes.3.0344 to i32
  %.58.narrow.i = add i32 %rev.i.i226, %arg.payload_bytes.tr.i
  %.90.not.i = icmp eq i32 %.58.narrow.i, %rev.i53.i
  br i1 %.90.not.i, label %B240.i, label %B1000

B240.i:                                           ; preds = %B650
  %.93.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 42
  %.95.i = load i32, ptr %.93.i, align 1, !noalias !55
  %.97.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 42
  %.99.i = load i32, ptr %.97.i, align 1, !noalias !55
  %.100.not.i = icmp eq i32 %.95.i, %.99.i
  br i1 %.100.not.i, label %B272.i, label %B1000

B272.i:                                           ; preds = %B240.i
  %.103.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 46
  %.104.i = load i8, ptr %.103.i, align 1, !noalias !55
  %.106.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 46
  %.107.i = load i8, ptr %.106.i, align 1, !noalias !55
  %.108.not.i = icmp eq i8 %.104.i, %.107.i
  br i1 %.108.not.i, label %B304.i, label %B1000

B304.i:                                           ; preds = %B272.i
  %.111.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 47
  %.112.i = load i8, ptr %.111.i, align 1, !noalias !55
  %.114.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 47
  %.115.i = load i8, ptr %.114.i, align 1, !noalias !55
  %.11852.i = xor i8 %.115.i, %.112.i
  %11 = and i8 %.11852.i, -10
  %.122.not.i = icmp eq i8 %11, 0
  br i1 %.122.not.i, label %B358.i, label %B1000

B358.i:                                           ; preds = %B304.i
  %.125.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 48
  %.127.i = load i16, ptr %.125.i, align 1, !noalias !55
  %.129.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 48
  %.131.i = load i16, ptr %.129.i, align 1, !noalias !55
  %.132.not.i = icmp eq i16 %.127.i, %.131.i
  br i1 %.132.not.i, label %B390.i, label %B1000

B390.i:                                           ; preds = %B358.i
  %.135.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 52
  %.137.i = load i16, ptr %.135.i, align 1, !noalias !55
  %.141.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 52
  %.143.i = load i16, ptr %.141.i, align 1, !noalias !55
  %.146.not.i = icmp eq i16 %.137.i, %.143.i
  br i1 %.146.not.i, label %B426.i, label %B1000

B426.i:                                           ; preds = %B390.i
  %.165.i = add nsw i64 %"$phi484.1.2.1", -54
  %.166.i = ashr i64 %.165.i, 2
  %spec.select.i228 = tail call i64 @llvm.smax.i64(i64 %.166.i, i64 0)
  %.286.i = add nsw i64 %first.2.0340, 54
  %.287.i = inttoptr i64 %.286.i to ptr
  %.293.i = add nsw i64 %.257, 54
  %.294.i = inttoptr i64 %.293.i to ptr
  br label %B494.i

B494.i:                                           ; preds = %B494.if.i, %B426.i
  %.190.0.i = phi i64 [ 0, %B426.i ], [ %.259.i229, %B494.if.i ]
  %exitcond.not.i = icmp eq i64 %.190.0.i, %spec.select.i228
  br i1 %exitcond.not.i, label %B686, label %B494.if.i

B494.if.i:                                        ; preds = %B494.i
  %.259.i229 = add nuw nsw i64 %.190.0.i, 1
  %.288.i = getelementptr [4 x i8], ptr %.287.i, i64 %.190.0.i
  %.291.i = load i32, ptr %.288.i, align 1, !noalias !55
  %.295.i = getelementptr [4 x i8], ptr %.294.i, i64 %.190.0.i
  %.298.i = load i32, ptr %.295.i, align 1, !noalias !55
  %.299.not.i = icmp eq i32 %.291.i, %.298.i
  br i1 %.299.not.i, label %B494.i, label %B1000

B686:                                             ; preds = %B494.i, %B628
  %.432 = add nsw i64 %segments.3.0341, 1
  %.448 = icmp ne i64 %.323, %segment_bytes.2.0343
  %brmerge = or i1 %.388, %.448
  %not..448 = xor i1 %.448, true
  br i1 %brmerge, label %B750, label %B26.i

B26.i:                                            ; preds = %B686
  %.18.i231 = getelementptr inbounds nuw i8, ptr %.8.i, i64 47
  %.19.i232 = load i8, ptr %.18.i231, align 1, !noalias !58
  %12 = and i8 %.19.i232, 9
  %.22.i.not = icmp eq i8 %12, 0
  br label %B750

B750:                                             ; preds = %B686, %B26.i
  %"$phi750.1.2.1" = phi i1 [ %not..448, %B686 ], [ %.22.i.not, %B26.i ]
  %.528 = load i64, ptr %.526, align 1
  %13 = mul i64 %messages.2.0337, 104
  %.533 = add i64 %13, -104
  %.534 = add nsw i64 %.533, %.528
  %.28.i235 = inttoptr i64 %.534 to ptr
  %..i = select i1 %.388, i8 5, i8 1
  store i8 1, ptr %.28.i235, align 1, !noalias !61
  %.55.i236 = getelementptr inbounds nuw i8, ptr %.28.i235, i64 1
  store i8 %..i, ptr %.55.i236, align 1, !noalias !61
  %.61.i237 = trunc nuw nsw i64 %"$phi484.1.2.1" to i16
  %.62.i238 = getelementptr inbounds nuw i8, ptr %.28.i235, i64 2
  store i16 %.61.i237, ptr %.62.i238, align 1, !noalias !61
  %.67.i239 = trunc i64 %segment_bytes.2.0343 to i16
  %.68.i = getelementptr inbounds nuw i8, ptr %.28.i235, i64 4
  store i16 %.67.i239, ptr %.68.i, align 1, !noalias !61
  %"$phi210.1.2.0.i" = select i1 %.388, i16 6, i16 16
  %.88.i = getelementptr inbounds nuw i8, ptr %.28.i235, i64 6
  store i16 34, ptr %.88.i, align 1, !noalias !61
  %.96.i = getelementptr inbounds nuw i8, ptr %.28.i235, i64 8
  store i16 %"$phi210.1.2.0.i", ptr %.96.i, align 1, !noalias !61
  %.104.i240 = add nsw i64 %.534, 10
  %.113.i = inttoptr i64 %.104.i240 to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %.113.i, ptr nonnull align 1 %.6.i, i64 %"$phi484.1.2.1", i1 false), !noalias !61
  %.128.i = add i64 %payload_bytes.3.0344, %.264
  %14 = trunc i64 %.128.i to i16
  %trunc.i.i242 = add i16 %14, -14
  %rev.i.i243 = tail call i16 @llvm.bswap.i16(i16 %trunc.i.i242)
  %.158.i = getelementptr inbounds nuw i8, ptr %.113.i, i64 16
  store i16 %rev.i.i243, ptr %.158.i, align 1, !noalias !61
  %.163.i = getelementptr inbounds nuw i8, ptr %.113.i, i64 24
  store i16 0, ptr %.163.i, align 1, !noalias !61
  %.169.i = add nsw i64 %.534, 24
  %.135.i.i244 = inttoptr i64 %.169.i to ptr
  %.139.i.i245 = load i32, ptr %.135.i.i244, align 1, !noalias !64
  %.141.i.i246 = zext i32 %.139.i.i245 to i64
  %.136.i.1.i247 = getelementptr i8, ptr %.135.i.i244, i64 4
  %.139.i.1.i248 = load i32, ptr %.136.i.1.i247, align 1, !noalias !64
  %.141.i.1.i249 = zext i32 %.139.i.1.i248 to i64
  %.142.i.1.i250 = add nuw nsw i64 %.141.i.1.i249, %.141.i.i246
  %.136.i.2.i251 = getelementptr i8, ptr %.135.i.i244, i64 8
  %.139.i.2.i252 = load i32, ptr %.136.i.2.i251, align 1, !noalias !64
  %.141.i.2.i253 = zext i32 %.139.i.2.i252 to i64
  %.142.i.2.i254 = add nuw nsw i64 %.142.i.1.i250, %.141.i.2.i253
  %.136.i.3.i255 = getelementptr i8, ptr %.135.i.i244, i64 12
  %.139.i.3.i256 = load i32, ptr %.136.i.3.i255, align 1, !noalias !64
  %.141.i.3.i257 = zext i32 %.139.i.3.i256 to i64
  %.142.i.3.i258 = add nuw nsw i64 %.142.i.2.i254, %.141.i.3.i257
  %.136.i.4.i259 = getelementptr i8, ptr %.135.i.i244, i64 16
  %.139.i.4.i260 = load i32, ptr %.136.i.4.i259, align 1, !noalias !64
  %.141.i.4.i261 = zext i32 %.139.i.4.i260 to i64
  %.142.i.4.i262 = add nuw nsw i64 %.142.i.3.i258, %.141.i.4.i261
  %.5.i.i263 = and i64 %.142.i.4.i262, 4294967295
  %.6.i.i264 = lshr i64 %.142.i.4.i262, 32
  %.7.i.i265 = add nuw nsw i64 %.5.i.i263, %.6.i.i264
  %.8.i.i266 = and i64 %.7.i.i265, 4294967295
  %.9.i44.i = lshr i64 %.7.i.i265, 32
  %.10.i.i267 = add nuw nsw i64 %.8.i.i266, %.9.i44.i
  %15 = and i64 %.10.i.i267, 65535
  %.136.i45.i = lshr i64 %.10.i.i267, 16
  %.137.i.i268 = add nuw nsw i64 %15, %.136.i45.i
  %16 = and i64 %.137.i.i268, 65535
  %.136.1.i.i269 = lshr i64 %.137.i.i268, 16
  %.137.1.i.i270 = add nuw nsw i64 %16, %.136.1.i.i269
  %.136.2.i.i271 = lshr i64 %.137.1.i.i270, 16
  %.137.2.i.i272 = add nuw nsw i64 %.136.2.i.i271, %.137.1.i.i270
  %17 = trunc i64 %.137.2.i.i272 to i16
  %.221.i = xor i16 %17, -1
  store i16 %.221.i, ptr %.163.i, align 1, !noalias !61
  %.232.i = add nsw i64 %.128.i, -34
  br i1 %.388, label %B556.i, label %B680.i

B556.i:                                           ; preds = %B750
  %trunc.i46.i = trunc i64 %.232.i to i16
  %rev.i47.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i46.i)
  %.9.i48.i = zext i16 %rev.i47.i to i64
  %.270.i = getelementptr inbounds nuw i8, ptr %.113.i, i64 38
  store i16 %rev.i47.i, ptr %.270.i, align 1, !noalias !61
  %.9.i49.i274 = add nsw i64 %.534, 36
  %.135.i.i.i = inttoptr i64 %.9.i49.i274 to ptr
  %.139.i.i.i = load i32, ptr %.135.i.i.i, align 1, !noalias !67
  %.141.i.i.i = zext i32 %.139.i.i.i to i64
  %.136.1.i.i.i = getelementptr i8, ptr %.135.i.i.i, i64 4
  %.139.1.i.i.i = load i32, ptr %.136.1.i.i.i, align 1, !noalias !67
  %.141.1.i.i.i = zext i32 %.139.1.i.i.i to i64
  %.142.1.i.i.i = add nuw nsw i64 %.9.i48.i, 4352
  %.37.i.i = add nuw nsw i64 %.142.1.i.i.i, %.141.i.i.i
  %.63.i.i = add nuw nsw i64 %.37.i.i, %.141.1.i.i.i
  br label %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit

B680.i:                                           ; preds = %B750
  %.348.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 47
  %.349.i273 = load i8, ptr %.348.i, align 1, !noalias !61
  %.350.i = getelementptr inbounds nuw i8, ptr %.113.i, i64 47
  store i8 %.349.i273, ptr %.350.i, align 1, !noalias !61
  %.9.i62.i = add nsw i64 %.534, 36
  %.135.i.i63.i = inttoptr i64 %.9.i62.i to ptr
  %.139.i.i64.i = load i32, ptr %.135.i.i63.i, align 1, !noalias !72
  %.141.i.i65.i = zext i32 %.139.i.i64.i to i64
  %.136.1.i.i66.i = getelementptr i8, ptr %.135.i.i63.i, i64 4
  %.139.1.i.i67.i = load i32, ptr %.136.1.i.i66.i, align 1, !noalias !72
  %.141.1.i.i68.i = zext i32 %.139.1.i.i67.i to i64
  %trunc.i.i69.i = trunc i64 %.232.i to i16
  %rev.i.i70.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i.i69.i)
  %.9.i.i71.i = zext i16 %rev.i.i70.i to i64
  %.142.1.i.i72.i = add nuw nsw i64 %.9.i.i71.i, 1536
  %.37.i73.i = add nuw nsw i64 %.142.1.i.i72.i, %.141.i.i65.i
  %.63.i74.i = add nuw nsw i64 %.37.i73.i, %.141.1.i.i68.i
  br label %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit

_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit: ; preds = %B556.i, %B680.i
  %.63.i.i.sink7 = phi i64 [ %.63.i.i, %B556.i ], [ %.63.i74.i, %B680.i ]
  %.sink = phi i64 [ 40, %B556.i ], [ 50, %B680.i ]
  %.5.i50.i = and i64 %.63.i.i.sink7, 4294967295
  %.6.i51.i = lshr i64 %.63.i.i.sink7, 32
  %.7.i52.i = add nuw nsw i64 %.5.i50.i, %.6.i51.i
  %.8.i53.i = and i64 %.7.i52.i, 4294967295
  %.9.i54.i = lshr i64 %.7.i52.i, 32
  %.10.i55.i = add nuw nsw i64 %.8.i53.i, %.9.i54.i
  %18 = and i64 %.10.i55.i, 65535
  %.136.i56.i = lshr i64 %.10.i55.i, 16
  %.137.i57.i = add nuw nsw i64 %18, %.136.i56.i
  %19 = and i64 %.137.i57.i, 65535
  %.136.1.i58.i = lshr i64 %.137.i57.i, 16
  %.137.1.i59.i = add nuw nsw i64 %19, %.136.1.i58.i
  %.136.2.i60.i = lshr i64 %.137.1.i59.i, 16
  %.137.2.i61.i = add nuw nsw i64 %.136.2.i60.i, %.137.1.i59.i
  %.330.i = trunc i64 %.137.2.i61.i to i16
  %.331.i = getelementptr inbounds nuw i8, ptr %.113.i, i64 %.sink
  store i16 %.330.i, ptr %.331.i, align 1, !noalias !61
  %.570 = sub nsw i64 %vectors.3.0338, %.432
  %.572 = add nuw nsw i64 %"$phi484.1.2.1", 10
  %.10.i = load i64, ptr %.8.i275, align 1, !noalias !77
  %.11.i = inttoptr i64 %.10.i to ptr
  %.12.i = getelementptr [16 x i8], ptr %.11.i, i64 %.570
  store i64 %.534, ptr %.12.i, align 1, !noalias !77
  %.16.i = getelementptr inbounds nuw i8, ptr %.12.i, i64 8
  store i64 %.572, ptr %.16.i, align 1, !noalias !77
  %.607 = add nsw i64 %"$phi484.1.2.1", %first.2.0340
  %.10.i277 = load i64, ptr %.8.i275, align 1, !noalias !80
  %.11.i278 = inttoptr i64 %.10.i277 to ptr
  %20 = getelementptr [16 x i8], ptr %.11.i278, i64 %.570
  %.12.i279 = getelementptr i8, ptr %20, i64 16
  store i64 %.607, ptr %.12.i279, align 1, !noalias !80
  %.16.i280 = getelementptr i8, ptr %20, i64 24
  store i64 %segment_bytes.2.0343, ptr %.16.i280, align 1, !noalias !80
  %.641 = add nsw i64 %"$phi484.1.2.1", %.257
  %.10.i282 = load i64, ptr %.8.i275, align 1, !noalias !83
  %.11.i283 = inttoptr i64 %.10.i282 to ptr
  %.12.i284 = getelementptr [16 x i8], ptr %.11.i283, i64 %vectors.3.0338
  store i64 %.641, ptr %.12.i284, align 1, !noalias !83
  %.16.i285 = getelementptr inbounds nuw i8, ptr %.12.i284, i64 8
  store i64 %.323, ptr %.16.i285, align 1, !noalias !83
  %.676 = add nsw i64 %vectors.3.0338, 1
  br label %B1336

B1000:                                            ; preds = %B494.if.i, %B650, %B390.i, %B358.i, %B304.i, %B272.i, %B240.i, %B200.i, %B168.i, %B136.i, %B596, %B232.i, %B546, %B500, %B484
  %.696 = load i64, ptr %.694, align 1
  %.698 = mul nsw i64 %messages.2.0337, 104
  %.699 = add nsw i64 %.696, %.698
  %.5.i = inttoptr i64 %.699 to ptr
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 1 dereferenceable(10) %.5.i, i8 0, i64 10, i1 false), !noalias !86
  %.10.i287 = load i64, ptr %.8.i286, align 1, !noalias !89
  %.11.i288 = inttoptr i64 %.10.i287 to ptr
  %.12.i289 = getelementptr [16 x i8], ptr %.11.i288, i64 %vectors.3.0338
  store i64 %.699, ptr %.12.i289, align 1, !noalias !89
  %.16.i290 = getelementptr inbounds nuw i8, ptr %.12.i289, i64 8
  store i64 10, ptr %.16.i290, align 1, !noalias !89
  %.10.i292 = load i64, ptr %.8.i286, align 1, !noalias !92
  %.11.i293 = inttoptr i64 %.10.i292 to ptr
  %21 = getelementptr [16 x i8], ptr %.11.i293, i64 %vectors.3.0338
  %.12.i294 = getelementptr i8, ptr %21, i64 16
  store i64 %.257, ptr %.12.i294, align 1, !noalias !92
  %.16.i295 = getelementptr i8, ptr %21, i64 24
  store i64 %.264, ptr %.16.i295, align 1, !noalias !92
  %.787 = load i64, ptr %.8.i286, align 1
  %.789 = shl nsw i64 %vectors.3.0338, 4
  %.790 = add nsw i64 %.787, %.789
  %.794 = load i64, ptr %.792, align 1
  %.796 = inttoptr i64 %.794 to ptr
  %.797 = getelementptr [64 x i8], ptr %.796, i64 %messages.2.0337
  %.798 = getelementptr inbounds nuw i8, ptr %.797, i64 16
  store i64 %.790, ptr %.798, align 1
  %.802 = icmp sgt i64 %"$phi484.1.2.1", 0
  br i1 %.802, label %B1262, label %B1294

B1262:                                            ; preds = %B1000
  %.8.not.i296 = icmp eq i64 %"$phi484.1.2.1", 42
  br i1 %.8.not.i296, label %B1294, label %B26.i297

B26.i297:                                         ; preds = %B1262
  %.14.i298 = inttoptr i64 %.257 to ptr
  %.18.i299 = getelementptr inbounds nuw i8, ptr %.14.i298, i64 47
  %.19.i300 = load i8, ptr %.18.i299, align 1, !noalias !95
  %22 = and i8 %.19.i300, 9
  %.22.i301.not = icmp eq i8 %22, 0
  br label %B1294

B1294:                                            ; preds = %B26.i297, %B1262, %B1000
  %"$phi1294.1.2.1" = phi i1 [ false, %B1000 ], [ %.22.i301.not, %B26.i297 ], [ true, %B1262 ]
  %.873 = add nsw i64 %vectors.3.0338, 2
  %.879 = add nsw i64 %messages.2.0337, 1
  br label %B1336

B1336:                                            ; preds = %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit, %B1294
  %messages.4.1 = phi i64 [ %messages.2.0337, %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit ], [ %.879, %B1294 ]
  %first.4.1 = phi i64 [ %first.2.0340, %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit ], [ %.257, %B1294 ]
  %segments.5.1 = phi i64 [ %.432, %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit ], [ 1, %B1294 ]
  %header_bytes.4.1 = phi i64 [ %header_bytes.2.0342, %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit ], [ %"$phi484.1.2.1", %B1294 ]
  %segment_bytes.4.1 = phi i64 [ %segment_bytes.2.0343, %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit ], [ %.323, %B1294 ]
  %payload_bytes.5.1 = phi i64 [ %.344, %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit ], [ %.323, %B1294 ]
  %growing.5.1 = phi i1 [ %"$phi750.1.2.1", %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit ], [ %"$phi1294.1.2.1", %B1294 ]
  %vectors.5.1 = phi i64 [ %.676, %_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx.exit ], [ %.873, %B1294 ]
  %.922 = add nsw i64 %segments.5.1, 1
  %.926 = load i64, ptr %.924, align 1
  %.928 = add nsw i64 %messages.4.1, -1
  %.929 = inttoptr i64 %.926 to ptr
  %.930 = getelementptr [64 x i8], ptr %.929, i64 %.928
  %.931 = getelementptr inbounds nuw i8, ptr %.930, i64 24
  store i64 %.922, ptr %.931, align 1
  %.940 = trunc i64 %segments.5.1 to i32
  %.941 = getelementptr i32, ptr %.36, i64 %.928
  store i32 %.940, ptr %.941, align 4
  br label %B1433

B1432:                                            ; preds = %B1433, %entry
  %messages.2.0.lcssa = phi i64 [ 0, %entry ], [ %messages.3.1, %B1433 ]
  store i64 %messages.2.0.lcssa, ptr %retptr, align 8
  ret void

B1433:                                            ; preds = %B330.if, %B1336
  %messages.3.1 = phi i64 [ %messages.4.1, %B1336 ], [ %messages.2.0337, %B330.if ]
  %vectors.4.1 = phi i64 [ %vectors.5.1, %B1336 ], [ %vectors.3.0338, %B330.if ]
  %growing.4.1 = phi i1 [ %growing.5.1, %B1336 ], [ %growing.3.0339, %B330.if ]
  %first.3.1 = phi i64 [ %first.4.1, %B1336 ], [ %first.2.0340, %B330.if ]
  %segments.4.1 = phi i64 [ %segments.5.1, %B1336 ], [ %segments.3.0341, %B330.if ]
  %header_bytes.3.1 = phi i64 [ %header_bytes.4.1, %B1336 ], [ %header_bytes.2.0342, %B330.if ]
  %segment_bytes.3.1 = phi i64 [ %segment_bytes.4.1, %B1336 ], [ %segment_bytes.2.0343, %B330.if ]
  %payload_bytes.4.1 = phi i64 [ %payload_bytes.5.1, %B1336 ], [ %payload_bytes.3.0344, %B330.if ]
  %exitcond.not = icmp eq i64 %.165, %arg.count
  br i1 %exitcond.not, label %B1432, label %B330.if

B330.if:                                          ; preds = %B330.if.lr.ph, %B1433
  %payload_bytes.3.0344 = phi i64 [ 0, %B330.if.lr.ph ], [ %payload_bytes.4.1, %B1433 ]
  %segment_bytes.2.0343 = phi i64 [ 0, %B330.if.lr.ph ], [ %segment_bytes.3.1, %B1433 ]
  %header_bytes.2.0342 = phi i64 [ 0, %B330.if.lr.ph ], [ %header_bytes.3.1, %B1433 ]
  %segments.3.0341 = phi i64 [ 0, %B330.if.lr.ph ], [ %segments.4.1, %B1433 ]
  %first.2.0340 = phi i64 [ 0, %B330.if.lr.ph ], [ %first.3.1, %B1433 ]
  %growing.3.0339 = phi i1 [ false, %B330.if.lr.ph ], [ %growing.4.1, %B1433 ]
  %vectors.3.0338 = phi i64 [ 0, %B330.if.lr.ph ], [ %vectors.4.1, %B1433 ]
  %messages.2.0337 = phi i64 [ 0, %B330.if.lr.ph ], [ %messages.3.1, %B1433 ]
  %.93.0336 = phi i64 [ 0, %B330.if.lr.ph ], [ %.165, %B1433 ]
  %.165 = add nuw nsw i64 %.93.0336, 1
  %.195 = getelementptr i32, ptr %.22, i64 %.93.0336
  %.196 = load i32, ptr %.195, align 4
  %.198 = sext i32 %.196 to i64
  %.199.not = icmp eq i64 %arg.port, %.198
  br i1 %.199.not, label %B360, label %B1433
}

; Function Attrs: nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define internal fastcc void @_ZN8dropzero10softswitch5ports8gso_code8_sums_upB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx23Literal_5bint_5d_286_29(ptr noalias nonnull writeonly captures(none) %retptr, i64 %arg.packet, i64 range(i64 55, 2147483648) %arg.size) unnamed_addr #3 {
entry:
  %.8 = add nsw i64 %arg.size, -34
  %.9.i = add nsw i64 %arg.packet, 26
  %.135.i.i = inttoptr i64 %.9.i to ptr
  %.139.i.i = load i32, ptr %.135.i.i, align 1, !noalias !98
  %.136.1.i.i = getelementptr i8, ptr %.135.i.i, i64 4
  %.139.1.i.i = load i32, ptr %.136.1.i.i, align 1, !noalias !98
  %.36 = add nsw i64 %arg.packet, 34
  %.14.i = lshr i64 %.8, 2
  %.135.i = inttoptr i64 %.36 to ptr
  br label %B44.if.i

B110.i:                                           ; preds = %B44.if.i
  %.155.i = and i64 %.8, 2
  %.156.not.i = icmp eq i64 %.155.i, 0
  br i1 %.156.not.i, label %B192.i, label %B120.i

B120.i:                                           ; preds = %B110.i
  %.159.i = and i64 %.8, -4
  %.161.i = add nsw i64 %.159.i, %.36
  %.162.i = inttoptr i64 %.161.i to ptr
  %.166.i = load i16, ptr %.162.i, align 1, !noalias !103
  %.168.i = zext i16 %.166.i to i64
  %.169.i = add nuw nsw i64 %.142.i, %.168.i
  br label %B192.i

B192.i:                                           ; preds = %B120.i, %B110.i
  %total.5.0.i = phi i64 [ %.169.i, %B120.i ], [ %.142.i, %B110.i ]
  %.182.i = and i64 %arg.size, 1
  %.183.not.i = icmp eq i64 %.182.i, 0
  br i1 %.183.not.i, label %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit, label %B202.i

B202.i:                                           ; preds = %B192.i
  %.186.i = and i64 %.8, -2
  %.190.i = add nsw i64 %.186.i, %.36
  %.193.i = inttoptr i64 %.190.i to ptr
  %.196.i = load i8, ptr %.193.i, align 1, !noalias !103
  %.198.i = zext i8 %.196.i to i64
  %.199.i = add nsw i64 %total.5.0.i, %.198.i
  br label %_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit

B44.if.i:                                         ; preds = %B44.if.i, %entry
  %total.4.061.i = phi i64 [ 0, %entry ], [ %.142.i, %B44.if.i ]
  %.38.059.i = phi i64 [ 0, %entry ], [ %.109.i, %B44.if.i ]
  %.109.i = add nuw nsw i64 %.38.059.i, 1
  %.136.i = getelementptr [4 x i8], ptr %.135.i, i64 %.38.059.i
  %.139.i = load i32, ptr %.136.i, align 1, !noalias !103
  %.141.i = zext i32 %.139.i to i64
  %.142.i = add nuw nsw i64 %total.4.061.i, %.141.i
  %exitcond.not.i = icmp eq i64 %.109.i, %.14.i
  br i1 %exitcond.not.i, label %B110.i, label %B44.if.i

_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit: ; preds = %B192.i, %B202.i
  %total.6.0.i = phi i64 [ %.199.i, %B202.i ], [ %total.5.0.i, %B192.i ]
  %trunc.i.i = trunc i64 %.8 to i16
  %rev.i.i = tail call i16 @llvm.bswap.i16(i16 %trunc.i.i)
  %.9.i.i = zext i16 %rev.i.i to i64
  %.142.1.i.i = add nuw nsw i64 %.9.i.i, 1536
  %.141.i.i = zext i32 %.139.i.i to i64
  %.37.i = add nuw nsw i64 %.142.1.i.i, %.141.i.i
  %.141.1.i.i = zext i32 %.139.1.i.i to i64
  %.63.i = add nuw nsw i64 %.37.i, %.141.1.i.i
  %.62 = add nsw i64 %.63.i, %total.6.0.i
  %.5.i = and i64 %.62, 4294967295
  %.6.i = ashr i64 %.62, 32
  %.7.i = add nsw i64 %.5.i, %.6.i
  %.8.i = and i64 %.7.i, 4294967295
  %.9.i3 = ashr i64 %.7.i, 32
  %.10.i = add nsw i64 %.8.i, %.9.i3
  %0 = and i64 %.10.i, 65535
  %.136.i4 = ashr i64 %.10.i, 16
  %.137.i = add nsw i64 %0, %.136.i4
  %1 = and i64 %.137.i, 65535
  %.136.1.i = ashr i64 %.137.i, 16
  %.137.1.i = add nsw i64 %1, %.136.1.i
  %2 = and i64 %.137.1.i, 65535
  %.136.2.i = ashr i64 %.137.1.i, 16
  %.137.2.i = add nsw i64 %2, %.136.2.i
  %.88 = icmp eq i64 %.137.2.i, 65535
  %.89 = zext i1 %.88 to i8
  store i8 %.89, ptr %retptr, align 1
  ret void
}

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define i64 @coalesce(i64 %.1, i64 %.2, i64 %.3, i64 %.4, i64 %.5, i64 %.6, i64 %.7) local_unnamed_addr #0 {
.9:
  %.10 = alloca i64, align 8
  call fastcc void @_ZN8dropzero10softswitch5ports8gso_code8coalesceB3v21B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx(ptr %.10, i64 %.1, i64 %.2, i64 %.3, i64 %.4, i64 %.5, i64 %.6, i64 %.7)
  %.13 = load i64, ptr %.10, align 8
  ret i64 %.13
}

define internal fastcc void @_ZN8dropzero10softswitch5ports9ring_code7deliverB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx(ptr noalias nonnull writeonly captures(none) %retptr, i64 %arg.at, i64 %arg.data, i64 %arg.starts_at, i64 %arg.lengths_at, i64 %arg.ports_at, i64 %arg.count) unnamed_addr {
entry:
  %.17 = inttoptr i64 %arg.at to ptr
  %.22 = inttoptr i64 %arg.starts_at to ptr
  %.23 = inttoptr i64 %arg.lengths_at to ptr
  %.24 = inttoptr i64 %arg.ports_at to ptr
  %.38 = getelementptr inbounds nuw i8, ptr %.17, i64 376
  %.40 = load i64, ptr %.38, align 1
  %.123146.not = icmp slt i64 %.40, 1
  br i1 %.123146.not, label %B1338, label %B250.if.lr.ph

B250.if.lr.ph:                                    ; preds = %entry
  %.168 = getelementptr inbounds nuw i8, ptr %.17, i64 368
  %.350140.not = icmp slt i64 %arg.count, 1
  %.8.i = getelementptr inbounds nuw i8, ptr %.17, i64 392
  %.11.i = add nsw i64 %arg.at, 392
  br label %B250.if

B712:                                             ; preds = %B632.if
  %.413 = getelementptr i64, ptr %.22, i64 %.293.0141
  %.414 = load i64, ptr %.413, align 8
  %.416 = add nsw i64 %.414, %arg.data
  %.9.i = inttoptr i64 %.416 to ptr
  %.14.i = icmp sgt i32 %.394, 41
  br i1 %.14.i, label %B70.i, label %B1339

B70.i:                                            ; preds = %B712
  %.20.i = getelementptr inbounds nuw i8, ptr %.9.i, i64 12
  %.22.i = load i16, ptr %.20.i, align 1, !noalias !106
  %.24.i = icmp eq i16 %.22.i, 8
  br i1 %.24.i, label %B102.i, label %B1339

B102.i:                                           ; preds = %B70.i
  %.29.i = getelementptr inbounds nuw i8, ptr %.9.i, i64 14
  %.30.i = load i8, ptr %.29.i, align 1, !noalias !106
  %.32.i = icmp eq i8 %.30.i, 69
  br i1 %.32.i, label %B134.i, label %B1339

B134.i:                                           ; preds = %B102.i
  %.37.i = getelementptr inbounds nuw i8, ptr %.9.i, i64 23
  %.38.i = load i8, ptr %.37.i, align 1, !noalias !106
  %.40.i = icmp eq i8 %.38.i, 17
  br i1 %.40.i, label %B166.i, label %B1339

B166.i:                                           ; preds = %B134.i
  %.45.i = getelementptr inbounds nuw i8, ptr %.9.i, i64 26
  %.47.i = load i64, ptr %.45.i, align 1, !noalias !106
  %.48.i = lshr i64 %.47.i, 32
  %.53.i = load i64, ptr %.51.i, align 1, !noalias !106
  %.54.i = icmp eq i64 %.48.i, %.53.i
  br i1 %.54.i, label %B236.i, label %B1339

B236.i:                                           ; preds = %B166.i
  %.59.i = getelementptr inbounds nuw i8, ptr %.9.i, i64 34
  %.61.i = load i32, ptr %.59.i, align 1, !noalias !106
  %0 = lshr i32 %.61.i, 16
  %.65.i = zext nneg i32 %0 to i64
  %.69.i = load i64, ptr %.67.i, align 1, !noalias !106
  %.72.i.not = icmp eq i64 %.69.i, %.65.i
  br i1 %.72.i.not, label %B766, label %B1339

B766:                                             ; preds = %B236.i
  store i32 -1, ptr %.401, align 4
  %.476 = add nsw i64 %delivered.2.1143, 1
  %.484 = icmp eq i64 %put.2.1144, %.11.i139
  %.487 = icmp sgt i32 %.394, 1578
  %or.cond = select i1 %.484, i1 true, i1 %.487
  br i1 %or.cond, label %B830, label %B864

B830:                                             ; preds = %B766
  %.506 = load i64, ptr %.504, align 1
  %.507 = add nsw i64 %.506, 1
  store i64 %.507, ptr %.504, align 1
  br label %B1339

B864:                                             ; preds = %B766
  %.521 = load i64, ptr %.172, align 1
  %.525 = add nsw i64 %put.2.1144, %.196
  %.527 = and i64 %.525, 511
  %.528 = mul nuw nsw i64 %.527, 1600
  %.522 = add nuw nsw i64 %.528, 823296
  %.529 = add i64 %.522, %.521
  %.530 = inttoptr i64 %.529 to ptr
  store i64 %.395, ptr %.530, align 8
  %.534 = add nsw i64 %.529, 22
  %.538 = load i64, ptr %.413, align 8
  %.542 = add nsw i64 %.538, %arg.data
  %.544 = inttoptr i64 %.534 to ptr
  %.545 = inttoptr i64 %.542 to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %.544, ptr align 1 %.545, i64 %.395, i1 false)
  %.549 = add nsw i64 %put.2.1144, 1
  %.557 = load i64, ptr %.555, align 1
  %.558 = add nsw i64 %.557, 1
  store i64 %.558, ptr %.555, align 1
  %.566 = load i64, ptr %.564, align 1
  %.568 = add nsw i64 %.566, %.395
  store i64 %.568, ptr %.564, align 1
  br label %B1339

B1148:                                            ; preds = %B1339, %B250.if
  %delivered.2.1.lcssa = phi i64 [ %delivered.4.0149, %B250.if ], [ %delivered.3.2, %B1339 ]
  %put.2.1.lcssa = phi i64 [ 0, %B250.if ], [ %put.3.2, %B1339 ]
  %.585.not = icmp eq i64 %put.2.1.lcssa, 0
  br i1 %.585.not, label %B1334, label %B1152

B1152:                                            ; preds = %B1148
  fence seq_cst
  %.590 = add nsw i64 %put.2.1.lcssa, %.196
  store i64 %.590, ptr %.195, align 8
  fence seq_cst
  %.602 = getelementptr i8, ptr %.189, i64 320
  %.603 = load i64, ptr %.602, align 8
  %.606.not = icmp eq i64 %.603, 0
  br i1 %.606.not, label %B1334, label %B1292

B1292:                                            ; preds = %B1152
  %.610 = getelementptr inbounds nuw i8, ptr %.172, i64 32
  %.612 = load i64, ptr %.610, align 1
  store i64 1, ptr %.8.i, align 1, !noalias !109
  %.12.i = trunc i64 %.612 to i32
  %.13.i = tail call i64 @write(i32 %.12.i, i64 %.11.i, i64 8), !noalias !109
  br label %B1334

B1334:                                            ; preds = %B1292, %B1152, %B1148
  %exitcond151.not = icmp eq i64 %.136, %.40
  br i1 %exitcond151.not, label %B1338, label %B250.if

B1338:                                            ; preds = %B1334, %entry
  %delivered.4.0.lcssa = phi i64 [ 0, %entry ], [ %delivered.2.1.lcssa, %B1334 ]
  store i64 %delivered.4.0.lcssa, ptr %retptr, align 8
  ret void

B1339:                                            ; preds = %B166.i, %B134.i, %B102.i, %B70.i, %B712, %B632.if, %B236.i, %B864, %B830
  %delivered.3.2 = phi i64 [ %.476, %B864 ], [ %.476, %B830 ], [ %delivered.2.1143, %B236.i ], [ %delivered.2.1143, %B632.if ], [ %delivered.2.1143, %B712 ], [ %delivered.2.1143, %B70.i ], [ %delivered.2.1143, %B102.i ], [ %delivered.2.1143, %B134.i ], [ %delivered.2.1143, %B166.i ]
  %put.3.2 = phi i64 [ %.549, %B864 ], [ %put.2.1144, %B830 ], [ %put.2.1144, %B236.i ], [ %put.2.1144, %B632.if ], [ %put.2.1144, %B712 ], [ %put.2.1144, %B70.i ], [ %put.2.1144, %B102.i ], [ %put.2.1144, %B134.i ], [ %put.2.1144, %B166.i ]
  %exitcond.not = icmp eq i64 %arg.count, %.363
  br i1 %exitcond.not, label %B1148, label %B632.if

B250.if:                                          ; preds = %B250.if.lr.ph, %B1334
  %delivered.4.0149 = phi i64 [ 0, %B250.if.lr.ph ], [ %delivered.2.1.lcssa, %B1334 ]
  %.64.0148 = phi i64 [ 0, %B250.if.lr.ph ], [ %.136, %B1334 ]
  %.136 = add nuw nsw i64 %.64.0148, 1
  %.170 = load i64, ptr %.168, align 1
  %.171 = inttoptr i64 %.170 to ptr
  %.172 = getelementptr [48 x i8], ptr %.171, i64 %.64.0148
  %.188 = load i64, ptr %.172, align 1
  %.189 = inttoptr i64 %.188 to ptr
  %.195 = getelementptr i8, ptr %.189, i64 192
  %.196 = load i64, ptr %.195, align 8
  %.202 = getelementptr i8, ptr %.189, i64 256
  %.203 = load i64, ptr %.202, align 8
  %reass.sub = sub i64 %.203, %.196
  %.206 = add i64 %reass.sub, 512
  %1 = tail call i64 @llvm.smax.i64(i64 %.206, i64 0)
  %.11.i139 = tail call i64 @llvm.smin.i64(i64 %1, i64 512)
  br i1 %.350140.not, label %B1148, label %B632.if.lr.ph

B632.if.lr.ph:                                    ; preds = %B250.if
  %.177 = getelementptr inbounds nuw i8, ptr %.172, i64 40
  %.179 = load i64, ptr %.177, align 1
  %.180 = inttoptr i64 %.179 to ptr
  %.404 = getelementptr inbounds nuw i8, ptr %.172, i64 8
  %.51.i = getelementptr inbounds nuw i8, ptr %.172, i64 16
  %.67.i = getelementptr inbounds nuw i8, ptr %.172, i64 24
  %.555 = getelementptr inbounds nuw i8, ptr %.180, i64 16
  %.564 = getelementptr inbounds nuw i8, ptr %.180, i64 24
  %.504 = getelementptr inbounds nuw i8, ptr %.180, i64 32
  br label %B632.if

B632.if:                                          ; preds = %B632.if.lr.ph, %B1339
  %put.2.1144 = phi i64 [ 0, %B632.if.lr.ph ], [ %put.3.2, %B1339 ]
  %delivered.2.1143 = phi i64 [ %delivered.4.0149, %B632.if.lr.ph ], [ %delivered.3.2, %B1339 ]
  %.293.0141 = phi i64 [ 0, %B632.if.lr.ph ], [ %.363, %B1339 ]
  %.363 = add nuw nsw i64 %.293.0141, 1
  %.393 = getelementptr i32, ptr %.23, i64 %.293.0141
  %.394 = load i32, ptr %.393, align 4
  %.395 = sext i32 %.394 to i64
  %.401 = getelementptr i32, ptr %.24, i64 %.293.0141
  %.402 = load i32, ptr %.401, align 4
  %.406 = load i64, ptr %.404, align 1
  %.407 = sext i32 %.402 to i64
  %.408.not = icmp eq i64 %.406, %.407
  br i1 %.408.not, label %B712, label %B1339
}

declare i64 @write(i32, i64, i64) local_unnamed_addr

define i64 @deliver(i64 %.1, i64 %.2, i64 %.3, i64 %.4, i64 %.5, i64 %.6) local_unnamed_addr {
.8:
  %.9 = alloca i64, align 8
  call fastcc void @_ZN8dropzero10softswitch5ports9ring_code7deliverB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx(ptr %.9, i64 %.1, i64 %.2, i64 %.3, i64 %.4, i64 %.5, i64 %.6)
  %.12 = load i64, ptr %.9, align 8
  ret i64 %.12
}

define noundef i64 @rest(i64 %.1) local_unnamed_addr {
.3:
  %.8.i = inttoptr i64 %.1 to ptr
  %.11.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 376
  %.13.i.i = load i64, ptr %.11.i.i, align 1, !noalias !112
  %.9535.not.i.i = icmp slt i64 %.13.i.i, 1
  br i1 %.9535.not.i.i, label %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i, label %B44.if.lr.ph.i.i

B44.if.lr.ph.i.i:                                 ; preds = %.3
  %.134.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 368
  br label %B44.if.i.i

B44.if.i.i:                                       ; preds = %B44.if.i.i, %B44.if.lr.ph.i.i
  %.37.036.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i ], [ %.108.i.i, %B44.if.i.i ]
  %.108.i.i = add nuw nsw i64 %.37.036.i.i, 1
  %.136.i.i = load i64, ptr %.134.i.i, align 1, !noalias !112
  %.137.i.i = inttoptr i64 %.136.i.i to ptr
  %.138.i.i = getelementptr [48 x i8], ptr %.137.i.i, i64 %.37.036.i.i
  %.141.i.i = load i64, ptr %.138.i.i, align 1, !noalias !112
  %.142.i.i = inttoptr i64 %.141.i.i to ptr
  %.145.i.i = getelementptr i8, ptr %.142.i.i, i64 128
  store i64 1, ptr %.145.i.i, align 8, !noalias !112
  %exitcond.not.i.i = icmp eq i64 %.108.i.i, %.13.i.i
  br i1 %exitcond.not.i.i, label %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i, label %B44.if.i.i

_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i: ; preds = %B44.if.i.i, %.3
  fence seq_cst
  %.10.i.i = load i64, ptr %.11.i.i, align 1, !noalias !117
  %spec.select.i.i = tail call i64 @llvm.smax.i64(i64 %.10.i.i, i64 0)
  %.131.i.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 368
  br label %B44.i.i

B44.i.i:                                          ; preds = %B44.if.i7.i, %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i
  %.34.0.i.i = phi i64 [ 0, %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i ], [ %.105.i.i, %B44.if.i7.i ]
  %exitcond.not.i6.i = icmp eq i64 %.34.0.i.i, %spec.select.i.i
  br i1 %exitcond.not.i6.i, label %_ZN8dropzero10softswitch5ports9ring_code4restB3v45B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B44.if.i7.i

B44.if.i7.i:                                      ; preds = %B44.i.i
  %.105.i.i = add nuw i64 %.34.0.i.i, 1
  %.133.i.i = load i64, ptr %.131.i.i, align 1, !noalias !117
  %.134.i8.i = inttoptr i64 %.133.i.i to ptr
  %.135.i.i = getelementptr [48 x i8], ptr %.134.i8.i, i64 %.34.0.i.i
  %.138.i9.i = load i64, ptr %.135.i.i, align 1, !noalias !117
  %.139.i.i = inttoptr i64 %.138.i9.i to ptr
  %.142.i10.i = load i64, ptr %.139.i.i, align 8, !noalias !117
  %.144.i.i = getelementptr i8, ptr %.139.i.i, i64 64
  %.145.i11.i = load i64, ptr %.144.i.i, align 8, !noalias !117
  %.146.i.i = icmp sgt i64 %.142.i10.i, %.145.i11.i
  br i1 %.146.i.i, label %B110.i, label %B44.i.i

B110.i:                                           ; preds = %B44.if.i7.i
  %.79.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 384
  %.81.i = load i64, ptr %.79.i, align 1, !noalias !120
  %.8.i12.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 392
  store i64 1, ptr %.8.i12.i, align 1, !noalias !121
  %.11.i13.i = add nsw i64 %.1, 392
  %.12.i.i = trunc i64 %.81.i to i32
  %.13.i14.i = tail call i64 @write(i32 %.12.i.i, i64 %.11.i13.i, i64 8), !noalias !121
  br label %_ZN8dropzero10softswitch5ports9ring_code4restB3v45B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit

_ZN8dropzero10softswitch5ports9ring_code4restB3v45B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit: ; preds = %B44.i.i, %B110.i
  ret i64 0
}

define internal fastcc void @_ZN8__main__8_captureB3v59B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxxxxx(ptr noalias nonnull writeonly captures(none) %retptr, ptr captures(none) %arg.shared, i64 range(i64 1, 0) %arg.files, i64 %arg.data, i64 %arg.starts, i64 %arg.lengths, i64 %arg.ports, i64 %arg.count) unnamed_addr {
entry:
  %.17 = inttoptr i64 %arg.files to ptr
  %.19 = getelementptr inbounds nuw i8, ptr %arg.shared, i64 8
  %.21 = load i64, ptr %.19, align 1
  %.22 = inttoptr i64 %.21 to ptr
  %.29 = inttoptr i64 %arg.starts to ptr
  %.30 = inttoptr i64 %arg.lengths to ptr
  %.37 = inttoptr i64 %arg.ports to ptr
  %.6.i.i = getelementptr inbounds nuw i8, ptr %arg.shared, i64 360
  %.8.i.i = load i64, ptr %.6.i.i, align 1, !noalias !124
  %.10.i.i = tail call i32 @clock_gettime(i32 1, i64 %.8.i.i), !noalias !124
  %.123 = getelementptr inbounds nuw i8, ptr %arg.shared, i64 16
  %.125 = load i64, ptr %.123, align 1
  %.206149.not = icmp slt i64 %.125, 1
  br i1 %.206149.not, label %B1076, label %B384.if.lr.ph

B384.if.lr.ph:                                    ; preds = %entry
  %.13.i.i = load i64, ptr %.6.i.i, align 1, !noalias !124
  %.14.i.i = inttoptr i64 %.13.i.i to ptr
  %.18.i.i = load i64, ptr %.14.i.i, align 1, !noalias !124
  %.19.i.i = mul nsw i64 %.18.i.i, 1000000000
  %.20.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i, i64 8
  %.22.i.i = load i64, ptr %.20.i.i, align 1, !noalias !124
  %.23.i.i = add nsw i64 %.19.i.i, %.22.i.i
  %.70 = getelementptr inbounds nuw i8, ptr %arg.shared, i64 344
  %.72 = load i64, ptr %.70, align 1
  %.73 = add nsw i64 %.23.i.i, %.72
  %.75 = getelementptr inbounds nuw i8, ptr %arg.shared, i64 224
  %.77 = load i64, ptr %.75, align 1
  %.78 = sub i64 %.73, %.77
  %.98 = srem i64 %.78, 1000
  %.98.lobit = ashr i64 %.98, 63
  %.97 = sdiv i64 %.78, 1000
  %.86.0 = add nsw i64 %.98.lobit, %.97
  %.341145.not = icmp slt i64 %arg.count, 1
  %.435 = getelementptr inbounds nuw i8, ptr %arg.shared, i64 64
  %.460 = sdiv i64 %.86.0, 1000000
  %.461 = srem i64 %.86.0, 1000000
  %.463 = icmp slt i64 %.461, 0
  %.461.lobit = ashr i64 %.461, 63
  %.449.0 = add nsw i64 %.461.lobit, %.460
  %.513 = add nsw i64 %.461, 1000000
  %.493.0 = select i1 %.463, i64 %.513, i64 %.461
  %.523 = trunc i64 %.449.0 to i32
  %.527 = trunc nsw i64 %.493.0 to i32
  %.543 = getelementptr inbounds nuw i8, ptr %arg.shared, i64 72
  %.199.i = getelementptr inbounds nuw i8, ptr %arg.shared, i64 80
  %.141.i132 = getelementptr inbounds nuw i8, ptr %arg.shared, i64 72
  %.163.i119 = getelementptr inbounds nuw i8, ptr %arg.shared, i64 72
  %.199.i127 = getelementptr inbounds nuw i8, ptr %arg.shared, i64 80
  br label %B384.if

B414:                                             ; preds = %B384.if
  br i1 %.341145.not, label %B1032, label %B450.if.lr.ph

B450.if.lr.ph:                                    ; preds = %B414
  %.388 = getelementptr i32, ptr %.22, i64 %.149.0151
  br label %B450.if

B492:                                             ; preds = %B450.if
  %.403 = getelementptr i32, ptr %.30, i64 %.284.0147
  %.404 = load i32, ptr %.403, align 4
  %0 = tail call i32 @llvm.smin.i32(i32 %.404, i32 65535)
  %.11.i = sext i32 %0 to i64
  %.437 = load i64, ptr %.435, align 1
  %.439 = inttoptr i64 %.437 to ptr
  %.440 = getelementptr [16 x i8], ptr %.439, i64 %records.3.1148
  store i32 %.523, ptr %.440, align 1
  %.528 = getelementptr inbounds nuw i8, ptr %.440, i64 4
  store i32 %.527, ptr %.528, align 1
  %.534 = load i32, ptr %.403, align 4
  %.536 = getelementptr inbounds nuw i8, ptr %.440, i64 8
  store i32 %0, ptr %.536, align 1
  %.539 = getelementptr inbounds nuw i8, ptr %.440, i64 12
  store i32 %.534, ptr %.539, align 1
  %.545 = load i64, ptr %.543, align 1
  %.547 = shl nsw i64 %records.3.1148, 1
  %.548 = inttoptr i64 %.545 to ptr
  %.549 = getelementptr [16 x i8], ptr %.548, i64 %.547
  %.553 = load i64, ptr %.435, align 1
  %.555 = shl nsw i64 %records.3.1148, 4
  %.556 = add nsw i64 %.553, %.555
  store i64 %.556, ptr %.549, align 1
  %.560 = getelementptr inbounds nuw i8, ptr %.549, i64 8
  store i64 16, ptr %.560, align 1
  %.566 = load i64, ptr %.543, align 1
  %.570 = inttoptr i64 %.566 to ptr
  %1 = getelementptr [16 x i8], ptr %.570, i64 %.547
  %.571 = getelementptr i8, ptr %1, i64 16
  %.574 = getelementptr i64, ptr %.29, i64 %.284.0147
  %.575 = load i64, ptr %.574, align 8
  %.579 = add nsw i64 %.575, %arg.data
  store i64 %.579, ptr %.571, align 1
  %.583 = getelementptr i8, ptr %1, i64 24
  store i64 %.11.i, ptr %.583, align 1
  %.587 = add nsw i64 %records.3.1148, 1
  %.598 = icmp eq i64 %.587, 512
  br i1 %.598, label %B988, label %B1077

B988:                                             ; preds = %B492
  %.143.i = load i64, ptr %.543, align 1, !noalias !129
  %.144.i = inttoptr i64 %.143.i to ptr
  br label %B44.if.i

B146.i:                                           ; preds = %B44.if.i
  %.161.i = load i32, ptr %.249, align 4, !noalias !129
  %.171.i = tail call i64 @writev(i32 %.161.i, i64 %.143.i, i32 1024), !noalias !129
  %.177.not.i = icmp eq i64 %.171.i, %.150.i
  br i1 %.177.not.i, label %B1077, label %B220.i

B220.i:                                           ; preds = %B146.i
  %.182.i = icmp slt i64 %.171.i, 0
  br i1 %.182.i, label %B232.i, label %B320.i

B232.i:                                           ; preds = %B220.i
  %.186.i = tail call ptr @__errno_location(), !noalias !129
  %.188.i = load i32, ptr %.186.i, align 4, !noalias !129
  %.189.i = sext i32 %.188.i to i64
  br label %B320.i

B320.i:                                           ; preds = %B232.i, %B220.i
  %"$phi320.0.2.0.i" = phi i64 [ %.189.i, %B232.i ], [ 28, %B220.i ]
  store i64 %"$phi320.0.2.0.i", ptr %.199.i, align 1, !noalias !129
  store i32 -1, ptr %.249, align 4, !noalias !129
  br label %B1077

B44.if.i:                                         ; preds = %B44.if.i, %B988
  %expected.2.053.i = phi i64 [ 0, %B988 ], [ %.150.i, %B44.if.i ]
  %.44.051.i = phi i64 [ 0, %B988 ], [ %.115.i, %B44.if.i ]
  %.115.i = add nuw nsw i64 %.44.051.i, 1
  %.145.i = getelementptr [16 x i8], ptr %.144.i, i64 %.44.051.i
  %.146.i = getelementptr inbounds nuw i8, ptr %.145.i, i64 8
  %.148.i = load i64, ptr %.146.i, align 1, !noalias !129
  %.150.i = add nsw i64 %.148.i, %expected.2.053.i
  %exitcond.not.i = icmp eq i64 %.115.i, 1024
  br i1 %exitcond.not.i, label %B146.i, label %B44.if.i

B1032:                                            ; preds = %B1077, %B414
  %records.3.1.lcssa = phi i64 [ 0, %B414 ], [ %records.4.2, %B1077 ]
  %.647.not = icmp eq i64 %records.3.1.lcssa, 0
  br i1 %.647.not, label %B382.backedge, label %B1036

B1036:                                            ; preds = %B1032
  %.20.i = shl nsw i64 %records.3.1.lcssa, 1
  %.58.inv.i = icmp sgt i64 %records.3.1.lcssa, 0
  %spec.select.i = select i1 %.58.inv.i, i64 %.20.i, i64 0
  %.10250.i = icmp sgt i64 %spec.select.i, 0
  br i1 %.10250.i, label %B44.if.lr.ph.i, label %B146.i116

B44.if.lr.ph.i:                                   ; preds = %B1036
  %.143.i133 = load i64, ptr %.141.i132, align 1, !noalias !132
  %.144.i134 = inttoptr i64 %.143.i133 to ptr
  br label %B44.if.i135

B146.i116:                                        ; preds = %B44.if.i135, %B1036
  %expected.2.0.lcssa.i = phi i64 [ 0, %B1036 ], [ %.150.i142, %B44.if.i135 ]
  %.161.i118 = load i32, ptr %.249, align 4, !noalias !132
  %.165.i120 = load i64, ptr %.163.i119, align 1, !noalias !132
  %.170.i = trunc i64 %.20.i to i32
  %.171.i121 = tail call i64 @writev(i32 %.161.i118, i64 %.165.i120, i32 %.170.i), !noalias !132
  %.177.not.i122 = icmp eq i64 %.171.i121, %expected.2.0.lcssa.i
  br i1 %.177.not.i122, label %B382.backedge, label %B220.i123

B220.i123:                                        ; preds = %B146.i116
  %.182.i124 = icmp slt i64 %.171.i121, 0
  br i1 %.182.i124, label %B232.i128, label %B320.i125

B232.i128:                                        ; preds = %B220.i123
  %.186.i129 = tail call ptr @__errno_location(), !noalias !132
  %.188.i130 = load i32, ptr %.186.i129, align 4, !noalias !132
  %.189.i131 = sext i32 %.188.i130 to i64
  br label %B320.i125

B320.i125:                                        ; preds = %B232.i128, %B220.i123
  %"$phi320.0.2.0.i126" = phi i64 [ %.189.i131, %B232.i128 ], [ 28, %B220.i123 ]
  store i64 %"$phi320.0.2.0.i126", ptr %.199.i127, align 1, !noalias !132
  store i32 -1, ptr %.249, align 4, !noalias !132
  br label %B382.backedge

B44.if.i135:                                      ; preds = %B44.if.i135, %B44.if.lr.ph.i
  %expected.2.053.i136 = phi i64 [ 0, %B44.if.lr.ph.i ], [ %.150.i142, %B44.if.i135 ]
  %.44.051.i137 = phi i64 [ 0, %B44.if.lr.ph.i ], [ %.115.i138, %B44.if.i135 ]
  %.115.i138 = add nuw nsw i64 %.44.051.i137, 1
  %.145.i139 = getelementptr [16 x i8], ptr %.144.i134, i64 %.44.051.i137
  %.146.i140 = getelementptr inbounds nuw i8, ptr %.145.i139, i64 8
  %.148.i141 = load i64, ptr %.146.i140, align 1, !noalias !132
  %.150.i142 = add nsw i64 %.148.i141, %expected.2.053.i136
  %exitcond.not.i143 = icmp eq i64 %.115.i138, %spec.select.i
  br i1 %exitcond.not.i143, label %B146.i116, label %B44.if.i135

B382.backedge:                                    ; preds = %B1032, %B146.i116, %B320.i125, %B384.if
  %exitcond152.not = icmp eq i64 %.219, %.125
  br i1 %exitcond152.not, label %B1076, label %B384.if

B1076:                                            ; preds = %B382.backedge, %entry
  store ptr null, ptr %retptr, align 8
  ret void

B1077:                                            ; preds = %B320.i, %B146.i, %B492, %B450.if
  %records.4.2 = phi i64 [ %records.3.1148, %B450.if ], [ %.587, %B492 ], [ 0, %B146.i ], [ 0, %B320.i ]
  %exitcond.not = icmp eq i64 %arg.count, %.354
  br i1 %exitcond.not, label %B1032, label %B450.if

B384.if:                                          ; preds = %B384.if.lr.ph, %B382.backedge
  %.149.0151 = phi i64 [ 0, %B384.if.lr.ph ], [ %.219, %B382.backedge ]
  %.219 = add nuw nsw i64 %.149.0151, 1
  %.249 = getelementptr i32, ptr %.17, i64 %.149.0151
  %.250 = load i32, ptr %.249, align 4
  %.252 = icmp slt i32 %.250, 0
  br i1 %.252, label %B382.backedge, label %B414

B450.if:                                          ; preds = %B450.if.lr.ph, %B1077
  %records.3.1148 = phi i64 [ 0, %B450.if.lr.ph ], [ %records.4.2, %B1077 ]
  %.284.0147 = phi i64 [ 0, %B450.if.lr.ph ], [ %.354, %B1077 ]
  %.354 = add nuw nsw i64 %.284.0147, 1
  %.384 = getelementptr i32, ptr %.37, i64 %.284.0147
  %.385 = load i32, ptr %.384, align 4
  %.389 = load i32, ptr %.388, align 4
  %.390.not = icmp eq i32 %.385, %.389
  br i1 %.390.not, label %B492, label %B1077
}

declare i32 @sendmmsg(i32, i64, i32, i32) local_unnamed_addr

declare ptr @__errno_location() local_unnamed_addr

declare i32 @clock_gettime(i32, i64) local_unnamed_addr

declare i64 @writev(i32, i64, i32) local_unnamed_addr

declare i32 @recvmmsg(i32, i64, i32, i32, i64) local_unnamed_addr

declare i64 @read(i32, i64, i64) local_unnamed_addr

declare i32 @sched_yield() local_unnamed_addr

declare i32 @poll(i64, i64, i32) local_unnamed_addr

define i64 @fast_path(i64 %.1) local_unnamed_addr {
.3:
  %.69.i.i.i = alloca ptr, align 8
  %.106.i.i.i = alloca i64, align 8
  %.284.i.i.i = alloca i64, align 8
  %.307.i.i = alloca i64, align 8
  %.332.i.i = alloca i64, align 8
  %.434.i.i = alloca ptr, align 8
  %.5.i = inttoptr i64 %.1 to ptr
  %.11.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 376
  %.13.i.i = load i64, ptr %.11.i.i, align 1, !noalias !135
  %.9535.not.i.i = icmp slt i64 %.13.i.i, 1
  br i1 %.9535.not.i.i, label %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i, label %B44.if.lr.ph.i.i

B44.if.lr.ph.i.i:                                 ; preds = %.3
  %.134.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 368
  br label %B44.if.i.i

B44.if.i.i:                                       ; preds = %B44.if.i.i, %B44.if.lr.ph.i.i
  %.37.036.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i ], [ %.108.i.i, %B44.if.i.i ]
  %.108.i.i = add nuw nsw i64 %.37.036.i.i, 1
  %.136.i.i = load i64, ptr %.134.i.i, align 1, !noalias !135
  %.137.i.i = inttoptr i64 %.136.i.i to ptr
  %.138.i.i = getelementptr [48 x i8], ptr %.137.i.i, i64 %.37.036.i.i
  %.141.i.i = load i64, ptr %.138.i.i, align 1, !noalias !135
  %.142.i.i = inttoptr i64 %.141.i.i to ptr
  %.145.i.i = getelementptr i8, ptr %.142.i.i, i64 128
  store i64 0, ptr %.145.i.i, align 8, !noalias !135
  %exitcond.not.i.i = icmp eq i64 %.108.i.i, %.13.i.i
  br i1 %exitcond.not.i.i, label %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i, label %B44.if.i.i

_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i: ; preds = %B44.if.i.i, %.3
  fence seq_cst
  call void @llvm.lifetime.start.p0(ptr nonnull %.307.i.i), !noalias !141
  call void @llvm.lifetime.start.p0(ptr nonnull %.332.i.i), !noalias !141
  call void @llvm.lifetime.start.p0(ptr nonnull %.434.i.i), !noalias !141
  store i64 0, ptr %.307.i.i, align 8, !noalias !142
  store i64 0, ptr %.332.i.i, align 8, !noalias !142
  store ptr null, ptr %.434.i.i, align 8, !noalias !142
  %.12.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 40
  %.14202.i.i = load i64, ptr %.12.i.i, align 1, !noalias !142
  %.15.not203.i.i = icmp eq i64 %.14202.i.i, 0
  br i1 %.15.not203.i.i, label %B20.lr.ph.i.i, label %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i

B20.lr.ph.i.i:                                    ; preds = %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i
  %.18.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 80
  %.131.i.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 368
  %.52.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 24
  %.6.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 360
  %.162.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 352
  %.65.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 16
  %.7.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 384
  %.10.i.i.i = add nsw i64 %.1, 392
  %.9.i108.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 8
  %.14.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 136
  %.25.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 88
  %.305.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 128
  %.179.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 312
  %.257.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 336
  %.261.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 224
  %.297.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 344
  %.357.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 320
  %.8.i128.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 176
  %.142.i134.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 112
  %.158.i135.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 304
  %.403.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 48
  %.409.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 144
  %.413.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 152
  %.417.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 160
  %.426.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 104
  %.10.i143.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 184
  %.14.i145.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 192
  %.18.i147.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 200
  %.22.i149.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 208
  %.77.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 168
  %.83.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 232
  %.87.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 240
  %.91.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 248
  %.95.i155.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 256
  %.193.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 264
  %.197.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 272
  %.256.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 328
  %.447.i163.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 216
  %.50.i174.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 56
  %.19.i.i179.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 32
  %.60.i.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 296
  br label %B20.i.i

B6.loopexit.i.i:                                  ; preds = %B768.loopexit.i.i, %B714.i.i
  %.14.i.i = load i64, ptr %.12.i.i, align 1, !noalias !142
  %.15.not.i.i = icmp eq i64 %.14.i.i, 0
  br i1 %.15.not.i.i, label %B20.i.i, label %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i

B20.i.i:                                          ; preds = %B6.loopexit.i.i, %B20.lr.ph.i.i
  %.20.i.i = load i64, ptr %.18.i.i, align 1, !noalias !142
  %.21.not.i.i = icmp eq i64 %.20.i.i, 0
  br i1 %.21.not.i.i, label %B48.i.i, label %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i

B48.i.i:                                          ; preds = %B20.i.i
  %.10.i.i.i.i = load i64, ptr %.11.i.i, align 1, !noalias !146
  %spec.select.i.i.i.i = tail call i64 @llvm.smax.i64(i64 %.10.i.i.i.i, i64 0)
  br label %B44.i.i.i.i

B44.i.i.i.i:                                      ; preds = %B44.if.i.i.i.i, %B48.i.i
  %.34.0.i.i.i.i = phi i64 [ 0, %B48.i.i ], [ %.105.i.i.i.i, %B44.if.i.i.i.i ]
  %exitcond.not.i.i.i.i = icmp eq i64 %.34.0.i.i.i.i, %spec.select.i.i.i.i
  br i1 %exitcond.not.i.i.i.i, label %B34.i.i.i, label %B44.if.i.i.i.i

B44.if.i.i.i.i:                                   ; preds = %B44.i.i.i.i
  %.105.i.i.i.i = add nuw i64 %.34.0.i.i.i.i, 1
  %.133.i.i.i.i = load i64, ptr %.131.i.i.i.i, align 1, !noalias !146
  %.134.i.i.i.i = inttoptr i64 %.133.i.i.i.i to ptr
  %.135.i.i.i.i = getelementptr [48 x i8], ptr %.134.i.i.i.i, i64 %.34.0.i.i.i.i
  %.138.i.i.i.i = load i64, ptr %.135.i.i.i.i, align 1, !noalias !146
  %.139.i.i.i.i = inttoptr i64 %.138.i.i.i.i to ptr
  %.142.i.i.i.i = load i64, ptr %.139.i.i.i.i, align 8, !noalias !146
  %.144.i.i.i.i = getelementptr i8, ptr %.139.i.i.i.i, i64 64
  %.145.i.i.i.i = load i64, ptr %.144.i.i.i.i, align 8, !noalias !146
  %.146.i.i.i.i = icmp sgt i64 %.142.i.i.i.i, %.145.i.i.i.i
  br i1 %.146.i.i.i.i, label %B62.i.i.i, label %B44.i.i.i.i

B34.i.i.i:                                        ; preds = %B44.i.i.i.i
  %.45.i.i.i = tail call i32 @sched_yield(), !noalias !151
  br label %B62.i.i.i

B62.i.i.i:                                        ; preds = %B44.if.i.i.i.i, %B34.i.i.i
  %.50.i.i.i = load i64, ptr %.5.i, align 1, !noalias !151
  %.54.i.i.i = load i64, ptr %.52.i.i.i, align 1, !noalias !151
  %.56.i.i.i = tail call i32 @poll(i64 %.50.i.i.i, i64 %.54.i.i.i, i32 0), !noalias !151
  %.10.i26.i.i.i = load i64, ptr %.11.i.i, align 1, !noalias !152
  %spec.select.i27.i.i.i = tail call i64 @llvm.smax.i64(i64 %.10.i26.i.i.i, i64 0)
  br label %B44.i29.i.i.i

B44.i29.i.i.i:                                    ; preds = %B44.if.i32.i.i.i, %B62.i.i.i
  %.34.0.i30.i.i.i = phi i64 [ 0, %B62.i.i.i ], [ %.105.i33.i.i.i, %B44.if.i32.i.i.i ]
  %exitcond.not.i31.not.not.i.not.not.i.not.not.i.not.not.not.not = icmp ne i64 %.34.0.i30.i.i.i, %spec.select.i27.i.i.i
  br i1 %exitcond.not.i31.not.not.i.not.not.i.not.not.i.not.not.not.not, label %B44.if.i32.i.i.i, label %_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit44.i.i.i

B44.if.i32.i.i.i:                                 ; preds = %B44.i29.i.i.i
  %.105.i33.i.i.i = add nuw i64 %.34.0.i30.i.i.i, 1
  %.133.i34.i.i.i = load i64, ptr %.131.i.i.i.i, align 1, !noalias !152
  %.134.i35.i.i.i = inttoptr i64 %.133.i34.i.i.i to ptr
  %.135.i36.i.i.i = getelementptr [48 x i8], ptr %.134.i35.i.i.i, i64 %.34.0.i30.i.i.i
  %.138.i37.i.i.i = load i64, ptr %.135.i36.i.i.i, align 1, !noalias !152
  %.139.i38.i.i.i = inttoptr i64 %.138.i37.i.i.i to ptr
  %.142.i39.i.i.i = load i64, ptr %.139.i38.i.i.i, align 8, !noalias !152
  %.144.i40.i.i.i = getelementptr i8, ptr %.139.i38.i.i.i, i64 64
  %.145.i41.i.i.i = load i64, ptr %.144.i40.i.i.i, align 8, !noalias !152
  %.146.i42.i.i.i = icmp sgt i64 %.142.i39.i.i.i, %.145.i41.i.i.i
  br i1 %.146.i42.i.i.i, label %_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit44.i.i.i, label %B44.i29.i.i.i

_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit44.i.i.i: ; preds = %B44.if.i32.i.i.i, %B44.i29.i.i.i
  %promoted.i.i.i = zext i1 %exitcond.not.i31.not.not.i.not.not.i.not.not.i.not.not.not.not to i64
  %.92.i.i.i = sext i32 %.56.i.i.i to i64
  %.95.i.i.i = add nsw i64 %promoted.i.i.i, %.92.i.i.i
  %.100.not.i.i.i = icmp eq i64 %.95.i.i.i, 0
  br i1 %.100.not.i.i.i, label %B182.i.i.i, label %_ZN8__main__5_waitB3v51B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit.i.i

B182.i.i.i:                                       ; preds = %_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit44.i.i.i
  %.8.i.i.i.i.i = load i64, ptr %.6.i.i.i.i.i, align 1, !noalias !155
  %.10.i.i.i.i.i = tail call i32 @clock_gettime(i32 1, i64 %.8.i.i.i.i.i), !noalias !155
  %.13.i.i.i.i.i = load i64, ptr %.6.i.i.i.i.i, align 1, !noalias !155
  %.14.i.i.i.i.i = inttoptr i64 %.13.i.i.i.i.i to ptr
  %.18.i.i.i.i.i = load i64, ptr %.14.i.i.i.i.i, align 1, !noalias !155
  %.19.i.i.i.i.i = mul nsw i64 %.18.i.i.i.i.i, 1000000000
  %.20.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i.i.i, i64 8
  %.22.i.i.i.i.i = load i64, ptr %.20.i.i.i.i.i, align 1, !noalias !155
  %.23.i.i.i.i.i = add nsw i64 %.19.i.i.i.i.i, %.22.i.i.i.i.i
  %.164.i.i.i = load i64, ptr %.162.i.i.i, align 1, !noalias !151
  %.165.i.i.i = add nsw i64 %.23.i.i.i.i.i, %.164.i.i.i
  br label %B230.i.i.i

B230.i.i.i:                                       ; preds = %B402.i.i.i, %B182.i.i.i
  %.170.i.i.i = tail call i32 @sched_yield(), !noalias !151
  %.174.i.i.i = load i64, ptr %.5.i, align 1, !noalias !151
  %.178.i.i.i = load i64, ptr %.52.i.i.i, align 1, !noalias !151
  %.180.i.i.i = tail call i32 @poll(i64 %.174.i.i.i, i64 %.178.i.i.i, i32 0), !noalias !151
  %.10.i46.i.i.i = load i64, ptr %.11.i.i, align 1, !noalias !160
  %spec.select.i47.i.i.i = tail call i64 @llvm.smax.i64(i64 %.10.i46.i.i.i, i64 0)
  br label %B44.i49.i.i.i

B44.i49.i.i.i:                                    ; preds = %B44.if.i52.i.i.i, %B230.i.i.i
  %.34.0.i50.i.i.i = phi i64 [ 0, %B230.i.i.i ], [ %.105.i53.i.i.i, %B44.if.i52.i.i.i ]
  %exitcond.not.i51.not.not.i.not.not.i.not.not.i.not.not.not.not = icmp ne i64 %.34.0.i50.i.i.i, %spec.select.i47.i.i.i
  br i1 %exitcond.not.i51.not.not.i.not.not.i.not.not.i.not.not.not.not, label %B44.if.i52.i.i.i, label %_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit64.i.i.i

B44.if.i52.i.i.i:                                 ; preds = %B44.i49.i.i.i
  %.105.i53.i.i.i = add nuw i64 %.34.0.i50.i.i.i, 1
  %.133.i54.i.i.i = load i64, ptr %.131.i.i.i.i, align 1, !noalias !160
  %.134.i55.i.i.i = inttoptr i64 %.133.i54.i.i.i to ptr
  %.135.i56.i.i.i = getelementptr [48 x i8], ptr %.134.i55.i.i.i, i64 %.34.0.i50.i.i.i
  %.138.i57.i.i.i = load i64, ptr %.135.i56.i.i.i, align 1, !noalias !160
  %.139.i58.i.i.i = inttoptr i64 %.138.i57.i.i.i to ptr
  %.142.i59.i.i.i = load i64, ptr %.139.i58.i.i.i, align 8, !noalias !160
  %.144.i60.i.i.i = getelementptr i8, ptr %.139.i58.i.i.i, i64 64
  %.145.i61.i.i.i = load i64, ptr %.144.i60.i.i.i, align 8, !noalias !160
  %.146.i62.i.i.i = icmp sgt i64 %.142.i59.i.i.i, %.145.i61.i.i.i
  br i1 %.146.i62.i.i.i, label %_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit64.i.i.i, label %B44.i49.i.i.i

_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit64.i.i.i: ; preds = %B44.if.i52.i.i.i, %B44.i49.i.i.i
  %promoted4.i.i.i = zext i1 %exitcond.not.i51.not.not.i.not.not.i.not.not.i.not.not.not.not to i64
  %.216.i.i.i = sext i32 %.180.i.i.i to i64
  %.219.i.i.i = add nsw i64 %promoted4.i.i.i, %.216.i.i.i
  %.224.not.i.i.i = icmp eq i64 %.219.i.i.i, 0
  br i1 %.224.not.i.i.i, label %B402.i.i.i, label %B348.i.i.i

B348.i.i.i:                                       ; preds = %_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit64.i.i.i
  store i64 50000, ptr %.162.i.i.i, align 1, !noalias !151
  br label %_ZN8__main__5_waitB3v51B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit.i.i

B402.i.i.i:                                       ; preds = %_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit64.i.i.i
  %.8.i.i66.i.i.i = load i64, ptr %.6.i.i.i.i.i, align 1, !noalias !163
  %.10.i.i67.i.i.i = tail call i32 @clock_gettime(i32 1, i64 %.8.i.i66.i.i.i), !noalias !163
  %.13.i.i68.i.i.i = load i64, ptr %.6.i.i.i.i.i, align 1, !noalias !163
  %.14.i.i69.i.i.i = inttoptr i64 %.13.i.i68.i.i.i to ptr
  %.18.i.i70.i.i.i = load i64, ptr %.14.i.i69.i.i.i, align 1, !noalias !163
  %.19.i.i71.i.i.i = mul nsw i64 %.18.i.i70.i.i.i, 1000000000
  %.20.i.i72.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i69.i.i.i, i64 8
  %.22.i.i73.i.i.i = load i64, ptr %.20.i.i72.i.i.i, align 1, !noalias !163
  %.23.i.i74.i.i.i = add nsw i64 %.19.i.i71.i.i.i, %.22.i.i73.i.i.i
  %.292.not.i.i.i = icmp slt i64 %.23.i.i74.i.i.i, %.165.i.i.i
  br i1 %.292.not.i.i.i, label %B230.i.i.i, label %B440.i.i.i

B440.i.i.i:                                       ; preds = %B402.i.i.i
  %.301.i.i.i = load i64, ptr %.162.i.i.i, align 1, !noalias !151
  %.302.i.i.i = ashr i64 %.301.i.i.i, 1
  store i64 %.302.i.i.i, ptr %.162.i.i.i, align 1, !noalias !151
  %.13.i.i.i.i = load i64, ptr %.11.i.i, align 1, !noalias !168
  %.9535.not.i.i.i.i = icmp slt i64 %.13.i.i.i.i, 1
  br i1 %.9535.not.i.i.i.i, label %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i.i.i, label %B44.if.i76.i.i.i

B44.if.i76.i.i.i:                                 ; preds = %B440.i.i.i, %B44.if.i76.i.i.i
  %.37.036.i.i.i.i = phi i64 [ %.108.i.i.i.i, %B44.if.i76.i.i.i ], [ 0, %B440.i.i.i ]
  %.108.i.i.i.i = add nuw nsw i64 %.37.036.i.i.i.i, 1
  %.136.i.i.i.i = load i64, ptr %.131.i.i.i.i, align 1, !noalias !168
  %.137.i.i.i.i = inttoptr i64 %.136.i.i.i.i to ptr
  %.138.i77.i.i.i = getelementptr [48 x i8], ptr %.137.i.i.i.i, i64 %.37.036.i.i.i.i
  %.141.i.i.i.i = load i64, ptr %.138.i77.i.i.i, align 1, !noalias !168
  %.142.i78.i.i.i = inttoptr i64 %.141.i.i.i.i to ptr
  %.145.i79.i.i.i = getelementptr i8, ptr %.142.i78.i.i.i, i64 128
  store i64 1, ptr %.145.i79.i.i.i, align 8, !noalias !168
  %exitcond.not.i80.i.i.i = icmp eq i64 %.108.i.i.i.i, %.13.i.i.i.i
  br i1 %exitcond.not.i80.i.i.i, label %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i.i.i, label %B44.if.i76.i.i.i

_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i.i.i: ; preds = %B44.if.i76.i.i.i, %B440.i.i.i
  fence seq_cst
  %.10.i82.i.i.i = load i64, ptr %.11.i.i, align 1, !noalias !171
  %spec.select.i83.i.i.i = tail call i64 @llvm.smax.i64(i64 %.10.i82.i.i.i, i64 0)
  br label %B44.i85.i.i.i

B44.i85.i.i.i:                                    ; preds = %B44.if.i88.i.i.i, %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i.i.i
  %.34.0.i86.i.i.i = phi i64 [ 0, %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i.i.i ], [ %.105.i89.i.i.i, %B44.if.i88.i.i.i ]
  %exitcond.not.i87.i.i.i = icmp eq i64 %.34.0.i86.i.i.i, %spec.select.i83.i.i.i
  br i1 %exitcond.not.i87.i.i.i, label %B542.i.i.i, label %B44.if.i88.i.i.i

B44.if.i88.i.i.i:                                 ; preds = %B44.i85.i.i.i
  %.105.i89.i.i.i = add nuw i64 %.34.0.i86.i.i.i, 1
  %.133.i90.i.i.i = load i64, ptr %.131.i.i.i.i, align 1, !noalias !171
  %.134.i91.i.i.i = inttoptr i64 %.133.i90.i.i.i to ptr
  %.135.i92.i.i.i = getelementptr [48 x i8], ptr %.134.i91.i.i.i, i64 %.34.0.i86.i.i.i
  %.138.i93.i.i.i = load i64, ptr %.135.i92.i.i.i, align 1, !noalias !171
  %.139.i94.i.i.i = inttoptr i64 %.138.i93.i.i.i to ptr
  %.142.i95.i.i.i = load i64, ptr %.139.i94.i.i.i, align 8, !noalias !171
  %.144.i96.i.i.i = getelementptr i8, ptr %.139.i94.i.i.i, i64 64
  %.145.i97.i.i.i = load i64, ptr %.144.i96.i.i.i, align 8, !noalias !171
  %.146.i98.i.i.i = icmp sgt i64 %.142.i95.i.i.i, %.145.i97.i.i.i
  br i1 %.146.i98.i.i.i, label %B594.i.i.i, label %B44.i85.i.i.i

B542.i.i.i:                                       ; preds = %B44.i85.i.i.i
  %.376.i.i.i = load i64, ptr %.5.i, align 1, !noalias !151
  %.380.i.i.i = load i64, ptr %.52.i.i.i, align 1, !noalias !151
  %.382.i.i.i = tail call i32 @poll(i64 %.376.i.i.i, i64 %.380.i.i.i, i32 -1), !noalias !151
  %.383.i.i.i = sext i32 %.382.i.i.i to i64
  br label %B594.i.i.i

B594.i.i.i:                                       ; preds = %B44.if.i88.i.i.i, %B542.i.i.i
  %"$phi594.0.2.0.i.i.i" = phi i64 [ %.383.i.i.i, %B542.i.i.i ], [ 1, %B44.if.i88.i.i.i ]
  %.13.i102.i.i.i = load i64, ptr %.11.i.i, align 1, !noalias !174
  %.9535.not.i103.i.i.i = icmp slt i64 %.13.i102.i.i.i, 1
  br i1 %.9535.not.i103.i.i.i, label %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i.i.i, label %B44.if.i106.i.i.i

B44.if.i106.i.i.i:                                ; preds = %B594.i.i.i, %B44.if.i106.i.i.i
  %.37.036.i107.i.i.i = phi i64 [ %.108.i108.i.i.i, %B44.if.i106.i.i.i ], [ 0, %B594.i.i.i ]
  %.108.i108.i.i.i = add nuw nsw i64 %.37.036.i107.i.i.i, 1
  %.136.i109.i.i.i = load i64, ptr %.131.i.i.i.i, align 1, !noalias !174
  %.137.i110.i.i.i = inttoptr i64 %.136.i109.i.i.i to ptr
  %.138.i111.i.i.i = getelementptr [48 x i8], ptr %.137.i110.i.i.i, i64 %.37.036.i107.i.i.i
  %.141.i112.i.i.i = load i64, ptr %.138.i111.i.i.i, align 1, !noalias !174
  %.142.i113.i.i.i = inttoptr i64 %.141.i112.i.i.i to ptr
  %.145.i114.i.i.i = getelementptr i8, ptr %.142.i113.i.i.i, i64 128
  store i64 0, ptr %.145.i114.i.i.i, align 8, !noalias !174
  %exitcond.not.i115.i.i.i = icmp eq i64 %.108.i108.i.i.i, %.13.i102.i.i.i
  br i1 %exitcond.not.i115.i.i.i, label %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i.i.i, label %B44.if.i106.i.i.i

_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i.i.i: ; preds = %B44.if.i106.i.i.i, %B594.i.i.i
  fence seq_cst
  br label %_ZN8__main__5_waitB3v51B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit.i.i

_ZN8__main__5_waitB3v51B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit.i.i: ; preds = %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i.i.i, %B348.i.i.i, %_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit44.i.i.i
  %.31.0.i.i = phi i64 [ %"$phi594.0.2.0.i.i.i", %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i.i.i ], [ %.219.i.i.i, %B348.i.i.i ], [ %.95.i.i.i, %_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit44.i.i.i ]
  %.63.i.i = load i64, ptr %.5.i, align 1, !noalias !142
  %.67.i.i = load i64, ptr %.65.i.i, align 1, !noalias !142
  %.68.i.i = inttoptr i64 %.63.i.i to ptr
  %.69.i.i = getelementptr [8 x i8], ptr %.68.i.i, i64 %.67.i.i
  %.70.i.i = getelementptr inbounds nuw i8, ptr %.69.i.i, i64 6
  %.72.i.i = load i16, ptr %.70.i.i, align 1, !noalias !142
  %.73.not.i.i = icmp eq i16 %.72.i.i, 0
  br i1 %.73.not.i.i, label %B182.i.i, label %B152.i.i

B152.i.i:                                         ; preds = %_ZN8__main__5_waitB3v51B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit.i.i
  %.9.i.i.i = load i64, ptr %.7.i.i.i, align 1, !noalias !177
  %.11.i.i.i = trunc i64 %.9.i.i.i to i32
  %.12.i.i.i = tail call i64 @read(i32 %.11.i.i.i, i64 %.10.i.i.i, i64 8), !noalias !177
  br label %B182.i.i

B182.i.i:                                         ; preds = %B152.i.i, %_ZN8__main__5_waitB3v51B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE.exit.i.i
  %.103.i.i = icmp slt i64 %.31.0.i.i, 1
  br i1 %.103.i.i, label %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i, label %B194.i.i

B194.i.i:                                         ; preds = %B182.i.i
  %.10.i107.i.i = load i64, ptr %.52.i.i.i, align 1, !noalias !180
  %.9250.not.i.i.i = icmp slt i64 %.10.i107.i.i, 1
  br i1 %.9250.not.i.i.i, label %B238.i.i, label %B44.if.lr.ph.i.i.i

B44.if.lr.ph.i.i.i:                               ; preds = %B194.i.i
  %.136.i.i.i = load i64, ptr %.5.i, align 1, !noalias !180
  %.138.i.i.i = inttoptr i64 %.136.i.i.i to ptr
  br label %B44.if.i.i.i

B138.i.i.i:                                       ; preds = %B44.if.i.i.i
  %.158.i.i.i = load i64, ptr %.65.i.i, align 1, !noalias !180
  %.160.i.i.i = icmp sgt i64 %.34.051.i.i.i, %.158.i.i.i
  br i1 %.160.i.i.i, label %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i, label %B166.i.i.i

B166.i.i.i:                                       ; preds = %B44.if.i.i.i, %B138.i.i.i
  %exitcond.not.i.i.i = icmp eq i64 %.105.i.i.i, %.10.i107.i.i
  br i1 %exitcond.not.i.i.i, label %B238.i.i, label %B44.if.i.i.i

B44.if.i.i.i:                                     ; preds = %B166.i.i.i, %B44.if.lr.ph.i.i.i
  %.34.051.i.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i.i ], [ %.105.i.i.i, %B166.i.i.i ]
  %.105.i.i.i = add nuw nsw i64 %.34.051.i.i.i, 1
  %.139.i.i.i = getelementptr [8 x i8], ptr %.138.i.i.i, i64 %.34.051.i.i.i
  %.140.i.i.i = getelementptr inbounds nuw i8, ptr %.139.i.i.i, i64 6
  %.142.i.i.i = load i16, ptr %.140.i.i.i, align 1, !noalias !180
  switch i16 %.142.i.i.i, label %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i [
    i16 0, label %B166.i.i.i
    i16 1, label %B138.i.i.i
  ]

B238.i.i:                                         ; preds = %B166.i.i.i, %B194.i.i
  %.11.i109.i.i = load i64, ptr %.9.i108.i.i, align 1, !noalias !183
  %.12.i110.i.i = inttoptr i64 %.11.i109.i.i to ptr
  %.16.i.i.i = load i64, ptr %.14.i.i.i, align 1, !noalias !183
  %.17.i.i.i = inttoptr i64 %.16.i.i.i to ptr
  %.27.i.i.i = load i64, ptr %.25.i.i.i, align 1, !noalias !183
  %0 = or i64 %.27.i.i.i, %.31.0.i.i
  %1 = icmp ult i64 %0, 4294967296
  br i1 %1, label %4, label %9

B344.i.i.i:                                       ; preds = %B220.if.i.i.i
  %.247.i.i.i = sub nsw i64 %.245.i.i.i, %messages.2.0107.i.i.i
  %.11.i100.i.i.i = tail call i64 @llvm.smin.i64(i64 %.247.i.i.i, i64 %.11.i.i.i.i)
  %.301.i112.i.i = load i32, ptr %.238.i.i.i, align 1, !noalias !183
  %.307.i.i.i = load i64, ptr %.305.i.i.i, align 1, !noalias !183
  %.309.i.i.i = shl nsw i64 %messages.2.0107.i.i.i, 6
  %.312.i.i.i = add nsw i64 %.307.i.i.i, %.309.i.i.i
  %.314.i.i.i = trunc i64 %.11.i100.i.i.i to i32
  %.316.i.i.i = tail call i32 @recvmmsg(i32 %.301.i112.i.i, i64 %.312.i.i.i, i32 %.314.i.i.i, i32 64, i64 0), !noalias !183
  %.401101.not.i.i.i = icmp slt i32 %.316.i.i.i, 1
  br i1 %.401101.not.i.i.i, label %B502.i.i.i, label %B464.if.lr.ph.i.i.i

B464.if.lr.ph.i.i.i:                              ; preds = %B344.i.i.i
  %.443.i.i.i = getelementptr i32, ptr %.12.i110.i.i, i64 %.131.0105.i.i.i
  %2 = trunc i64 %messages.2.0107.i.i.i to i32
  %3 = add i32 %.316.i.i.i, %2
  br label %B464.if.i.i.i

B502.i.i.i:                                       ; preds = %B464.if.i.i.i, %B220.if.i.i.i, %B344.i.i.i
  %messages.3.2.i.i.i = phi i64 [ %messages.2.0107.i.i.i, %B220.if.i.i.i ], [ %messages.2.0107.i.i.i, %B344.i.i.i ], [ %.450.i.i.i, %B464.if.i.i.i ]
  %exitcond109.not.i.i.i = icmp eq i64 %.200.i.i.i, %.107.i.i.i
  br i1 %exitcond109.not.i.i.i, label %_ZN8__main__8_receiveB3v56B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i.i, label %B220.if.i.i.i

4:                                                ; preds = %B238.i.i
  %5 = trunc nuw i64 %.31.0.i.i to i32
  %6 = trunc nuw i64 %.27.i.i.i to i32
  %7 = udiv i32 %6, %5
  %8 = zext i32 %7 to i64
  br label %B0.else.endif.i.i.i

9:                                                ; preds = %B238.i.i
  %10 = sdiv i64 %.27.i.i.i, %.31.0.i.i
  %11 = srem i64 %.27.i.i.i, %.31.0.i.i
  %.lobit.i.i.i = ashr i64 %11, 63
  br label %B0.else.endif.i.i.i

B0.else.endif.i.i.i:                              ; preds = %9, %4
  %12 = phi i64 [ %8, %4 ], [ %10, %9 ]
  %.49.i.i.i = phi i64 [ 0, %4 ], [ %.lobit.i.i.i, %9 ]
  %.35.0.i.i.i = add i64 %.49.i.i.i, %12
  %.11.i.i.i.i = tail call i64 @llvm.smax.i64(i64 %.35.0.i.i.i, i64 1)
  %.107.i.i.i = load i64, ptr %.65.i.i, align 1, !noalias !183
  %.187104.not.i.i.i = icmp slt i64 %.107.i.i.i, 1
  br i1 %.187104.not.i.i.i, label %_ZN8__main__8_receiveB3v56B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i.i, label %B220.if.i.i.i

B220.if.i.i.i:                                    ; preds = %B0.else.endif.i.i.i, %B502.i.i.i
  %messages.2.0107.i.i.i = phi i64 [ %messages.3.2.i.i.i, %B502.i.i.i ], [ 0, %B0.else.endif.i.i.i ]
  %.131.0105.i.i.i = phi i64 [ %.200.i.i.i, %B502.i.i.i ], [ 0, %B0.else.endif.i.i.i ]
  %.200.i.i.i = add nuw nsw i64 %.131.0105.i.i.i, 1
  %.235.i.i.i = load i64, ptr %.5.i, align 1, !noalias !183
  %.237.i.i.i = inttoptr i64 %.235.i.i.i to ptr
  %.238.i.i.i = getelementptr [8 x i8], ptr %.237.i.i.i, i64 %.131.0105.i.i.i
  %.245.i.i.i = load i64, ptr %.25.i.i.i, align 1, !noalias !183
  %.281.i.i.i = getelementptr inbounds nuw i8, ptr %.238.i.i.i, i64 6
  %.283.i.i.i = load i16, ptr %.281.i.i.i, align 1, !noalias !183
  %.284.not.i.i.i = icmp eq i16 %.283.i.i.i, 0
  %.290.not.i.i.i = icmp eq i64 %.245.i.i.i, %messages.2.0107.i.i.i
  %or.cond.i.i.i = select i1 %.284.not.i.i.i, i1 true, i1 %.290.not.i.i.i
  br i1 %or.cond.i.i.i, label %B502.i.i.i, label %B344.i.i.i

B464.if.i.i.i:                                    ; preds = %B464.if.i.i.i, %B464.if.lr.ph.i.i.i
  %messages.4.1103.i.i.i = phi i64 [ %messages.2.0107.i.i.i, %B464.if.lr.ph.i.i.i ], [ %.450.i.i.i, %B464.if.i.i.i ]
  %.444.i.i.i = load i32, ptr %.443.i.i.i, align 4, !noalias !183
  %.447.i.i.i = getelementptr i32, ptr %.17.i.i.i, i64 %messages.4.1103.i.i.i
  store i32 %.444.i.i.i, ptr %.447.i.i.i, align 4, !noalias !183
  %.450.i.i.i = add i64 %messages.4.1103.i.i.i, 1
  %lftr.wideiv = trunc i64 %.450.i.i.i to i32
  %exitcond = icmp eq i32 %3, %lftr.wideiv
  br i1 %exitcond, label %B502.i.i.i, label %B464.if.i.i.i

_ZN8__main__8_receiveB3v56B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i.i: ; preds = %B502.i.i.i, %B0.else.endif.i.i.i
  %messages.2.0.lcssa.i.i.i = phi i64 [ 0, %B0.else.endif.i.i.i ], [ %messages.3.2.i.i.i, %B502.i.i.i ]
  store i64 %messages.2.0.lcssa.i.i.i, ptr %.179.i.i, align 1, !noalias !142
  %.186.not.i.i = icmp eq i64 %messages.2.0.lcssa.i.i.i, 0
  br i1 %.186.not.i.i, label %B294.i.i, label %B338.i.i

B294.i.i:                                         ; preds = %_ZN8__main__8_receiveB3v56B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i.i
  %.10.i115.i.i = load i64, ptr %.11.i.i, align 1, !noalias !186
  %spec.select.i.i.i = tail call i64 @llvm.smax.i64(i64 %.10.i115.i.i, i64 0)
  br label %B44.i.i.i

B44.i.i.i:                                        ; preds = %B44.if.i117.i.i, %B294.i.i
  %.34.0.i.i.i = phi i64 [ 0, %B294.i.i ], [ %.105.i118.i.i, %B44.if.i117.i.i ]
  %exitcond.not.i116.i.i = icmp eq i64 %.34.0.i.i.i, %spec.select.i.i.i
  br i1 %exitcond.not.i116.i.i, label %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i, label %B44.if.i117.i.i

B44.if.i117.i.i:                                  ; preds = %B44.i.i.i
  %.105.i118.i.i = add nuw i64 %.34.0.i.i.i, 1
  %.133.i.i.i = load i64, ptr %.131.i.i.i.i, align 1, !noalias !186
  %.134.i.i.i = inttoptr i64 %.133.i.i.i to ptr
  %.135.i.i.i = getelementptr [48 x i8], ptr %.134.i.i.i, i64 %.34.0.i.i.i
  %.138.i119.i.i = load i64, ptr %.135.i.i.i, align 1, !noalias !186
  %.139.i120.i.i = inttoptr i64 %.138.i119.i.i to ptr
  %.142.i121.i.i = load i64, ptr %.139.i120.i.i, align 8, !noalias !186
  %.144.i.i.i = getelementptr i8, ptr %.139.i120.i.i, i64 64
  %.145.i.i.i = load i64, ptr %.144.i.i.i, align 8, !noalias !186
  %.146.i.i.i = icmp sgt i64 %.142.i121.i.i, %.145.i.i.i
  br i1 %.146.i.i.i, label %B338.i.i, label %B44.i.i.i

B338.i.i:                                         ; preds = %B44.if.i117.i.i, %_ZN8__main__8_receiveB3v56B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i.i
  %.8.i.i122.i.i = load i64, ptr %.6.i.i.i.i.i, align 1, !noalias !189
  %.10.i.i123.i.i = tail call i32 @clock_gettime(i32 1, i64 %.8.i.i122.i.i), !noalias !189
  %.13.i.i124.i.i = load i64, ptr %.6.i.i.i.i.i, align 1, !noalias !189
  %.14.i.i.i.i = inttoptr i64 %.13.i.i124.i.i to ptr
  %.18.i.i.i.i = load i64, ptr %.14.i.i.i.i, align 1, !noalias !189
  %.19.i.i.i.i = mul nsw i64 %.18.i.i.i.i, 1000000000
  %.20.i.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i.i, i64 8
  %.22.i.i.i.i = load i64, ptr %.20.i.i.i.i, align 1, !noalias !189
  %.23.i.i.i.i = add nsw i64 %.19.i.i.i.i, %.22.i.i.i.i
  store i64 %.23.i.i.i.i, ptr %.257.i.i, align 1, !noalias !142
  %.263.i.i = load i64, ptr %.261.i.i, align 1, !noalias !142
  %.10.i126.i.i = tail call i32 @clock_gettime(i32 0, i64 %.13.i.i124.i.i), !noalias !194
  %.13.i.i.i = load i64, ptr %.6.i.i.i.i.i, align 1, !noalias !194
  %.14.i127.i.i = inttoptr i64 %.13.i.i.i to ptr
  %.18.i.i.i = load i64, ptr %.14.i127.i.i, align 1, !noalias !194
  %.19.i.i.i = mul nsw i64 %.18.i.i.i, 1000000000
  %.20.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i127.i.i, i64 8
  %.22.i.i.i = load i64, ptr %.20.i.i.i, align 1, !noalias !194
  %.294.i.i = load i64, ptr %.257.i.i, align 1, !noalias !142
  %.23.i.i.i = add i64 %.22.i.i.i, %.263.i.i
  %.290.i.i = add i64 %.23.i.i.i, %.19.i.i.i
  %.295.i.i = sub i64 %.290.i.i, %.294.i.i
  store i64 %.295.i.i, ptr %.297.i.i, align 1, !noalias !142
  %.305.i.i = load i64, ptr %.179.i.i, align 1, !noalias !142
  store i64 0, ptr %.307.i.i, align 8, !noalias !142
  %.311.i.i = call fastcc i32 @_ZN8dropzero10softswitch5ports8gso_code5splitB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr %.307.i.i, i64 %.1, i64 %.305.i.i)
  %.313.not.i.i = icmp eq i32 %.311.i.i, 0
  br i1 %.313.not.i.i, label %B338.endif.endif.endif.i.i, label %B0.endif.if.critedge.i, !prof !197

B586.i.i:                                         ; preds = %B106.i.i.i
  %.405.i.i = load i64, ptr %.403.i.i, align 1, !noalias !142
  %.406.not.i.i = icmp eq i64 %.405.i.i, 0
  br i1 %.406.not.i.i, label %B714.i.i, label %B600.i.i

B600.i.i:                                         ; preds = %B586.i.i
  %.411.i.i = load i64, ptr %.409.i.i, align 1, !noalias !142
  %.415.i.i = load i64, ptr %.413.i.i, align 1, !noalias !142
  %.419.i.i = load i64, ptr %.417.i.i, align 1, !noalias !142
  %.428.i.i = load i64, ptr %.426.i.i, align 1, !noalias !142
  store ptr null, ptr %.434.i.i, align 8, !noalias !142
  call fastcc void @_ZN8__main__8_captureB3v59B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxxxxx(ptr %.434.i.i, ptr nonnull %.5.i, i64 %.405.i.i, i64 %.428.i.i, i64 %.411.i.i, i64 %.415.i.i, i64 %.419.i.i, i64 %.346.i.i)
  br label %B714.i.i

B714.i.i:                                         ; preds = %B600.i.i, %B586.i.i
  %.462.i.i = load i64, ptr %.357.i.i, align 1, !noalias !142
  %13 = add nuw i64 %.462.i.i, 127
  %.521.i.i = lshr i64 %13, 7
  %.500.inv.i.i = icmp slt i64 %.462.i.i, 1
  %.542199.not214.i.i = icmp eq i64 %.521.i.i, 0
  %.542199.not.i.i = select i1 %.500.inv.i.i, i1 true, i1 %.542199.not214.i.i
  br i1 %.542199.not.i.i, label %B6.loopexit.i.i, label %B768.if.i.i

B768.loopexit.i.i:                                ; preds = %_ZN8__main__5_sendB3v63B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx.exit.i.i, %B890.endif.endif.i.i
  %.542.i.i = icmp sgt i64 %.489.0201.i.i, 1
  br i1 %.542.i.i, label %B768.if.i.i, label %B6.loopexit.i.i

B890.i.i:                                         ; preds = %_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i
  %.693.not.i.i = icmp eq i64 %.615.0.i.i, 0
  br i1 %.693.not.i.i, label %B890.endif.endif.i.i, label %B890.endif.else.i.i

B338.endif.endif.endif.i.i:                       ; preds = %B338.i.i
  %.321.i.i = load i64, ptr %.307.i.i, align 8, !noalias !142
  store i64 0, ptr %.332.i.i, align 8, !noalias !142
  call fastcc void @_ZN8dropzero10softswitch5ports9ring_code4takeB3v20B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx(ptr %.332.i.i, i64 %.1, i64 %.321.i.i)
  %.346.i.i = load i64, ptr %.332.i.i, align 8, !noalias !142
  store i64 %.346.i.i, ptr %.357.i.i, align 1, !noalias !142
  %.10.i129.i.i = load i64, ptr %.8.i128.i.i, align 1, !noalias !198
  %.11.i130.i.i = inttoptr i64 %.10.i129.i.i to ptr
  %.18.i132.i.i = load i64, ptr %.179.i.i, align 1, !noalias !198
  %spec.select.i133.i.i = tail call i64 @llvm.smax.i64(i64 %.18.i132.i.i, i64 0)
  br label %B106.i.i.i

B106.i.i.i:                                       ; preds = %B284.i.i.i, %B338.endif.endif.endif.i.i
  %.42.0.i.i.i = phi i64 [ 0, %B338.endif.endif.endif.i.i ], [ %.113.i.i.i, %B284.i.i.i ]
  %exitcond.not.i136.i.i = icmp eq i64 %.42.0.i.i.i, %spec.select.i133.i.i
  br i1 %exitcond.not.i136.i.i, label %B586.i.i, label %B106.if.i.i.i

B284.i.i.i:                                       ; preds = %B106.if.i.i.i
  %.113.i.i.i = add nuw i64 %.42.0.i.i.i, 1
  %.167.i.i.i = getelementptr i32, ptr %.11.i130.i.i, i64 %.42.0.i.i.i
  %.168.i.i.i = load i32, ptr %.167.i.i.i, align 4, !noalias !198
  %.171.not.i.i.i = icmp eq i32 %.168.i.i.i, 0
  br i1 %.171.not.i.i.i, label %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i, label %B106.i.i.i

B106.if.i.i.i:                                    ; preds = %B106.i.i.i
  %.144.i137.i.i = load i64, ptr %.142.i134.i.i, align 1, !noalias !198
  %.146.i138.i.i = inttoptr i64 %.144.i137.i.i to ptr
  %.147.i.i.i = getelementptr [10 x i8], ptr %.146.i138.i.i, i64 %.42.0.i.i.i
  %.148.i.i.i = getelementptr inbounds nuw i8, ptr %.147.i.i.i, i64 1
  %.149.i.i.i = load i8, ptr %.148.i.i.i, align 1, !noalias !198
  %14 = and i8 %.149.i.i.i, 63
  %.153.i.i.i = zext nneg i8 %14 to i64
  %.154.i.i.i = shl nuw i64 1, %.153.i.i.i
  %.160.i139.i.i = load i64, ptr %.158.i135.i.i, align 1, !noalias !198
  %.161.i.i.i = and i64 %.160.i139.i.i, 34
  %.156.i140.i.i = xor i64 %.161.i.i.i, 34
  %.162.i141.i.i = and i64 %.156.i140.i.i, %.154.i.i.i
  %.163.not.i.i.i = icmp eq i64 %.162.i141.i.i, 0
  br i1 %.163.not.i.i.i, label %B284.i.i.i, label %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i

B768.if.i.i:                                      ; preds = %B714.i.i, %B768.loopexit.i.i
  %.489.0201.i.i = phi i64 [ %.551.i.i, %B768.loopexit.i.i ], [ %.521.i.i, %B714.i.i ]
  %.486.0200.i.i = phi i64 [ %.555.i.i, %B768.loopexit.i.i ], [ 0, %B714.i.i ]
  %.551.i.i = add nsw i64 %.489.0201.i.i, -1
  %.555.i.i = add nuw i64 %.486.0200.i.i, 128
  %.584.i.i = load i64, ptr %.357.i.i, align 1, !noalias !142
  %.585.i.i = sub nsw i64 %.584.i.i, %.486.0200.i.i
  %.11.i142.i.i = tail call i64 @llvm.smin.i64(i64 %.585.i.i, i64 128)
  %.12.i144.i.i = load i64, ptr %.10.i143.i.i, align 1, !noalias !201
  %.16.i146.i.i = load i64, ptr %.14.i145.i.i, align 1, !noalias !201
  %.20.i148.i.i = load i64, ptr %.18.i147.i.i, align 1, !noalias !201
  %.24.i.i.i = load i64, ptr %.22.i149.i.i, align 1, !noalias !201
  %.28.i.i.i = load i64, ptr %.426.i.i, align 1, !noalias !201
  %.44.i.i.i = load i64, ptr %.409.i.i, align 1, !noalias !201
  %.45.i150.i.i = shl nsw i64 %.486.0200.i.i, 3
  %.46.i.i.i = add nsw i64 %.44.i.i.i, %.45.i150.i.i
  %.50.i151.i.i = load i64, ptr %.413.i.i, align 1, !noalias !201
  %.51.i.i.i = shl nsw i64 %.486.0200.i.i, 2
  %.52.i152.i.i = add nsw i64 %.50.i151.i.i, %.51.i.i.i
  %.56.i154.i.i = load i64, ptr %.417.i.i, align 1, !noalias !201
  %.58.i.i.i = add nsw i64 %.56.i154.i.i, %.51.i.i.i
  %.79.i.i.i = load i64, ptr %.77.i.i.i, align 1, !noalias !201
  %.81.i.i.i = add nsw i64 %.79.i.i.i, %.45.i150.i.i
  %.85.i.i.i = load i64, ptr %.83.i.i.i, align 1, !noalias !201
  %.89.i.i.i = load i64, ptr %.87.i.i.i, align 1, !noalias !201
  %.93.i.i.i = load i64, ptr %.91.i.i.i, align 1, !noalias !201
  %.97.i.i.i = load i64, ptr %.95.i155.i.i, align 1, !noalias !201
  %.146.i157.i.i = load i64, ptr %.257.i.i, align 1, !noalias !201
  %.150.i.i.i = load i64, ptr %.261.i.i, align 1, !noalias !201
  %.151.i.i.i = sub nsw i64 %.146.i157.i.i, %.150.i.i.i
  %.170.i159.i.i = sdiv i64 %.151.i.i.i, 1000
  %.171.i.i.i = srem i64 %.151.i.i.i, 1000
  %.171.lobit.i.i.i = ashr i64 %.171.i.i.i, 63
  %.159.0.i.i.i = add nsw i64 %.171.lobit.i.i.i, %.170.i159.i.i
  %.195.i.i.i = load i64, ptr %.193.i.i.i, align 1, !noalias !201
  %.199.i.i.i = load i64, ptr %.197.i.i.i, align 1, !noalias !201
  %.236.i.i.i = inttoptr i64 %.12.i144.i.i to ptr
  %.253.i.i.i = tail call i64 %.236.i.i.i(i64 %.16.i146.i.i, i64 %.20.i148.i.i, i64 %.24.i.i.i, i64 %.28.i.i.i, i64 %.46.i.i.i, i64 %.52.i152.i.i, i64 %.58.i.i.i, i64 %.81.i.i.i, i64 %.85.i.i.i, i64 %.89.i.i.i, i64 %.93.i.i.i, i64 %.97.i.i.i, i64 %.11.i142.i.i, i64 %.159.0.i.i.i, i64 %.195.i.i.i, i64 %.199.i.i.i), !noalias !201
  %.254.i.i.i = add nsw i64 %.253.i.i.i, %.486.0200.i.i
  store i64 %.254.i.i.i, ptr %.256.i.i.i, align 1, !noalias !201
  %.262.i.i.i = load i64, ptr %.14.i145.i.i, align 1, !noalias !201
  %.263.i.i.i = inttoptr i64 %.262.i.i.i to ptr
  %.267.not.i.i.i = icmp eq i64 %.253.i.i.i, %.11.i142.i.i
  br i1 %.267.not.i.i.i, label %B412.i.i.i, label %_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i

B412.i.i.i:                                       ; preds = %B768.if.i.i
  %.270.i.i.i = getelementptr i8, ptr %.263.i.i.i, i64 104
  %.271.i.i.i = load i64, ptr %.270.i.i.i, align 8, !noalias !201
  %.272.not.i.i.i = icmp eq i64 %.271.i.i.i, 0
  br i1 %.272.not.i.i.i, label %B438.i.i.i, label %_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i

B438.i.i.i:                                       ; preds = %B412.i.i.i
  %.275.i.i.i = getelementptr i8, ptr %.263.i.i.i, i64 72
  %.276.i.i.i = load i64, ptr %.275.i.i.i, align 8, !noalias !201
  %.277.not.i.i.i = icmp eq i64 %.276.i.i.i, 0
  br i1 %.277.not.i.i.i, label %B468.i.i.i, label %_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i

B468.i.i.i:                                       ; preds = %B438.i.i.i
  %.286.i.i.i = getelementptr i8, ptr %.263.i.i.i, i64 32
  %.287.i.i.i = load i64, ptr %.286.i.i.i, align 8, !noalias !201
  %.296.i.i.i = load i64, ptr %.91.i.i.i, align 1, !noalias !201
  %.297.i.i.i = inttoptr i64 %.296.i.i.i to ptr
  %.301.i160.i.i = load i64, ptr %.95.i155.i.i, align 1, !noalias !201
  %.302.i161.i.i = inttoptr i64 %.301.i160.i.i to ptr
  %spec.select.i162.i.i = tail call i64 @llvm.smax.i64(i64 %.287.i.i.i, i64 0)
  br label %B648.i.i.i

B648.i.i.i:                                       ; preds = %B684.i.i.i, %B468.i.i.i
  %.333.0.i.i.i = phi i64 [ 0, %B468.i.i.i ], [ %.404.i.i.i, %B684.i.i.i ]
  %exitcond.not.i164.i.i = icmp eq i64 %.333.0.i.i.i, %spec.select.i162.i.i
  br i1 %exitcond.not.i164.i.i, label %_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i, label %B648.if.i.i.i

B684.i.i.i:                                       ; preds = %B648.if.i.i.i
  %.404.i.i.i = add nuw i64 %.333.0.i.i.i, 1
  %.442.i.i.i = getelementptr i32, ptr %.302.i161.i.i, i64 %.333.0.i.i.i
  %.443.i165.i.i = load i32, ptr %.442.i.i.i, align 4, !noalias !201
  %.449.i.i.i = load i64, ptr %.447.i163.i.i, align 1, !noalias !201
  %.450.i166.i.i = sext i32 %.443.i165.i.i to i64
  %.451.i.i.i = icmp eq i64 %.449.i.i.i, %.450.i166.i.i
  br i1 %.451.i.i.i, label %_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i, label %B648.i.i.i

B648.if.i.i.i:                                    ; preds = %B648.i.i.i
  %.434.i.i.i = getelementptr i32, ptr %.297.i.i.i, i64 %.333.0.i.i.i
  %.435.i.i.i = load i32, ptr %.434.i.i.i, align 4, !noalias !201
  %.438.not.i.i.i = icmp sgt i32 %.435.i.i.i, -1
  br i1 %.438.not.i.i.i, label %B684.i.i.i, label %_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i

_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i: ; preds = %B648.if.i.i.i, %B684.i.i.i, %B648.i.i.i, %B438.i.i.i, %B412.i.i.i, %B768.if.i.i
  %.615.0.i.i = phi i64 [ -1, %B412.i.i.i ], [ -1, %B768.if.i.i ], [ -1, %B438.i.i.i ], [ -1, %B684.i.i.i ], [ -1, %B648.if.i.i.i ], [ %.287.i.i.i, %B648.i.i.i ]
  %.643.i.i = icmp slt i64 %.615.0.i.i, 0
  br i1 %.643.i.i, label %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i, label %B890.i.i

B890.endif.else.i.i:                              ; preds = %B890.i.i
  %15 = or i64 %.615.0.i.i, 1024
  %16 = icmp slt i64 %15, 4294967296
  %17 = lshr i64 %.615.0.i.i, 10
  %18 = and i64 %17, 4194303
  %19 = select i1 %16, i64 %18, i64 %17
  %20 = and i64 %.615.0.i.i, 1023
  %.711.not.i.i = icmp ne i64 %20, 0
  %.713.i.i = zext i1 %.711.not.i.i to i64
  %.714.i.i = add nuw nsw i64 %19, %.713.i.i
  br label %B890.endif.endif.i.i

B890.endif.endif.i.i:                             ; preds = %B890.endif.else.i.i, %B890.i.i
  %storemerge106.i.i = phi i64 [ %.714.i.i, %B890.endif.else.i.i ], [ 0, %B890.i.i ]
  %.735196.i.i = icmp sgt i64 %storemerge106.i.i, 0
  br i1 %.735196.i.i, label %B934.if.i.i, label %B768.loopexit.i.i

B934.if.i.i:                                      ; preds = %B890.endif.endif.i.i, %_ZN8__main__5_sendB3v63B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx.exit.i.i
  %.682.0198.i.i = phi i64 [ %.744.i.i, %_ZN8__main__5_sendB3v63B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx.exit.i.i ], [ %storemerge106.i.i, %B890.endif.endif.i.i ]
  %.679.0197.i.i = phi i64 [ %.748.i.i, %_ZN8__main__5_sendB3v63B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx.exit.i.i ], [ 0, %B890.endif.endif.i.i ]
  %.744.i.i = add nsw i64 %.682.0198.i.i, -1
  %.748.i.i = add i64 %.679.0197.i.i, 1024
  %.775.i.i = sub nsw i64 %.615.0.i.i, %.679.0197.i.i
  %.11.i167.i.i = tail call i64 @llvm.smin.i64(i64 %.775.i.i, i64 1024)
  call void @llvm.lifetime.start.p0(ptr nonnull %.69.i.i.i), !noalias !142
  call void @llvm.lifetime.start.p0(ptr nonnull %.106.i.i.i), !noalias !142
  call void @llvm.lifetime.start.p0(ptr nonnull %.284.i.i.i), !noalias !142
  store ptr null, ptr %.69.i.i.i, align 8, !noalias !204
  store i64 0, ptr %.106.i.i.i, align 8, !noalias !204
  store i64 0, ptr %.284.i.i.i, align 8, !noalias !204
  %.17.i168.i.i = load i64, ptr %.9.i108.i.i, align 1, !noalias !204
  %.18.i169.i.i = inttoptr i64 %.17.i168.i.i to ptr
  %.25.i171.i.i = load i64, ptr %.87.i.i.i, align 1, !noalias !204
  %.26.i172.i.i = shl nsw i64 %.679.0197.i.i, 3
  %.27.i173.i.i = add nsw i64 %.25.i171.i.i, %.26.i172.i.i
  %.31.i.i.i = load i64, ptr %.91.i.i.i, align 1, !noalias !204
  %.32.i.i.i = shl nsw i64 %.679.0197.i.i, 2
  %.33.i.i.i = add nsw i64 %.31.i.i.i, %.32.i.i.i
  %.37.i.i.i = load i64, ptr %.95.i155.i.i, align 1, !noalias !204
  %.39.i.i.i = add nsw i64 %.37.i.i.i, %.32.i.i.i
  %.52.i175.i.i = load i64, ptr %.50.i174.i.i, align 1, !noalias !204
  %.53.not.i.i.i = icmp eq i64 %.52.i175.i.i, 0
  br i1 %.53.not.i.i.i, label %B220.i.i.i, label %B158.i.i.i

B158.i.i.i:                                       ; preds = %B934.if.i.i
  %.63.i.i.i = load i64, ptr %.83.i.i.i, align 1, !noalias !204
  store ptr null, ptr %.69.i.i.i, align 8, !noalias !204
  call fastcc void @_ZN8__main__8_captureB3v59B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxxxxx(ptr %.69.i.i.i, ptr nonnull %.5.i, i64 %.52.i175.i.i, i64 %.63.i.i.i, i64 %.27.i173.i.i, i64 %.33.i.i.i, i64 %.39.i.i.i, i64 %.11.i167.i.i)
  br label %B220.i.i.i

B220.i.i.i:                                       ; preds = %B158.i.i.i, %B934.if.i.i
  %.100.i.i.i = load i64, ptr %.83.i.i.i, align 1, !noalias !204
  store i64 0, ptr %.106.i.i.i, align 8, !noalias !204
  call fastcc void @_ZN8dropzero10softswitch5ports9ring_code7deliverB3v42B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx(ptr %.106.i.i.i, i64 %.1, i64 %.100.i.i.i, i64 %.27.i173.i.i, i64 %.33.i.i.i, i64 %.39.i.i.i, i64 %.11.i167.i.i)
  %.120.i.i.i = load i64, ptr %.106.i.i.i, align 8, !noalias !204
  %.131.i176.i.i = icmp eq i64 %.120.i.i.i, %.11.i167.i.i
  br i1 %.131.i176.i.i, label %_ZN8__main__5_sendB3v63B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx.exit.i.i, label %B282.i.i.i

B282.i.i.i:                                       ; preds = %B220.i.i.i
  %.152.i.i.i = load i64, ptr %.65.i.i, align 1, !noalias !204
  %.23266.not.i.i.i = icmp slt i64 %.152.i.i.i, 1
  br i1 %.23266.not.i.i.i, label %_ZN8__main__5_sendB3v63B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx.exit.i.i, label %B322.if.i.i.i

B322.if.i.i.i:                                    ; preds = %B282.i.i.i, %_ZN8__main__14_send_messagesB3v64B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i.i
  %.176.068.i.i.i = phi i64 [ %.245.i180.i.i, %_ZN8__main__14_send_messagesB3v64B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i.i ], [ 0, %B282.i.i.i ]
  %.245.i180.i.i = add nuw nsw i64 %.176.068.i.i.i, 1
  %.274.i.i.i = load i64, ptr %.83.i.i.i, align 1, !noalias !204
  %.276.i181.i.i = getelementptr i32, ptr %.18.i169.i.i, i64 %.176.068.i.i.i
  %.277.i.i.i = load i32, ptr %.276.i181.i.i, align 4, !noalias !204
  %.278.i.i.i = sext i32 %.277.i.i.i to i64
  store i64 0, ptr %.284.i.i.i, align 8, !noalias !204
  call fastcc void @_ZN8dropzero10softswitch5ports8gso_code8coalesceB3v21B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx(ptr %.284.i.i.i, i64 %.1, i64 %.274.i.i.i, i64 %.27.i173.i.i, i64 %.33.i.i.i, i64 %.39.i.i.i, i64 %.11.i167.i.i, i64 %.278.i.i.i)
  %.298.i.i.i = load i64, ptr %.284.i.i.i, align 8, !noalias !204
  %.16.i.i.i.i = load i64, ptr %.8.i128.i.i, align 1, !noalias !207
  %.17.i.i.i.i = inttoptr i64 %.16.i.i.i.i to ptr
  %.32.i.i.i.i = load i64, ptr %.5.i, align 1, !noalias !207
  %.34.i.i.i.i = inttoptr i64 %.32.i.i.i.i to ptr
  %.35.i.i.i.i = getelementptr [8 x i8], ptr %.34.i.i.i.i, i64 %.176.068.i.i.i
  %.38.i.i.i.i = load i32, ptr %.35.i.i.i.i, align 1, !noalias !207
  %.5293.i.i.i.i = icmp sgt i64 %.298.i.i.i, 0
  br i1 %.5293.i.i.i.i, label %B208.preheader.lr.ph.i.i.i.i, label %_ZN8__main__14_send_messagesB3v64B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i.i

B208.preheader.lr.ph.i.i.i.i:                     ; preds = %B322.if.i.i.i
  %.21.i.i.i.i = load i64, ptr %.19.i.i179.i.i, align 1, !noalias !207
  %.22.i.i183.i.i = inttoptr i64 %.21.i.i.i.i to ptr
  %.260.i.i.i.i = getelementptr i64, ptr %.22.i.i183.i.i, i64 %.176.068.i.i.i
  br label %B208.i.i.i.i

B208.i.i.i.i:                                     ; preds = %B208.i.i.i.i.backedge, %B208.preheader.lr.ph.i.i.i.i
  %first.5.1.i.i.i.i = phi i64 [ 0, %B208.preheader.lr.ph.i.i.i.i ], [ %first.5.1.i.i.i.i.be, %B208.i.i.i.i.backedge ]
  %.62.i.i.i.i = load i64, ptr %.60.i.i.i.i, align 1, !noalias !207
  %.64.i.i.i.i = shl nsw i64 %first.5.1.i.i.i.i, 6
  %.65.i.i.i.i = add nsw i64 %.62.i.i.i.i, %.64.i.i.i.i
  %.68.i.i.i.i = sub nsw i64 %.298.i.i.i, %first.5.1.i.i.i.i
  %.70.i.i.i.i = trunc i64 %.68.i.i.i.i to i32
  %.72.i.i.i.i = tail call i32 @sendmmsg(i32 %.38.i.i.i.i, i64 %.65.i.i.i.i, i32 %.70.i.i.i.i, i32 64), !noalias !207
  %.78.i.i.i.i = icmp sgt i32 %.72.i.i.i.i, -1
  br i1 %.78.i.i.i.i, label %B304.i.i.i.i, label %B316.i.i.i.i

B304.i.i.i.i:                                     ; preds = %B208.i.i.i.i
  %.77.i.i.i.i = zext nneg i32 %.72.i.i.i.i to i64
  %.83.i.i.i.i = add nsw i64 %first.5.1.i.i.i.i, %.77.i.i.i.i
  br label %B589.i.i.i.i

B316.i.i.i.i:                                     ; preds = %B208.i.i.i.i
  %.94.i.i.i.i = tail call ptr @__errno_location(), !noalias !207
  %.96.i.i.i.i = load i32, ptr %.94.i.i.i.i, align 4, !noalias !207
  %.101.i.i.i.i = sext i32 %.96.i.i.i.i to i64
  switch i32 %.96.i.i.i.i, label %B458.i.i.i.i [
    i32 4, label %B589.i.i.i.i
    i32 105, label %B466.i.i.i.i
    i32 90, label %B466.i.i.i.i
  ]

B458.i.i.i.i:                                     ; preds = %B316.i.i.i.i
  %21 = tail call i64 @llvm.smax.i64(i64 %.68.i.i.i.i, i64 0)
  br label %B466.i.i.i.i

B466.i.i.i.i:                                     ; preds = %B458.i.i.i.i, %B316.i.i.i.i, %B316.i.i.i.i
  %"$phi466.0.2.2.i.i.i.i" = phi i64 [ %21, %B458.i.i.i.i ], [ 1, %B316.i.i.i.i ], [ 1, %B316.i.i.i.i ]
  %.22089.not.i.i.i.i = icmp eq i64 %"$phi466.0.2.2.i.i.i.i", 0
  br i1 %.22089.not.i.i.i.i, label %B558.i.i.i.i, label %B498.if.lr.ph.i.i.i.i

B498.if.lr.ph.i.i.i.i:                            ; preds = %B466.i.i.i.i
  %.260.promoted.i.i.i.i = load i64, ptr %.260.i.i.i.i, align 8, !noalias !207
  br label %B498.if.i.i.i.i

B558.i.i.i.i:                                     ; preds = %B498.if.i.i.i.i, %B466.i.i.i.i
  %first.6.2.lcssa.i.i.i.i = phi i64 [ %first.5.1.i.i.i.i, %B466.i.i.i.i ], [ %.273.i.i.i.i, %B498.if.i.i.i.i ]
  store i64 %.101.i.i.i.i, ptr %.12.i.i, align 1, !noalias !207
  %.294.i.i.i.i = icmp slt i64 %first.6.2.lcssa.i.i.i.i, %.298.i.i.i
  br i1 %.294.i.i.i.i, label %B208.i.i.i.i.backedge, label %_ZN8__main__14_send_messagesB3v64B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i.i

B208.i.i.i.i.backedge:                            ; preds = %B558.i.i.i.i, %B589.i.i.i.i
  %first.5.1.i.i.i.i.be = phi i64 [ %first.6.2.lcssa.i.i.i.i, %B558.i.i.i.i ], [ %first.4.1.i.i.i.i, %B589.i.i.i.i ]
  br label %B208.i.i.i.i

B589.i.i.i.i:                                     ; preds = %B316.i.i.i.i, %B304.i.i.i.i
  %first.4.1.i.i.i.i = phi i64 [ %.83.i.i.i.i, %B304.i.i.i.i ], [ %first.5.1.i.i.i.i, %B316.i.i.i.i ]
  %.52.i.i.i.i = icmp slt i64 %first.4.1.i.i.i.i, %.298.i.i.i
  br i1 %.52.i.i.i.i, label %B208.i.i.i.i.backedge, label %_ZN8__main__14_send_messagesB3v64B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i.i

B498.if.i.i.i.i:                                  ; preds = %B498.if.i.i.i.i, %B498.if.lr.ph.i.i.i.i
  %.26792.i.i.i.i = phi i64 [ %.260.promoted.i.i.i.i, %B498.if.lr.ph.i.i.i.i ], [ %.267.i.i.i.i, %B498.if.i.i.i.i ]
  %first.6.291.i.i.i.i = phi i64 [ %first.5.1.i.i.i.i, %B498.if.lr.ph.i.i.i.i ], [ %.273.i.i.i.i, %B498.if.i.i.i.i ]
  %.165.090.i.i.i.i = phi i64 [ %"$phi466.0.2.2.i.i.i.i", %B498.if.lr.ph.i.i.i.i ], [ %.229.i.i.i.i, %B498.if.i.i.i.i ]
  %.229.i.i.i.i = add nsw i64 %.165.090.i.i.i.i, -1
  %.264.i.i.i.i = getelementptr i32, ptr %.17.i.i.i.i, i64 %first.6.291.i.i.i.i
  %.265.i.i.i.i = load i32, ptr %.264.i.i.i.i, align 4, !noalias !207
  %.266.i.i.i.i = sext i32 %.265.i.i.i.i to i64
  %.267.i.i.i.i = add nsw i64 %.26792.i.i.i.i, %.266.i.i.i.i
  store i64 %.267.i.i.i.i, ptr %.260.i.i.i.i, align 8, !noalias !207
  %.273.i.i.i.i = add nsw i64 %first.6.291.i.i.i.i, 1
  %.220.i.i.i.i = icmp sgt i64 %.165.090.i.i.i.i, 1
  br i1 %.220.i.i.i.i, label %B498.if.i.i.i.i, label %B558.i.i.i.i

_ZN8__main__14_send_messagesB3v64B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i.i: ; preds = %B589.i.i.i.i, %B558.i.i.i.i, %B322.if.i.i.i
  %exitcond.not.i182.i.i = icmp eq i64 %.245.i180.i.i, %.152.i.i.i
  br i1 %exitcond.not.i182.i.i, label %_ZN8__main__5_sendB3v63B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx.exit.i.i, label %B322.if.i.i.i

_ZN8__main__5_sendB3v63B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx.exit.i.i: ; preds = %_ZN8__main__14_send_messagesB3v64B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i.i, %B282.i.i.i, %B220.i.i.i
  call void @llvm.lifetime.end.p0(ptr nonnull %.69.i.i.i), !noalias !142
  call void @llvm.lifetime.end.p0(ptr nonnull %.106.i.i.i), !noalias !142
  call void @llvm.lifetime.end.p0(ptr nonnull %.284.i.i.i), !noalias !142
  %.735.i.i = icmp sgt i64 %.682.0198.i.i, 1
  br i1 %.735.i.i, label %B934.if.i.i, label %B768.loopexit.i.i

_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i: ; preds = %B182.i.i, %B20.i.i, %B6.loopexit.i.i, %B44.if.i.i.i, %B138.i.i.i, %B44.i.i.i, %B106.if.i.i.i, %B284.i.i.i, %_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i, %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i
  %.35.0.i = phi i64 [ 0, %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29.exit.i ], [ 0, %B44.if.i.i.i ], [ 1, %B106.if.i.i.i ], [ 0, %B44.i.i.i ], [ 2, %_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx.exit.i.i ], [ 1, %B284.i.i.i ], [ 0, %B138.i.i.i ], [ 0, %B6.loopexit.i.i ], [ 0, %B20.i.i ], [ 0, %B182.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.307.i.i), !noalias !141
  call void @llvm.lifetime.end.p0(ptr nonnull %.332.i.i), !noalias !141
  call void @llvm.lifetime.end.p0(ptr nonnull %.434.i.i), !noalias !141
  %.13.i.i4.i = load i64, ptr %.11.i.i, align 1, !noalias !210
  %.9535.not.i.i.i = icmp slt i64 %.13.i.i4.i, 1
  br i1 %.9535.not.i.i.i, label %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i.i, label %B44.if.lr.ph.i.i5.i

B0.endif.if.critedge.i:                           ; preds = %B338.i.i
  call void @llvm.lifetime.end.p0(ptr nonnull %.307.i.i), !noalias !141
  call void @llvm.lifetime.end.p0(ptr nonnull %.332.i.i), !noalias !141
  call void @llvm.lifetime.end.p0(ptr nonnull %.434.i.i), !noalias !141
  br label %_ZN8__main__9fast_pathB3v48B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit

B44.if.lr.ph.i.i5.i:                              ; preds = %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i
  %.134.i.i6.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 368
  br label %B44.if.i.i7.i

B44.if.i.i7.i:                                    ; preds = %B44.if.i.i7.i, %B44.if.lr.ph.i.i5.i
  %.37.036.i.i.i = phi i64 [ 0, %B44.if.lr.ph.i.i5.i ], [ %.108.i.i.i, %B44.if.i.i7.i ]
  %.108.i.i.i = add nuw nsw i64 %.37.036.i.i.i, 1
  %.136.i.i8.i = load i64, ptr %.134.i.i6.i, align 1, !noalias !210
  %.137.i.i.i = inttoptr i64 %.136.i.i8.i to ptr
  %.138.i.i9.i = getelementptr [48 x i8], ptr %.137.i.i.i, i64 %.37.036.i.i.i
  %.141.i.i.i = load i64, ptr %.138.i.i9.i, align 1, !noalias !210
  %.142.i.i10.i = inttoptr i64 %.141.i.i.i to ptr
  %.145.i.i11.i = getelementptr i8, ptr %.142.i.i10.i, i64 128
  store i64 1, ptr %.145.i.i11.i, align 8, !noalias !210
  %exitcond.not.i.i12.i = icmp eq i64 %.108.i.i.i, %.13.i.i4.i
  br i1 %exitcond.not.i.i12.i, label %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i.i, label %B44.if.i.i7.i

_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i.i: ; preds = %B44.if.i.i7.i, %_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx.exit.i
  fence seq_cst
  %.10.i.i13.i = load i64, ptr %.11.i.i, align 1, !noalias !215
  %spec.select.i.i14.i = tail call i64 @llvm.smax.i64(i64 %.10.i.i13.i, i64 0)
  %.131.i.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 368
  br label %B44.i.i15.i

B44.i.i15.i:                                      ; preds = %B44.if.i7.i.i, %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i.i
  %.34.0.i.i16.i = phi i64 [ 0, %_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29.exit.i.i ], [ %.105.i.i17.i, %B44.if.i7.i.i ]
  %exitcond.not.i6.i.i = icmp eq i64 %.34.0.i.i16.i, %spec.select.i.i14.i
  br i1 %exitcond.not.i6.i.i, label %_ZN8__main__9fast_pathB3v48B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit, label %B44.if.i7.i.i

B44.if.i7.i.i:                                    ; preds = %B44.i.i15.i
  %.105.i.i17.i = add nuw i64 %.34.0.i.i16.i, 1
  %.133.i.i18.i = load i64, ptr %.131.i.i.i, align 1, !noalias !215
  %.134.i8.i.i = inttoptr i64 %.133.i.i18.i to ptr
  %.135.i.i19.i = getelementptr [48 x i8], ptr %.134.i8.i.i, i64 %.34.0.i.i16.i
  %.138.i9.i.i = load i64, ptr %.135.i.i19.i, align 1, !noalias !215
  %.139.i.i20.i = inttoptr i64 %.138.i9.i.i to ptr
  %.142.i10.i.i = load i64, ptr %.139.i.i20.i, align 8, !noalias !215
  %.144.i.i21.i = getelementptr i8, ptr %.139.i.i20.i, i64 64
  %.145.i11.i.i = load i64, ptr %.144.i.i21.i, align 8, !noalias !215
  %.146.i.i22.i = icmp sgt i64 %.142.i10.i.i, %.145.i11.i.i
  br i1 %.146.i.i22.i, label %B110.i.i, label %B44.i.i15.i

B110.i.i:                                         ; preds = %B44.if.i7.i.i
  %.79.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 384
  %.81.i.i = load i64, ptr %.79.i.i, align 1, !noalias !218
  %.8.i12.i.i = getelementptr inbounds nuw i8, ptr %.5.i, i64 392
  store i64 1, ptr %.8.i12.i.i, align 1, !noalias !219
  %.11.i13.i.i = add nsw i64 %.1, 392
  %.12.i.i23.i = trunc i64 %.81.i.i to i32
  %.13.i14.i.i = tail call i64 @write(i32 %.12.i.i23.i, i64 %.11.i13.i.i, i64 8), !noalias !219
  br label %_ZN8__main__9fast_pathB3v48B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit

_ZN8__main__9fast_pathB3v48B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx.exit: ; preds = %B44.i.i15.i, %B110.i.i, %B0.endif.if.critedge.i
  %.4.0 = phi i64 [ undef, %B0.endif.if.critedge.i ], [ %.35.0.i, %B110.i.i ], [ %.35.0.i, %B44.i.i15.i ]
  ret i64 %.4.0
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smin.i64(i64, i64) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smax.i64(i64, i64) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i16 @llvm.bswap.i16(i16) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.bswap.i32(i32) #4

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #6

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #4

attributes #0 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #1 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nofree norecurse nounwind }
attributes #3 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #4 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #6 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }

!0 = !{!1}
!1 = distinct !{!1, !2, !"_ZN8dropzero10softswitch5ports8gso_code11_insert_tagB2v4B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx6RecordILi2086EE: %retptr"}
!2 = distinct !{!2, !"_ZN8dropzero10softswitch5ports8gso_code11_insert_tagB2v4B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx6RecordILi2086EE"}
!3 = !{!4}
!4 = distinct !{!4, !5, !"_ZN8dropzero10softswitch5ports8gso_code18_complete_checksumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2084EE: %retptr"}
!5 = distinct !{!5, !"_ZN8dropzero10softswitch5ports8gso_code18_complete_checksumB2v6B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2084EE"}
!6 = !{!7, !9, !4}
!7 = distinct !{!7, !8, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!8 = distinct !{!8, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!9 = distinct !{!9, !10, !"_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx: %retptr"}
!10 = distinct !{!10, !"_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx"}
!11 = !{!9, !4}
!12 = !{!13}
!13 = distinct !{!13, !14, !"_ZN8dropzero10softswitch5ports8gso_code11_put_packetB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE5TupleI8int64_2a8int32_2a8int32_2a8int64_2aExxxix: %retptr"}
!14 = distinct !{!14, !"_ZN8dropzero10softswitch5ports8gso_code11_put_packetB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE5TupleI8int64_2a8int32_2a8int32_2a8int64_2aExxxix"}
!15 = !{!16}
!16 = distinct !{!16, !17, !"_ZN8dropzero10softswitch5ports8gso_code15_network_offsetB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!17 = distinct !{!17, !"_ZN8dropzero10softswitch5ports8gso_code15_network_offsetB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!18 = !{!19}
!19 = distinct !{!19, !20, !"_ZN8dropzero10softswitch5ports8gso_code13_header_bytesB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2084EE: %retptr"}
!20 = distinct !{!20, !"_ZN8dropzero10softswitch5ports8gso_code13_header_bytesB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx6RecordILi2084EE"}
!21 = !{!22}
!22 = distinct !{!22, !23, !"_ZN8dropzero10softswitch5ports8gso_code15_split_in_placeB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx: %retptr"}
!23 = distinct !{!23, !"_ZN8dropzero10softswitch5ports8gso_code15_split_in_placeB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx"}
!24 = !{!25, !22}
!25 = distinct !{!25, !26, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!26 = distinct !{!26, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!27 = !{!28, !30, !22}
!28 = distinct !{!28, !29, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!29 = distinct !{!29, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!30 = distinct !{!30, !31, !"_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx: %retptr"}
!31 = distinct !{!31, !"_ZN8dropzero10softswitch5ports8gso_code13_put_checksumB2v7B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx"}
!32 = !{!30, !22}
!33 = !{!34}
!34 = distinct !{!34, !35, !"_ZN8dropzero10softswitch5ports8gso_code11_put_packetB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE5TupleI8int64_2a8int32_2a8int32_2a8int64_2aExxxix: %retptr"}
!35 = distinct !{!35, !"_ZN8dropzero10softswitch5ports8gso_code11_put_packetB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE5TupleI8int64_2a8int32_2a8int32_2a8int64_2aExxxix"}
!36 = !{!37}
!37 = distinct !{!37, !38, !"_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx: %retptr"}
!38 = distinct !{!38, !"_ZN8dropzero10softswitch5ports8gso_code21_segment_header_bytesB3v22B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxx"}
!39 = !{!40, !37}
!40 = distinct !{!40, !41, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!41 = distinct !{!41, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!42 = !{!43, !45, !47, !37}
!43 = distinct !{!43, !44, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29: %retptr"}
!44 = distinct !{!44, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29"}
!45 = distinct !{!45, !46, !"_ZN8dropzero10softswitch5ports8gso_code18_pseudo_header_sumB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29: %retptr"}
!46 = distinct !{!46, !"_ZN8dropzero10softswitch5ports8gso_code18_pseudo_header_sumB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29"}
!47 = distinct !{!47, !48, !"_ZN8dropzero10softswitch5ports8gso_code8_sums_upB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29: %retptr"}
!48 = distinct !{!48, !"_ZN8dropzero10softswitch5ports8gso_code8_sums_upB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29"}
!49 = !{!50, !47, !37}
!50 = distinct !{!50, !51, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!51 = distinct !{!51, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!52 = !{!53}
!53 = distinct !{!53, !54, !"_ZN8dropzero10softswitch5ports8gso_code10_same_flowB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!54 = distinct !{!54, !"_ZN8dropzero10softswitch5ports8gso_code10_same_flowB3v38B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!55 = !{!56}
!56 = distinct !{!56, !57, !"_ZN8dropzero10softswitch5ports8gso_code8_followsB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx: %retptr"}
!57 = distinct !{!57, !"_ZN8dropzero10softswitch5ports8gso_code8_followsB3v39B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx"}
!58 = !{!59}
!59 = distinct !{!59, !60, !"_ZN8dropzero10softswitch5ports8gso_code5_endsB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!60 = distinct !{!60, !"_ZN8dropzero10softswitch5ports8gso_code5_endsB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!61 = !{!62}
!62 = distinct !{!62, !63, !"_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx: %retptr"}
!63 = distinct !{!63, !"_ZN8dropzero10softswitch5ports8gso_code15_put_gso_headerB3v40B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxx"}
!64 = !{!65, !62}
!65 = distinct !{!65, !66, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!66 = distinct !{!66, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!67 = !{!68, !70, !62}
!68 = distinct !{!68, !69, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29: %retptr"}
!69 = distinct !{!69, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29"}
!70 = distinct !{!70, !71, !"_ZN8dropzero10softswitch5ports8gso_code18_pseudo_header_sumB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29: %retptr"}
!71 = distinct !{!71, !"_ZN8dropzero10softswitch5ports8gso_code18_pseudo_header_sumB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx24Literal_5bint_5d_2817_29"}
!72 = !{!73, !75, !62}
!73 = distinct !{!73, !74, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29: %retptr"}
!74 = distinct !{!74, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29"}
!75 = distinct !{!75, !76, !"_ZN8dropzero10softswitch5ports8gso_code18_pseudo_header_sumB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx23Literal_5bint_5d_286_29: %retptr"}
!76 = distinct !{!76, !"_ZN8dropzero10softswitch5ports8gso_code18_pseudo_header_sumB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx23Literal_5bint_5d_286_29"}
!77 = !{!78}
!78 = distinct !{!78, !79, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx: %retptr"}
!79 = distinct !{!79, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx"}
!80 = !{!81}
!81 = distinct !{!81, !82, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx: %retptr"}
!82 = distinct !{!82, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx"}
!83 = !{!84}
!84 = distinct !{!84, !85, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx: %retptr"}
!85 = distinct !{!85, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx"}
!86 = !{!87}
!87 = distinct !{!87, !88, !"_ZN8dropzero10softswitch5ports8gso_code17_put_plain_headerB3v36B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %retptr"}
!88 = distinct !{!88, !"_ZN8dropzero10softswitch5ports8gso_code17_put_plain_headerB3v36B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx"}
!89 = !{!90}
!90 = distinct !{!90, !91, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v41B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx24Literal_5bint_5d_2810_29: %retptr"}
!91 = distinct !{!91, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v41B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx24Literal_5bint_5d_2810_29"}
!92 = !{!93}
!93 = distinct !{!93, !94, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx: %retptr"}
!94 = distinct !{!94, !"_ZN8dropzero10softswitch5ports8gso_code11_put_vectorB3v33B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx"}
!95 = !{!96}
!96 = distinct !{!96, !97, !"_ZN8dropzero10softswitch5ports8gso_code5_endsB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!97 = distinct !{!97, !"_ZN8dropzero10softswitch5ports8gso_code5_endsB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!98 = !{!99, !101}
!99 = distinct !{!99, !100, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29: %retptr"}
!100 = distinct !{!100, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx23Literal_5bint_5d_288_29"}
!101 = distinct !{!101, !102, !"_ZN8dropzero10softswitch5ports8gso_code18_pseudo_header_sumB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx23Literal_5bint_5d_286_29: %retptr"}
!102 = distinct !{!102, !"_ZN8dropzero10softswitch5ports8gso_code18_pseudo_header_sumB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx23Literal_5bint_5d_286_29"}
!103 = !{!104}
!104 = distinct !{!104, !105, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!105 = distinct !{!105, !"_ZN8dropzero10softswitch5ports8gso_code4_sumB2v8B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!106 = !{!107}
!107 = distinct !{!107, !108, !"_ZN8dropzero10softswitch5ports9ring_code7_is_forB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2729EExx: %retptr"}
!108 = distinct !{!108, !"_ZN8dropzero10softswitch5ports9ring_code7_is_forB3v43B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2729EExx"}
!109 = !{!110}
!110 = distinct !{!110, !111, !"_ZN8dropzero10softswitch5ports9ring_code14_ring_doorbellB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!111 = distinct !{!111, !"_ZN8dropzero10softswitch5ports9ring_code14_ring_doorbellB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!112 = !{!113, !115}
!113 = distinct !{!113, !114, !"_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29: %retptr"}
!114 = distinct !{!114, !"_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29"}
!115 = distinct !{!115, !116, !"_ZN8dropzero10softswitch5ports9ring_code4restB3v45B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %retptr"}
!116 = distinct !{!116, !"_ZN8dropzero10softswitch5ports9ring_code4restB3v45B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx"}
!117 = !{!118, !115}
!118 = distinct !{!118, !119, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!119 = distinct !{!119, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!120 = !{!115}
!121 = !{!122, !115}
!122 = distinct !{!122, !123, !"_ZN8dropzero10softswitch5ports9ring_code14_ring_doorbellB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!123 = distinct !{!123, !"_ZN8dropzero10softswitch5ports9ring_code14_ring_doorbellB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!124 = !{!125, !127}
!125 = distinct !{!125, !126, !"_ZN8__main__5_readB3v53B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29: %retptr"}
!126 = distinct !{!126, !"_ZN8__main__5_readB3v53B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29"}
!127 = distinct !{!127, !128, !"_ZN8__main__4_nowB3v52B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!128 = distinct !{!128, !"_ZN8__main__4_nowB3v52B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!129 = !{!130}
!130 = distinct !{!130, !131, !"_ZN8__main__6_writeB3v60B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE8int32_2axx: %retptr"}
!131 = distinct !{!131, !"_ZN8__main__6_writeB3v60B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE8int32_2axx"}
!132 = !{!133}
!133 = distinct !{!133, !134, !"_ZN8__main__6_writeB3v60B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE8int32_2axx: %retptr"}
!134 = distinct !{!134, !"_ZN8__main__6_writeB3v60B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE8int32_2axx"}
!135 = !{!136, !138, !140}
!136 = distinct !{!136, !137, !"_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29: %retptr"}
!137 = distinct !{!137, !"_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29"}
!138 = distinct !{!138, !139, !"_ZN8__main__9fast_pathB3v48B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %retptr"}
!139 = distinct !{!139, !"_ZN8__main__9fast_pathB3v48B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx"}
!140 = distinct !{!140, !139, !"_ZN8__main__9fast_pathB3v48B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %excinfo"}
!141 = !{!138, !140}
!142 = !{!143, !145, !138, !140}
!143 = distinct !{!143, !144, !"_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx: %retptr"}
!144 = distinct !{!144, !"_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx"}
!145 = distinct !{!145, !144, !"_ZN8__main__4_runB3v50B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx: %excinfo"}
!146 = !{!147, !149, !143, !145, !138, !140}
!147 = distinct !{!147, !148, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!148 = distinct !{!148, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!149 = distinct !{!149, !150, !"_ZN8__main__5_waitB3v51B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!150 = distinct !{!150, !"_ZN8__main__5_waitB3v51B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!151 = !{!149, !143, !145, !138, !140}
!152 = !{!153, !149, !143, !145, !138, !140}
!153 = distinct !{!153, !154, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!154 = distinct !{!154, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!155 = !{!156, !158, !149, !143, !145, !138, !140}
!156 = distinct !{!156, !157, !"_ZN8__main__5_readB3v53B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29: %retptr"}
!157 = distinct !{!157, !"_ZN8__main__5_readB3v53B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29"}
!158 = distinct !{!158, !159, !"_ZN8__main__4_nowB3v52B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!159 = distinct !{!159, !"_ZN8__main__4_nowB3v52B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!160 = !{!161, !149, !143, !145, !138, !140}
!161 = distinct !{!161, !162, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!162 = distinct !{!162, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!163 = !{!164, !166, !149, !143, !145, !138, !140}
!164 = distinct !{!164, !165, !"_ZN8__main__5_readB3v53B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29: %retptr"}
!165 = distinct !{!165, !"_ZN8__main__5_readB3v53B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29"}
!166 = distinct !{!166, !167, !"_ZN8__main__4_nowB3v52B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!167 = distinct !{!167, !"_ZN8__main__4_nowB3v52B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!168 = !{!169, !149, !143, !145, !138, !140}
!169 = distinct !{!169, !170, !"_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29: %retptr"}
!170 = distinct !{!170, !"_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29"}
!171 = !{!172, !149, !143, !145, !138, !140}
!172 = distinct !{!172, !173, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!173 = distinct !{!173, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!174 = !{!175, !149, !143, !145, !138, !140}
!175 = distinct !{!175, !176, !"_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29: %retptr"}
!176 = distinct !{!176, !"_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v49B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29"}
!177 = !{!178, !143, !145, !138, !140}
!178 = distinct !{!178, !179, !"_ZN8dropzero10softswitch5ports9ring_code5drainB3v54B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %retptr"}
!179 = distinct !{!179, !"_ZN8dropzero10softswitch5ports9ring_code5drainB3v54B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx"}
!180 = !{!181, !143, !145, !138, !140}
!181 = distinct !{!181, !182, !"_ZN8__main__16_python_has_workB3v55B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!182 = distinct !{!182, !"_ZN8__main__16_python_has_workB3v55B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!183 = !{!184, !143, !145, !138, !140}
!184 = distinct !{!184, !185, !"_ZN8__main__8_receiveB3v56B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx: %retptr"}
!185 = distinct !{!185, !"_ZN8__main__8_receiveB3v56B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EEx"}
!186 = !{!187, !143, !145, !138, !140}
!187 = distinct !{!187, !188, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!188 = distinct !{!188, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!189 = !{!190, !192, !143, !145, !138, !140}
!190 = distinct !{!190, !191, !"_ZN8__main__5_readB3v53B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29: %retptr"}
!191 = distinct !{!191, !"_ZN8__main__5_readB3v53B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29"}
!192 = distinct !{!192, !193, !"_ZN8__main__4_nowB3v52B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!193 = distinct !{!193, !"_ZN8__main__4_nowB3v52B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!194 = !{!195, !143, !145, !138, !140}
!195 = distinct !{!195, !196, !"_ZN8__main__5_readB3v57B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29: %retptr"}
!196 = distinct !{!196, !"_ZN8__main__5_readB3v57B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_280_29"}
!197 = !{!"branch_weights", i32 99, i32 1}
!198 = !{!199, !143, !145, !138, !140}
!199 = distinct !{!199, !200, !"_ZN8__main__17_python_must_lookB3v58B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!200 = distinct !{!200, !"_ZN8__main__17_python_must_lookB3v58B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!201 = !{!202, !143, !145, !138, !140}
!202 = distinct !{!202, !203, !"_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx: %retptr"}
!203 = distinct !{!203, !"_ZN8__main__8_processB3v62B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx"}
!204 = !{!205, !143, !145, !138, !140}
!205 = distinct !{!205, !206, !"_ZN8__main__5_sendB3v63B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx: %retptr"}
!206 = distinct !{!206, !"_ZN8__main__5_sendB3v63B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExxx"}
!207 = !{!208, !205, !143, !145, !138, !140}
!208 = distinct !{!208, !209, !"_ZN8__main__14_send_messagesB3v64B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx: %retptr"}
!209 = distinct !{!209, !"_ZN8__main__14_send_messagesB3v64B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EExx"}
!210 = !{!211, !213, !138, !140}
!211 = distinct !{!211, !212, !"_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29: %retptr"}
!212 = distinct !{!212, !"_ZN8dropzero10softswitch5ports9ring_code10set_sleepsB3v46B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE23Literal_5bint_5d_281_29"}
!213 = distinct !{!213, !214, !"_ZN8dropzero10softswitch5ports9ring_code4restB3v45B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx: %retptr"}
!214 = distinct !{!214, !"_ZN8dropzero10softswitch5ports9ring_code4restB3v45B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAEx"}
!215 = !{!216, !213, !138, !140}
!216 = distinct !{!216, !217, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE: %retptr"}
!217 = distinct !{!217, !"_ZN8dropzero10softswitch5ports9ring_code6filledB3v47B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2078EE"}
!218 = !{!213, !138, !140}
!219 = !{!220, !213, !138, !140}
!220 = distinct !{!220, !221, !"_ZN8dropzero10softswitch5ports9ring_code14_ring_doorbellB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!221 = distinct !{!221, !"_ZN8dropzero10softswitch5ports9ring_code14_ring_doorbellB3v44B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
