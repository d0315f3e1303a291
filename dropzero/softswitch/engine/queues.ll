; LLVM 22, x86_64-unknown-linux-gnu, sources 8d1d8ba730199a7f28daeefd95b7511ef47b3f457f4a57a44e07819305563a15
; written by numba 0.68.1 in Python 3.11
; ModuleID = '<string>'
source_filename = "<string>"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i64 @malloc(i64) local_unnamed_addr

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #0

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define internal fastcc void @_ZN8__main__5_siftB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx(ptr noalias nonnull writeonly captures(none) %retptr, ptr captures(none) %arg.state, i64 %arg.place) unnamed_addr #1 {
entry:
  %.15 = getelementptr inbounds nuw i8, ptr %arg.state, i64 16
  %.17 = load i64, ptr %.15, align 1
  %.18 = inttoptr i64 %.17 to ptr
  %0 = getelementptr i64, ptr %.18, i64 %arg.place
  %.25 = getelementptr i8, ptr %0, i64 -8
  %.26 = load i64, ptr %.25, align 8
  %.31 = icmp sgt i64 %arg.place, 1
  br i1 %.31, label %B100.else.if, label %B292

B292:                                             ; preds = %B156.backedge, %B168.i128, %B136.i125, %B156.preheader, %B136.i110, %B168.i113, %entry
  %place.4.1 = phi i64 [ %arg.place, %entry ], [ %arg.place, %B136.i110 ], [ %arg.place, %B168.i113 ], [ 1, %B156.preheader ], [ %.14867145, %B136.i125 ], [ 1, %B156.backedge ], [ %.14867145, %B168.i128 ]
  %.361 = shl nsw i64 %place.4.1, 1
  %.365 = getelementptr inbounds nuw i8, ptr %arg.state, i64 24
  %.367 = load i64, ptr %.365, align 1
  %.368.not = icmp sgt i64 %.361, %.367
  br i1 %.368.not, label %B560, label %B320.preheader

B320.preheader:                                   ; preds = %B292
  %.8.i71 = inttoptr i64 %.26 to ptr
  %.21.i74 = getelementptr inbounds nuw i8, ptr %.8.i71, i64 32
  br label %B320

B320:                                             ; preds = %B320.preheader, %B476
  %place.5.0 = phi i64 [ %child.2.1, %B476 ], [ %place.4.1, %B320.preheader ]
  %.376 = shl nsw i64 %place.5.0, 1
  %.387 = load i64, ptr %.365, align 1
  %.389 = icmp slt i64 %.376, %.387
  br i1 %.389, label %B352, label %B424

B352:                                             ; preds = %B320
  %.397 = getelementptr i64, ptr %.18, i64 %.376
  %.398 = load i64, ptr %.397, align 8
  %.402 = getelementptr i8, ptr %.397, i64 -8
  %.403 = load i64, ptr %.402, align 8
  %.6.i = inttoptr i64 %.398 to ptr
  %.8.i = inttoptr i64 %.403 to ptr
  %.17.i = getelementptr inbounds nuw i8, ptr %.6.i, i64 32
  %.19.i = load i64, ptr %.17.i, align 1, !noalias !0
  %.21.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 32
  %.23.i = load i64, ptr %.21.i, align 1, !noalias !0
  %.24.i = icmp slt i64 %.19.i, %.23.i
  br i1 %.24.i, label %_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit, label %B136.i

B136.i:                                           ; preds = %B352
  %.40.i = icmp eq i64 %.19.i, %.23.i
  br i1 %.40.i, label %B168.i, label %_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit

B168.i:                                           ; preds = %B136.i
  %.47.i = load i64, ptr %.6.i, align 1, !noalias !0
  %.53.i = load i64, ptr %.8.i, align 1, !noalias !0
  %.56.i = icmp slt i64 %.47.i, %.53.i
  %1 = zext i1 %.56.i to i64
  br label %_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit

_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit: ; preds = %B352, %B136.i, %B168.i
  %"$phi198.2.3.0.i" = phi i64 [ 1, %B352 ], [ %1, %B168.i ], [ 0, %B136.i ]
  %spec.select = or disjoint i64 %"$phi198.2.3.0.i", %.376
  br label %B424

B424:                                             ; preds = %_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit, %B320
  %child.2.1 = phi i64 [ %.376, %B320 ], [ %spec.select, %_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit ]
  %2 = getelementptr i64, ptr %.18, i64 %child.2.1
  %.451 = getelementptr i8, ptr %2, i64 -8
  %.452 = load i64, ptr %.451, align 8
  %.6.i70 = inttoptr i64 %.452 to ptr
  %.17.i72 = getelementptr inbounds nuw i8, ptr %.6.i70, i64 32
  %.19.i73 = load i64, ptr %.17.i72, align 1, !noalias !3
  %.23.i75 = load i64, ptr %.21.i74, align 1, !noalias !3
  %.24.i76 = icmp slt i64 %.19.i73, %.23.i75
  br i1 %.24.i76, label %B476, label %B136.i77

B136.i77:                                         ; preds = %B424
  %.40.i78 = icmp eq i64 %.19.i73, %.23.i75
  br i1 %.40.i78, label %B168.i80, label %B560

B168.i80:                                         ; preds = %B136.i77
  %.47.i81 = load i64, ptr %.6.i70, align 1, !noalias !3
  %.53.i82 = load i64, ptr %.8.i71, align 1, !noalias !3
  %.56.i83.not = icmp slt i64 %.47.i81, %.53.i82
  br i1 %.56.i83.not, label %B476, label %B560

B476:                                             ; preds = %B424, %B168.i80
  %.9.i86 = load i64, ptr %.15, align 1, !noalias !6
  %.10.i87 = inttoptr i64 %.9.i86 to ptr
  %3 = getelementptr i64, ptr %.10.i87, i64 %place.5.0
  %.12.i88 = getelementptr i8, ptr %3, i64 -8
  store i64 %.452, ptr %.12.i88, align 8, !noalias !6
  %.16.i90 = getelementptr inbounds nuw i8, ptr %.6.i70, i64 40
  store i64 %place.5.0, ptr %.16.i90, align 1, !noalias !6
  %.537 = shl nsw i64 %child.2.1, 1
  %.541 = load i64, ptr %.365, align 1
  %.542.not = icmp sgt i64 %.537, %.541
  br i1 %.542.not, label %B560, label %B320

B560:                                             ; preds = %B136.i77, %B168.i80, %B476, %B292
  %place.6.1 = phi i64 [ %place.4.1, %B292 ], [ %child.2.1, %B476 ], [ %place.5.0, %B168.i80 ], [ %place.5.0, %B136.i77 ]
  %.9.i92 = load i64, ptr %.15, align 1, !noalias !9
  %.10.i93 = inttoptr i64 %.9.i92 to ptr
  %4 = getelementptr i64, ptr %.10.i93, i64 %place.6.1
  %.12.i94 = getelementptr i8, ptr %4, i64 -8
  store i64 %.26, ptr %.12.i94, align 8, !noalias !9
  %.14.i95 = inttoptr i64 %.26 to ptr
  %.16.i96 = getelementptr inbounds nuw i8, ptr %.14.i95, i64 40
  store i64 %place.6.1, ptr %.16.i96, align 1, !noalias !9
  %.8.i97 = getelementptr inbounds nuw i8, ptr %arg.state, i64 32
  store i64 -1, ptr %.8.i97, align 1, !noalias !12
  %.14.i99 = load i64, ptr %.365, align 1, !noalias !12
  %.15.not.i = icmp eq i64 %.14.i99, 0
  br i1 %.15.not.i, label %_ZN8__main__9_set_nextB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EE.exit, label %B42.i

B42.i:                                            ; preds = %B560
  %.20.i = load i64, ptr %.15, align 1, !noalias !12
  %.21.i100 = inttoptr i64 %.20.i to ptr
  %.23.i101 = load i64, ptr %.21.i100, align 8, !noalias !12
  %.24.i102 = inttoptr i64 %.23.i101 to ptr
  %.26.i = getelementptr inbounds nuw i8, ptr %.24.i102, i64 32
  %.28.i = load i64, ptr %.26.i, align 1, !noalias !12
  store i64 %.28.i, ptr %.8.i97, align 1, !noalias !12
  br label %_ZN8__main__9_set_nextB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EE.exit

_ZN8__main__9_set_nextB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EE.exit: ; preds = %B560, %B42.i
  store ptr null, ptr %retptr, align 8
  ret void

B100.else.if:                                     ; preds = %entry
  %.6066 = lshr i64 %arg.place, 1
  %5 = getelementptr i64, ptr %.18, i64 %.6066
  %.86 = getelementptr i8, ptr %5, i64 -8
  %.87 = load i64, ptr %.86, align 8
  %.6.i103 = inttoptr i64 %.26 to ptr
  %.8.i104 = inttoptr i64 %.87 to ptr
  %.17.i105 = getelementptr inbounds nuw i8, ptr %.6.i103, i64 32
  %.19.i106 = load i64, ptr %.17.i105, align 1, !noalias !15
  %.21.i107 = getelementptr inbounds nuw i8, ptr %.8.i104, i64 32
  %.23.i108 = load i64, ptr %.21.i107, align 1, !noalias !15
  %.24.i109 = icmp slt i64 %.19.i106, %.23.i108
  br i1 %.24.i109, label %B156.preheader, label %B136.i110

B136.i110:                                        ; preds = %B100.else.if
  %.40.i111 = icmp eq i64 %.19.i106, %.23.i108
  br i1 %.40.i111, label %B168.i113, label %B292

B168.i113:                                        ; preds = %B136.i110
  %.47.i114 = load i64, ptr %.6.i103, align 1, !noalias !15
  %.53.i115 = load i64, ptr %.8.i104, align 1, !noalias !15
  %.56.i116.not = icmp slt i64 %.47.i114, %.53.i115
  br i1 %.56.i116.not, label %B156.preheader, label %B292

B156.preheader:                                   ; preds = %B168.i113, %B100.else.if
  %.14867135 = lshr i64 %arg.place, 1
  %6 = getelementptr i64, ptr %.18, i64 %.14867135
  %.172136 = getelementptr i8, ptr %6, i64 -8
  %.173137 = load i64, ptr %.172136, align 8
  %.9.i138 = load i64, ptr %.15, align 1, !noalias !18
  %.10.i139 = inttoptr i64 %.9.i138 to ptr
  %7 = getelementptr i64, ptr %.10.i139, i64 %arg.place
  %.12.i140 = getelementptr i8, ptr %7, i64 -8
  store i64 %.173137, ptr %.12.i140, align 8, !noalias !18
  %.14.i141 = inttoptr i64 %.173137 to ptr
  %.16.i142 = getelementptr inbounds nuw i8, ptr %.14.i141, i64 40
  store i64 %arg.place, ptr %.16.i142, align 1, !noalias !18
  %.250143 = icmp ugt i64 %arg.place, 3
  br i1 %.250143, label %B236.else.if, label %B292

B236.else.if:                                     ; preds = %B156.preheader, %B156.backedge
  %.14867145 = phi i64 [ %.14867, %B156.backedge ], [ %.14867135, %B156.preheader ]
  %place.3.0144 = phi i64 [ %.14867145, %B156.backedge ], [ %arg.place, %B156.preheader ]
  %.27869 = lshr i64 %place.3.0144, 2
  %8 = getelementptr i64, ptr %.18, i64 %.27869
  %.304 = getelementptr i8, ptr %8, i64 -8
  %.305 = load i64, ptr %.304, align 8
  %.8.i119 = inttoptr i64 %.305 to ptr
  %.19.i121 = load i64, ptr %.17.i105, align 1, !noalias !21
  %.21.i122 = getelementptr inbounds nuw i8, ptr %.8.i119, i64 32
  %.23.i123 = load i64, ptr %.21.i122, align 1, !noalias !21
  %.24.i124 = icmp slt i64 %.19.i121, %.23.i123
  br i1 %.24.i124, label %B156.backedge, label %B136.i125

B136.i125:                                        ; preds = %B236.else.if
  %.40.i126 = icmp eq i64 %.19.i121, %.23.i123
  br i1 %.40.i126, label %B168.i128, label %B292

B168.i128:                                        ; preds = %B136.i125
  %.47.i129 = load i64, ptr %.6.i103, align 1, !noalias !21
  %.53.i130 = load i64, ptr %.8.i119, align 1, !noalias !21
  %.56.i131.not = icmp slt i64 %.47.i129, %.53.i130
  br i1 %.56.i131.not, label %B156.backedge, label %B292

B156.backedge:                                    ; preds = %B168.i128, %B236.else.if
  %.14867 = lshr i64 %.14867145, 1
  %9 = getelementptr i64, ptr %.18, i64 %.14867
  %.172 = getelementptr i8, ptr %9, i64 -8
  %.173 = load i64, ptr %.172, align 8
  %.9.i = load i64, ptr %.15, align 1, !noalias !18
  %.10.i = inttoptr i64 %.9.i to ptr
  %10 = getelementptr i64, ptr %.10.i, i64 %.14867145
  %.12.i = getelementptr i8, ptr %10, i64 -8
  store i64 %.173, ptr %.12.i, align 8, !noalias !18
  %.14.i = inttoptr i64 %.173 to ptr
  %.16.i = getelementptr inbounds nuw i8, ptr %.14.i, i64 40
  store i64 %.14867145, ptr %.16.i, align 1, !noalias !18
  %.250 = icmp samesign ugt i64 %.14867145, 3
  br i1 %.250, label %B236.else.if, label %B292
}

declare ptr @free(i64) local_unnamed_addr

define noundef i64 @enter(i64 %.1, i64 %.2, i64 %.3, i64 %.4, i64 %.5, i64 %.6, i64 %.7, i64 %.8, i64 %.9) local_unnamed_addr {
.11:
  %.370.i.i.i = alloca ptr, align 8
  %.19.i = inttoptr i64 %.1 to ptr
  %.24.i = inttoptr i64 %.3 to ptr
  %.25.i = inttoptr i64 %.4 to ptr
  %.26.i = inttoptr i64 %.5 to ptr
  %.36.i = inttoptr i64 %.6 to ptr
  %.12276.not.i = icmp slt i64 %.7, 1
  br i1 %.12276.not.i, label %_ZN8__main__5enterB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxxxx.exit, label %B288.if.lr.ph.i

B288.if.lr.ph.i:                                  ; preds = %.11
  %.235.i = sdiv i64 %.8, 1000
  %.236.i = srem i64 %.8, 1000
  %.236.lobit.i = ashr i64 %.236.i, 63
  %.224.0.i = add nsw i64 %.236.lobit.i, %.235.i
  %.47.i.i.i = getelementptr inbounds nuw i8, ptr %.19.i, i64 8
  %.168.i.i = getelementptr inbounds nuw i8, ptr %.19.i, i64 40
  %.296.i.i.i = getelementptr inbounds nuw i8, ptr %.19.i, i64 24
  %.7.i.i.i75.i = getelementptr inbounds nuw i8, ptr %.19.i, i64 16
  br label %B288.if.i

B62.i.i.i:                                        ; preds = %B288.if.i
  %.26.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 16
  %.28.i.i.i = load i64, ptr %.26.i.i.i, align 1, !noalias !24
  %.30.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 24
  %.32.i.i.i = load i64, ptr %.30.i.i.i, align 1, !noalias !24
  %.34.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 48
  store i64 %.28.i.i.i, ptr %.34.i.i.i, align 1, !noalias !24
  %.38.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 56
  store i64 %.32.i.i.i, ptr %.38.i.i.i, align 1, !noalias !24
  br label %B112.i.i.i

B112.i.i.i:                                       ; preds = %B288.if.i, %B62.i.i.i
  %.266.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 48
  %.6.i.i.i.i = add nsw i64 %.13.i.i, 136
  %.7.i.i.i.i = inttoptr i64 %.6.i.i.i.i to ptr
  %.378.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 56
  %.385.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 8
  br label %B114.i.i.i

B114.i.i.i:                                       ; preds = %_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit.i.i.i, %B112.i.i.i
  %.49.i.i.i = load i64, ptr %.47.i.i.i, align 1, !noalias !24
  %.13178.not.i.i.i = icmp slt i64 %.49.i.i.i, 1
  br i1 %.13178.not.i.i.i, label %B312.i.i.i, label %B168.if.i.i.i

B218.i.i.i:                                       ; preds = %B168.if.i.i.i
  %.214.i.i.i = inttoptr i64 %.205.i.i.i to ptr
  %.216.i.i.i = getelementptr inbounds nuw i8, ptr %.214.i.i.i, i64 8
  %.218.i.i.i = load i64, ptr %.216.i.i.i, align 1, !noalias !24
  %.11.i.i.i.i = tail call i64 @llvm.smin.i64(i64 %.218.i.i.i, i64 %ready.2.181.i.i.i)
  br label %B310.i.i.i

B310.i.i.i:                                       ; preds = %B168.if.i.i.i, %B218.i.i.i
  %ready.3.2.i.i.i = phi i64 [ %.11.i.i.i.i, %B218.i.i.i ], [ %ready.2.181.i.i.i, %B168.if.i.i.i ]
  %exitcond.not.i.i.i = icmp eq i64 %.49.i.i.i, %.144.i.i.i
  br i1 %exitcond.not.i.i.i, label %B312.i.i.i, label %B168.if.i.i.i

B312.i.i.i:                                       ; preds = %B310.i.i.i, %B114.i.i.i
  %ready.2.1.lcssa.i.i.i = phi i64 [ 9223372036854775807, %B114.i.i.i ], [ %ready.3.2.i.i.i, %B310.i.i.i ]
  %.268.i.i.i = load i64, ptr %.266.i.i.i, align 1, !noalias !24
  %.11.i76.i.i.i = tail call i64 @llvm.smax.i64(i64 %ready.2.1.lcssa.i.i.i, i64 %.268.i.i.i)
  %.302.i.i.i = icmp ne i64 %ready.2.1.lcssa.i.i.i, 9223372036854775807
  %.308.not.i.i.i = icmp slt i64 %.11.i76.i.i.i, %"$phi500.1.2.1.i"
  %or.cond.i.i.i = select i1 %.302.i.i.i, i1 %.308.not.i.i.i, i1 false
  br i1 %or.cond.i.i.i, label %B392.i.i.i, label %_ZN8__main__7_expectB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx.exit.i.i

B392.i.i.i:                                       ; preds = %B312.i.i.i
  store i64 1, ptr %.20.i.i.i, align 1, !noalias !24
  %.16.i.i.i.i = load i64, ptr %.47.i.i.i, align 1, !noalias !31
  %priority.2.017.i.i.i.i = add nsw i64 %.16.i.i.i.i, -1
  %.8.i18.i.i.i.i = getelementptr [104 x i8], ptr %.7.i.i.i.i, i64 %priority.2.017.i.i.i.i
  %.7921.i.i.i.i = icmp eq i64 %priority.2.017.i.i.i.i, 0
  br i1 %.7921.i.i.i.i, label %_ZN8__main__11_next_queueB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_281_29.exit.i.i.i, label %B102.i.i.i.i

B102.i.i.i.i:                                     ; preds = %B392.i.i.i, %B172.i.i.i.i
  %.8.i23.i.i.i.i = phi ptr [ %.8.i.i.i.i.i, %B172.i.i.i.i ], [ %.8.i18.i.i.i.i, %B392.i.i.i ]
  %priority.2.022.i.i.i.i = phi i64 [ %priority.2.0.i.i.i.i, %B172.i.i.i.i ], [ %priority.2.017.i.i.i.i, %B392.i.i.i ]
  %.6024.in.i.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i23.i.i.i.i, i64 56
  %.6024.i.i.i.i = load i64, ptr %.6024.in.i.i.i.i, align 1, !noalias !31
  %.82.not.i.i.i.i = icmp eq i64 %.6024.i.i.i.i, 0
  br i1 %.82.not.i.i.i.i, label %B172.i.i.i.i, label %B106.i.i.i.i

B106.i.i.i.i:                                     ; preds = %B102.i.i.i.i
  %.85.i.i.i.i = inttoptr i64 %.6024.i.i.i.i to ptr
  %.89.i.i.i.i = getelementptr inbounds nuw i8, ptr %.85.i.i.i.i, i64 8
  %.91.i.i.i.i = load i64, ptr %.89.i.i.i.i, align 1, !noalias !31
  %.93.not.i.i.i.i = icmp sgt i64 %.91.i.i.i.i, %.11.i76.i.i.i
  br i1 %.93.not.i.i.i.i, label %B172.i.i.i.i, label %_ZN8__main__11_next_queueB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_281_29.exit.i.i.i

B172.i.i.i.i:                                     ; preds = %B106.i.i.i.i, %B102.i.i.i.i
  %priority.2.0.i.i.i.i = add nsw i64 %priority.2.022.i.i.i.i, -1
  %.8.i.i.i.i.i = getelementptr [104 x i8], ptr %.7.i.i.i.i, i64 %priority.2.0.i.i.i.i
  %.79.i.i.i.i = icmp eq i64 %priority.2.0.i.i.i.i, 0
  br i1 %.79.i.i.i.i, label %_ZN8__main__11_next_queueB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_281_29.exit.i.i.i, label %B102.i.i.i.i

_ZN8__main__11_next_queueB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_281_29.exit.i.i.i: ; preds = %B172.i.i.i.i, %B106.i.i.i.i, %B392.i.i.i
  %.8.i.lcssa.i.i.i.i = phi ptr [ %.8.i18.i.i.i.i, %B392.i.i.i ], [ %.7.i.i.i.i, %B172.i.i.i.i ], [ %.8.i23.i.i.i.i, %B106.i.i.i.i ]
  %.354.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 56
  %.356.i.i.i = load i64, ptr %.354.i.i.i, align 1, !noalias !24
  %.357.i.i.i = inttoptr i64 %.356.i.i.i to ptr
  %.359.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 48
  %.361.i.i.i = load i64, ptr %.359.i.i.i, align 1, !noalias !24
  %.362.i.i.i = add nsw i64 %.361.i.i.i, 1
  store i64 %.362.i.i.i, ptr %.359.i.i.i, align 1, !noalias !24
  %.366.i.i.i = getelementptr inbounds nuw i8, ptr %.357.i.i.i, i64 24
  %.368.i.i.i = load i64, ptr %.366.i.i.i, align 1, !noalias !24
  store i64 %.368.i.i.i, ptr %.354.i.i.i, align 1, !noalias !24
  %.376.i.i.i = load i64, ptr %.266.i.i.i, align 1, !noalias !24
  %.380.i.i.i = load i64, ptr %.378.i.i.i, align 1, !noalias !24
  %.387.i.i.i = load i64, ptr %.385.i.i.i, align 1, !noalias !24
  %.22.i.i.i.i = icmp sgt i64 %.11.i76.i.i.i, %.376.i.i.i
  %spec.select.i.i.i.i = tail call i64 @llvm.smax.i64(i64 %.11.i76.i.i.i, i64 %.376.i.i.i)
  %spec.select25.i.i.i.i = select i1 %.22.i.i.i.i, i64 0, i64 %.380.i.i.i
  %.35.not.i.i.i.i = icmp eq i64 %.387.i.i.i, 0
  br i1 %.35.not.i.i.i.i, label %_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit.i.i.i, label %B36.i.i.i.i

B36.i.i.i.i:                                      ; preds = %_ZN8__main__11_next_queueB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_281_29.exit.i.i.i
  %.381.i.i.i = getelementptr inbounds nuw i8, ptr %.357.i.i.i, i64 16
  %.383.i.i.i = load i64, ptr %.381.i.i.i, align 1, !noalias !24
  %.53.i.i.i.i = mul nsw i64 %.383.i.i.i, 8000000000
  %.57.i.i.i.i = add nsw i64 %.53.i.i.i.i, %spec.select25.i.i.i.i
  %.74.i.i.i.i = icmp ne i64 %.57.i.i.i.i, -9223372036854775808
  %.75.i.i.i.i = icmp ne i64 %.387.i.i.i, -1
  %.76.not.i.i.i.i = or i1 %.75.i.i.i.i, %.74.i.i.i.i
  br i1 %.76.not.i.i.i.i, label %B36.else.if.i.i.i.i, label %B36.else.endif.i.i.i.i, !prof !34

B36.else.if.i.i.i.i:                              ; preds = %B36.i.i.i.i
  %0 = or i64 %.57.i.i.i.i, %.387.i.i.i
  %1 = icmp ult i64 %0, 4294967296
  br i1 %1, label %2, label %9

2:                                                ; preds = %B36.else.if.i.i.i.i
  %3 = trunc nuw i64 %.387.i.i.i to i32
  %4 = trunc nuw i64 %.57.i.i.i.i to i32
  %5 = udiv i32 %4, %3
  %6 = urem i32 %4, %3
  %7 = zext i32 %5 to i64
  %8 = zext i32 %6 to i64
  br label %12

9:                                                ; preds = %B36.else.if.i.i.i.i
  %10 = sdiv i64 %.57.i.i.i.i, %.387.i.i.i
  %11 = srem i64 %.57.i.i.i.i, %.387.i.i.i
  br label %12

12:                                               ; preds = %9, %2
  %13 = phi i64 [ %7, %2 ], [ %10, %9 ]
  %14 = phi i64 [ %8, %2 ], [ %11, %9 ]
  %.81.i.i.i.i = xor i64 %14, %.387.i.i.i
  %.82.i.i.i.i = icmp slt i64 %.81.i.i.i.i, 0
  %.83.i.i.i.i = icmp ne i64 %14, 0
  %.84.i.i.i.i = and i1 %.83.i.i.i.i, %.82.i.i.i.i
  %.89.i77.i.i.i = sext i1 %.84.i.i.i.i to i64
  %spec.select26.i.i.i.i = add i64 %13, %.89.i77.i.i.i
  br label %B36.else.endif.i.i.i.i

B36.else.endif.i.i.i.i:                           ; preds = %12, %B36.i.i.i.i
  %.68.0.i.i.i.i = phi i64 [ %spec.select26.i.i.i.i, %12 ], [ 0, %B36.i.i.i.i ]
  %.102.i.i.i.i = add nsw i64 %.68.0.i.i.i.i, %spec.select.i.i.i.i
  br i1 %.76.not.i.i.i.i, label %B36.endif.else.if.i.i.i.i, label %_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit.i.i.i, !prof !34

B36.endif.else.if.i.i.i.i:                        ; preds = %B36.else.endif.i.i.i.i
  %15 = or i64 %.57.i.i.i.i, %.387.i.i.i
  %16 = icmp ult i64 %15, 4294967296
  br i1 %16, label %17, label %22

17:                                               ; preds = %B36.endif.else.if.i.i.i.i
  %18 = trunc nuw i64 %.387.i.i.i to i32
  %19 = trunc nuw i64 %.57.i.i.i.i to i32
  %20 = urem i32 %19, %18
  %21 = zext i32 %20 to i64
  br label %24

22:                                               ; preds = %B36.endif.else.if.i.i.i.i
  %23 = srem i64 %.57.i.i.i.i, %.387.i.i.i
  br label %24

24:                                               ; preds = %22, %17
  %25 = phi i64 [ %21, %17 ], [ %23, %22 ]
  %.126.i.i.i.i = xor i64 %25, %.387.i.i.i
  %.127.i.i.i.i = icmp slt i64 %.126.i.i.i.i, 0
  %.128.i.i.i.i = icmp ne i64 %25, 0
  %.129.i.i.i.i = and i1 %.128.i.i.i.i, %.127.i.i.i.i
  %.136.i.i.i.i = select i1 %.129.i.i.i.i, i64 %.387.i.i.i, i64 0
  %spec.select27.i.i.i.i = add i64 %.136.i.i.i.i, %25
  br label %_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit.i.i.i

_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit.i.i.i: ; preds = %24, %B36.else.endif.i.i.i.i, %_ZN8__main__11_next_queueB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_281_29.exit.i.i.i
  %.389.sroa.5.0.i.i.i = phi i64 [ %spec.select25.i.i.i.i, %_ZN8__main__11_next_queueB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_281_29.exit.i.i.i ], [ %spec.select27.i.i.i.i, %24 ], [ 0, %B36.else.endif.i.i.i.i ]
  %.389.sroa.0.0.i.i.i = phi i64 [ %spec.select.i.i.i.i, %_ZN8__main__11_next_queueB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_281_29.exit.i.i.i ], [ %.102.i.i.i.i, %24 ], [ %.102.i.i.i.i, %B36.else.endif.i.i.i.i ]
  store i64 %.389.sroa.0.0.i.i.i, ptr %.266.i.i.i, align 1, !noalias !24
  store i64 %.389.sroa.5.0.i.i.i, ptr %.378.i.i.i, align 1, !noalias !24
  br label %B114.i.i.i

B168.if.i.i.i:                                    ; preds = %B114.i.i.i, %B310.i.i.i
  %ready.2.181.i.i.i = phi i64 [ %ready.3.2.i.i.i, %B310.i.i.i ], [ 9223372036854775807, %B114.i.i.i ]
  %.73.080.i.i.i = phi i64 [ %.144.i.i.i, %B310.i.i.i ], [ 0, %B114.i.i.i ]
  %.144.i.i.i = add nuw nsw i64 %.73.080.i.i.i, 1
  %.8.i.i.i.i = getelementptr [104 x i8], ptr %.7.i.i.i.i, i64 %.73.080.i.i.i
  %.203.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i.i, i64 56
  %.205.i.i.i = load i64, ptr %.203.i.i.i, align 1, !noalias !24
  %.206.not.i.i.i = icmp eq i64 %.205.i.i.i, 0
  br i1 %.206.not.i.i.i, label %B310.i.i.i, label %B218.i.i.i

_ZN8__main__7_expectB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx.exit.i.i: ; preds = %B312.i.i.i
  %.8.i.i.i = getelementptr [104 x i8], ptr %.7.i.i.i.i, i64 %.279.i
  %.11.i.i9.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 80
  %.13.i.i.i.i = load i64, ptr %.11.i.i9.i.i, align 1, !noalias !35
  %.14.not.i.i.i.i = icmp eq i64 %.13.i.i.i.i, 0
  br i1 %.14.not.i.i.i.i, label %_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i, label %B18.i.i.i.i

B18.i.i.i.i:                                      ; preds = %_ZN8__main__7_expectB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx.exit.i.i
  %.20.i.i.i.i = inttoptr i64 %.13.i.i.i.i to ptr
  %.24.i.i.i.i = load i64, ptr %.20.i.i.i.i, align 1, !noalias !35
  %.26.not.i.i.i.i = icmp sgt i64 %.24.i.i.i.i, %"$phi500.1.2.1.i"
  br i1 %.26.not.i.i.i.i, label %_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i, label %B90.preheader.i.i.i.i

B90.preheader.i.i.i.i:                            ; preds = %B18.i.i.i.i
  %.45.i.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 96
  br label %B90.i.i.i.i

B90.i.i.i.i:                                      ; preds = %B244.i.i.i.i, %B90.preheader.i.i.i.i
  %.34.i.i.i.i = load i64, ptr %.11.i.i9.i.i, align 1, !noalias !35
  %.35.i.i.i.i = inttoptr i64 %.34.i.i.i.i to ptr
  %.37.i.i.i.i = getelementptr inbounds nuw i8, ptr %.35.i.i.i.i, i64 8
  %.39.i.i.i.i = load i64, ptr %.37.i.i.i.i, align 1, !noalias !35
  store i64 %.39.i.i.i.i, ptr %.11.i.i9.i.i, align 1, !noalias !35
  %.47.i.i.i.i = load i64, ptr %.45.i.i.i.i, align 1, !noalias !35
  %.48.i.i.i.i = add nsw i64 %.47.i.i.i.i, -1
  store i64 %.48.i.i.i.i, ptr %.45.i.i.i.i, align 1, !noalias !35
  %.53.i.i10.i.i = tail call ptr @free(i64 %.34.i.i.i.i), !noalias !35
  %.57.i.i11.i.i = load i64, ptr %.11.i.i9.i.i, align 1, !noalias !35
  %.58.not.i.i.i.i = icmp eq i64 %.57.i.i11.i.i, 0
  br i1 %.58.not.i.i.i.i, label %_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i, label %B244.i.i.i.i

B244.i.i.i.i:                                     ; preds = %B90.i.i.i.i
  %.64.i.i.i.i = inttoptr i64 %.57.i.i11.i.i to ptr
  %.68.i.i.i.i = load i64, ptr %.64.i.i.i.i, align 1, !noalias !35
  %.70.not.i.i.i.i = icmp sgt i64 %.68.i.i.i.i, %"$phi500.1.2.1.i"
  br i1 %.70.not.i.i.i.i, label %_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i, label %B90.i.i.i.i

_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i: ; preds = %B244.i.i.i.i, %B90.i.i.i.i, %B18.i.i.i.i, %_ZN8__main__7_expectB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx.exit.i.i
  %.33.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 32
  %.35.i.i.i = load i64, ptr %.33.i.i.i, align 1, !noalias !40
  %.36.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 48
  %.38.i12.i.i = load i64, ptr %.36.i.i.i, align 1, !noalias !40
  %.39.i.i.i = sub i64 %.35.i.i.i, %.38.i12.i.i
  %.40.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 96
  %.42.i.i.i = load i64, ptr %.40.i.i.i, align 1, !noalias !40
  %.43.i.i.i = add nsw i64 %.39.i.i.i, %.42.i.i.i
  %.94.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 72
  %.96.i.i = load i64, ptr %.94.i.i, align 1, !noalias !41
  %.97.i.i = add nsw i64 %.96.i.i, 1
  store i64 %.97.i.i, ptr %.94.i.i, align 1, !noalias !41
  %.104.i.i = load i64, ptr %.8.i.i.i, align 1, !noalias !41
  %.106.not.i.i = icmp slt i64 %.43.i.i.i, %.104.i.i
  br i1 %.106.not.i.i, label %B246.i.i, label %B200.i.i

B200.i.i:                                         ; preds = %_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i
  %.111.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 80
  %.113.i.i = load i64, ptr %.111.i.i, align 1, !noalias !41
  %.114.i.i = add nsw i64 %.113.i.i, 1
  store i64 %.114.i.i, ptr %.111.i.i, align 1, !noalias !41
  br label %_ZN8__main__6_admitB2v4B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i

B246.i.i:                                         ; preds = %_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i
  %.124.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 88
  %.126.i.i = load i64, ptr %.124.i.i, align 1, !noalias !41
  %.128.i.i = add nsw i64 %.43.i.i.i, 1
  %.11.i.i.i = tail call i64 @llvm.smax.i64(i64 %.128.i.i, i64 %.126.i.i)
  store i64 %.11.i.i.i, ptr %.124.i.i, align 1, !noalias !41
  br label %_ZN8__main__6_admitB2v4B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i

_ZN8__main__6_admitB2v4B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i: ; preds = %B246.i.i, %B200.i.i
  %storemerge.i.i = phi i64 [ %.43.i.i.i, %B246.i.i ], [ -1, %B200.i.i ]
  %.313.i = getelementptr i8, ptr %.209.i, i64 32
  store i64 %storemerge.i.i, ptr %.313.i, align 8, !noalias !42
  %.318.i = icmp eq i64 %storemerge.i.i, -1
  br i1 %.318.i, label %B286.backedge.i, label %B626.i

B626.i:                                           ; preds = %_ZN8__main__6_admitB2v4B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i
  %.335.i = getelementptr i32, ptr %.25.i, i64 %.162.i
  %.336.i = load i32, ptr %.335.i, align 4, !noalias !42
  %.339.i = sub i32 0, %.336.i
  %.340.i = sext i32 %.339.i to i64
  %.341.i = add nsw i64 %.340.i, 64
  %.342.i = tail call i64 @malloc(i64 %.341.i), !noalias !42
  %.343.i = add nsw i64 %.342.i, 64
  %.344.i = inttoptr i64 %.342.i to ptr
  %.346.i = getelementptr inbounds nuw i8, ptr %.344.i, i64 40
  store i64 %.343.i, ptr %.346.i, align 1, !noalias !42
  %.351.i = getelementptr inbounds nuw i8, ptr %.344.i, i64 48
  store i64 %.340.i, ptr %.351.i, align 1, !noalias !42
  %.357.i = getelementptr inbounds nuw i8, ptr %.344.i, i64 56
  store i64 %.9, ptr %.357.i, align 1, !noalias !42
  %.362.i = inttoptr i64 %.343.i to ptr
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %.362.i, ptr align 1 %.209.i, i64 %.340.i, i1 false), !noalias !42
  %.370.i = getelementptr i8, ptr %.209.i, i64 56
  %.371.i = load i64, ptr %.370.i, align 8, !noalias !42
  %.54.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 40
  %.56.i.i = load i64, ptr %.54.i.i, align 1, !noalias !43
  %.58.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 8
  %.60.i.i = load i64, ptr %.58.i.i, align 1, !noalias !43
  %.61.i.i = add nsw i64 %.60.i.i, %.56.i.i
  %.11.i.i66.i = tail call i64 @llvm.smax.i64(i64 %.61.i.i, i64 %"$phi500.1.2.1.i")
  store i64 %.11.i.i66.i, ptr %.54.i.i, align 1, !noalias !43
  store i64 %"$phi500.1.2.1.i", ptr %.344.i, align 1, !noalias !43
  %.103.i.i = getelementptr inbounds nuw i8, ptr %.344.i, i64 8
  store i64 %.11.i.i66.i, ptr %.103.i.i, align 1, !noalias !43
  %.107.i.i = getelementptr inbounds nuw i8, ptr %.344.i, i64 16
  store i64 %.371.i, ptr %.107.i.i, align 1, !noalias !43
  %.111.i67.i = getelementptr inbounds nuw i8, ptr %.344.i, i64 24
  %.119.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 16
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 1 dereferenceable(16) %.111.i67.i, i8 0, i64 16, i1 false), !noalias !43
  %.121.i.i = load i64, ptr %.119.i.i, align 1, !noalias !43
  %.122.not.i.i = icmp eq i64 %.121.i.i, 0
  br i1 %.122.not.i.i, label %B336.i.i, label %B244.i.i

B244.i.i:                                         ; preds = %B626.i
  %.115.i.i = getelementptr inbounds nuw i8, ptr %.344.i, i64 32
  %.125.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 24
  %.127.i.i = load i64, ptr %.125.i.i, align 1, !noalias !43
  %.132.i.i = inttoptr i64 %.127.i.i to ptr
  %.135.i.i = getelementptr inbounds nuw i8, ptr %.132.i.i, i64 24
  store i64 %.342.i, ptr %.135.i.i, align 1, !noalias !43
  store i64 %.127.i.i, ptr %.115.i.i, align 1, !noalias !43
  br label %B350.i.i

B336.i.i:                                         ; preds = %B626.i
  store i64 %.342.i, ptr %.119.i.i, align 1, !noalias !43
  br label %B350.i.i

B350.i.i:                                         ; preds = %B336.i.i, %B244.i.i
  %.155.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 24
  store i64 %.342.i, ptr %.155.i.i, align 1, !noalias !43
  %.161.i.i = load i64, ptr %.33.i.i.i, align 1, !noalias !43
  %.162.i.i = add nsw i64 %.161.i.i, 1
  store i64 %.162.i.i, ptr %.33.i.i.i, align 1, !noalias !43
  %.170.i.i = load i64, ptr %.168.i.i, align 1, !noalias !43
  %.171.i.i = add nsw i64 %.170.i.i, 1
  store i64 %.171.i.i, ptr %.168.i.i, align 1, !noalias !43
  %.177.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i, i64 56
  %.179.i.i = load i64, ptr %.177.i.i, align 1, !noalias !43
  %.180.not.i.i = icmp eq i64 %.179.i.i, 0
  br i1 %.180.not.i.i, label %B442.i.i, label %B456.i.i

B442.i.i:                                         ; preds = %B350.i.i
  store i64 %.342.i, ptr %.177.i.i, align 1, !noalias !43
  br label %B456.i.i

B456.i.i:                                         ; preds = %B442.i.i, %B350.i.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.370.i.i.i), !noalias !43
  store ptr null, ptr %.370.i.i.i, align 8, !noalias !46
  %.22.i.i69.i = load i64, ptr %.47.i.i.i, align 1, !noalias !46
  %.10461.not.i.i.i = icmp slt i64 %.22.i.i69.i, 1
  br i1 %.10461.not.i.i.i, label %B246.i.i.i, label %B102.if.i.i.i

B152.i.i.i:                                       ; preds = %B102.if.i.i.i
  %.187.i.i.i = inttoptr i64 %.178.i.i.i to ptr
  %.189.i.i.i = getelementptr inbounds nuw i8, ptr %.187.i.i.i, i64 8
  %.191.i.i.i = load i64, ptr %.189.i.i.i, align 1, !noalias !46
  %.11.i.i.i71.i = tail call i64 @llvm.smin.i64(i64 %.191.i.i.i, i64 %ready.2.064.i.i.i)
  br label %B244.i.i.i

B244.i.i.i:                                       ; preds = %B102.if.i.i.i, %B152.i.i.i
  %ready.3.1.i.i.i = phi i64 [ %.11.i.i.i71.i, %B152.i.i.i ], [ %ready.2.064.i.i.i, %B102.if.i.i.i ]
  %exitcond.not.i.i72.i = icmp eq i64 %.117.i.i.i, %.22.i.i69.i
  br i1 %exitcond.not.i.i72.i, label %B246.i.i.i, label %B102.if.i.i.i

B246.i.i.i:                                       ; preds = %B244.i.i.i, %B456.i.i
  %ready.2.0.lcssa.i.i.i = phi i64 [ 9223372036854775807, %B456.i.i ], [ %ready.3.1.i.i.i, %B244.i.i.i ]
  %.239.i.i.i = icmp eq i64 %ready.2.0.lcssa.i.i.i, 9223372036854775807
  br i1 %.239.i.i.i, label %_ZN8__main__7_appendB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxxxx.exit.i, label %B272.i.i.i

B272.i.i.i:                                       ; preds = %B246.i.i.i
  %.252.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 16
  %.254.i.i.i = load i64, ptr %.252.i.i.i, align 1, !noalias !46
  %.11.i59.i.i.i = tail call i64 @llvm.smax.i64(i64 %ready.2.0.lcssa.i.i.i, i64 %.254.i.i.i)
  %.290.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 40
  %.292.i.i.i = load i64, ptr %.290.i.i.i, align 1, !noalias !46
  %.293.not.i.i.i = icmp eq i64 %.292.i.i.i, 0
  br i1 %.293.not.i.i.i, label %B328.i.i.i, label %B406.i.i.i

B328.i.i.i:                                       ; preds = %B272.i.i.i
  %.298.i.i.i = load i64, ptr %.296.i.i.i, align 1, !noalias !46
  %.299.i.i.i = add nsw i64 %.298.i.i.i, 1
  store i64 %.299.i.i.i, ptr %.296.i.i.i, align 1, !noalias !46
  %.9.i.i.i.i = load i64, ptr %.7.i.i.i75.i, align 1, !noalias !49
  %.10.i.i.i.i = inttoptr i64 %.9.i.i.i.i to ptr
  %26 = getelementptr i64, ptr %.10.i.i.i.i, i64 %.299.i.i.i
  %.12.i.i.i.i = getelementptr i8, ptr %26, i64 -8
  store i64 %.13.i.i, ptr %.12.i.i.i.i, align 8, !noalias !49
  store i64 %.299.i.i.i, ptr %.290.i.i.i, align 1, !noalias !49
  br label %B432.i.i.i

B406.i.i.i:                                       ; preds = %B272.i.i.i
  %.341.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 32
  %.343.i.i.i = load i64, ptr %.341.i.i.i, align 1, !noalias !46
  %.345.i.i.i = icmp eq i64 %.11.i59.i.i.i, %.343.i.i.i
  br i1 %.345.i.i.i, label %_ZN8__main__7_appendB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxxxx.exit.i, label %B432.i.i.i

B432.i.i.i:                                       ; preds = %B406.i.i.i, %B328.i.i.i
  %.357.i.i73.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 32
  store i64 %.11.i59.i.i.i, ptr %.357.i.i73.i, align 1, !noalias !46
  %.366.i.i74.i = load i64, ptr %.290.i.i.i, align 1, !noalias !46
  store ptr null, ptr %.370.i.i.i, align 8, !noalias !46
  call fastcc void @_ZN8__main__5_siftB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx(ptr %.370.i.i.i, ptr nonnull %.19.i, i64 %.366.i.i74.i)
  br label %_ZN8__main__7_appendB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxxxx.exit.i

B102.if.i.i.i:                                    ; preds = %B456.i.i, %B244.i.i.i
  %ready.2.064.i.i.i = phi i64 [ %ready.3.1.i.i.i, %B244.i.i.i ], [ 9223372036854775807, %B456.i.i ]
  %.46.063.i.i.i = phi i64 [ %.117.i.i.i, %B244.i.i.i ], [ 0, %B456.i.i ]
  %.117.i.i.i = add nuw nsw i64 %.46.063.i.i.i, 1
  %.8.i.i.i70.i = getelementptr [104 x i8], ptr %.7.i.i.i.i, i64 %.46.063.i.i.i
  %.176.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i.i70.i, i64 16
  %.178.i.i.i = load i64, ptr %.176.i.i.i, align 1, !noalias !46
  %.179.not.i.i.i = icmp eq i64 %.178.i.i.i, 0
  br i1 %.179.not.i.i.i, label %B244.i.i.i, label %B152.i.i.i

_ZN8__main__7_appendB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxxxx.exit.i: ; preds = %B432.i.i.i, %B406.i.i.i, %B246.i.i.i
  call void @llvm.lifetime.end.p0(ptr nonnull %.370.i.i.i), !noalias !43
  br label %B286.backedge.i

B286.backedge.i:                                  ; preds = %_ZN8__main__7_appendB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxxxx.exit.i, %_ZN8__main__6_admitB2v4B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i
  %exitcond.not.i = icmp eq i64 %.135.i, %.7
  br i1 %exitcond.not.i, label %_ZN8__main__5enterB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxxxx.exit, label %B288.if.i

B288.if.i:                                        ; preds = %B286.backedge.i, %B288.if.lr.ph.i
  %.63.078.i = phi i64 [ 0, %B288.if.lr.ph.i ], [ %.135.i, %B286.backedge.i ]
  %.135.i = add nuw nsw i64 %.63.078.i, 1
  %.161.i = getelementptr i64, ptr %.36.i, i64 %.63.078.i
  %.162.i = load i64, ptr %.161.i, align 8, !noalias !42
  %.169.i = getelementptr i32, ptr %.26.i, i64 %.162.i
  %.170.i = load i32, ptr %.169.i, align 4, !noalias !42
  %.8.i.i = load i64, ptr %.19.i, align 1, !noalias !52
  %.9.i.i = inttoptr i64 %.8.i.i to ptr
  %27 = and i32 %.170.i, 65535
  %.11.i.i = zext nneg i32 %27 to i64
  %.12.i.i = getelementptr i64, ptr %.9.i.i, i64 %.11.i.i
  %.13.i.i = load i64, ptr %.12.i.i, align 8, !noalias !52
  %.198.i = getelementptr i64, ptr %.24.i, i64 %.162.i
  %.199.i = load i64, ptr %.198.i, align 8, !noalias !42
  %.201.i = add nsw i64 %.199.i, %.2
  %.209.i = inttoptr i64 %.201.i to ptr
  %.214.i = getelementptr i8, ptr %.209.i, i64 24
  %.215.i = load i64, ptr %.214.i, align 8, !noalias !42
  %.257.i = icmp eq i64 %.215.i, %.224.0.i
  %.267.i = mul nsw i64 %.215.i, 1000
  %"$phi500.1.2.1.i" = select i1 %.257.i, i64 %.8, i64 %.267.i
  %.278.i = getelementptr i8, ptr %.209.i, i64 16
  %.279.i = load i64, ptr %.278.i, align 8, !noalias !42
  %.14.i.i.i = inttoptr i64 %.13.i.i to ptr
  %.20.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i, i64 64
  %.22.i.i.i = load i64, ptr %.20.i.i.i, align 1, !noalias !24
  %.23.not.i.i.i = icmp eq i64 %.22.i.i.i, 0
  br i1 %.23.not.i.i.i, label %B62.i.i.i, label %B112.i.i.i

_ZN8__main__5enterB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxxxx.exit: ; preds = %B286.backedge.i, %.11
  ret i64 0
}

define i64 @depth(i64 %.1, i64 %.2, i64 %.3, i64 %.4) local_unnamed_addr {
.6:
  %.11.i = inttoptr i64 %.1 to ptr
  %.8.i.i = load i64, ptr %.11.i, align 1, !noalias !55
  %.9.i.i = inttoptr i64 %.8.i.i to ptr
  %.10.i.i = and i64 %.2, 65535
  %.11.i.i = getelementptr i64, ptr %.9.i.i, i64 %.10.i.i
  %.12.i.i = load i64, ptr %.11.i.i, align 8, !noalias !55
  %.6.i.i = add nsw i64 %.12.i.i, 136
  %.7.i.i = inttoptr i64 %.6.i.i to ptr
  %.8.i3.i = getelementptr [104 x i8], ptr %.7.i.i, i64 %.3
  %.11.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i3.i, i64 80
  %.13.i.i.i = load i64, ptr %.11.i.i.i, align 1, !noalias !60
  %.14.not.i.i.i = icmp eq i64 %.13.i.i.i, 0
  br i1 %.14.not.i.i.i, label %_ZN8__main__5depthB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx.exit, label %B18.i.i.i

B18.i.i.i:                                        ; preds = %.6
  %.20.i.i.i = inttoptr i64 %.13.i.i.i to ptr
  %.24.i.i.i = load i64, ptr %.20.i.i.i, align 1, !noalias !60
  %.26.not.i.i.i = icmp sgt i64 %.24.i.i.i, %.4
  br i1 %.26.not.i.i.i, label %_ZN8__main__5depthB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx.exit, label %B90.preheader.i.i.i

B90.preheader.i.i.i:                              ; preds = %B18.i.i.i
  %.45.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i3.i, i64 96
  br label %B90.i.i.i

B90.i.i.i:                                        ; preds = %B244.i.i.i, %B90.preheader.i.i.i
  %.34.i.i.i = load i64, ptr %.11.i.i.i, align 1, !noalias !60
  %.35.i.i.i = inttoptr i64 %.34.i.i.i to ptr
  %.37.i.i.i = getelementptr inbounds nuw i8, ptr %.35.i.i.i, i64 8
  %.39.i.i.i = load i64, ptr %.37.i.i.i, align 1, !noalias !60
  store i64 %.39.i.i.i, ptr %.11.i.i.i, align 1, !noalias !60
  %.47.i.i.i = load i64, ptr %.45.i.i.i, align 1, !noalias !60
  %.48.i.i.i = add nsw i64 %.47.i.i.i, -1
  store i64 %.48.i.i.i, ptr %.45.i.i.i, align 1, !noalias !60
  %.53.i.i.i = tail call ptr @free(i64 %.34.i.i.i), !noalias !60
  %.57.i.i.i = load i64, ptr %.11.i.i.i, align 1, !noalias !60
  %.58.not.i.i.i = icmp eq i64 %.57.i.i.i, 0
  br i1 %.58.not.i.i.i, label %_ZN8__main__5depthB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx.exit, label %B244.i.i.i

B244.i.i.i:                                       ; preds = %B90.i.i.i
  %.64.i.i.i = inttoptr i64 %.57.i.i.i to ptr
  %.68.i.i.i = load i64, ptr %.64.i.i.i, align 1, !noalias !60
  %.70.not.i.i.i = icmp sgt i64 %.68.i.i.i, %.4
  br i1 %.70.not.i.i.i, label %_ZN8__main__5depthB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx.exit, label %B90.i.i.i

_ZN8__main__5depthB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx.exit: ; preds = %B90.i.i.i, %B244.i.i.i, %.6, %B18.i.i.i
  %.33.i.i = getelementptr inbounds nuw i8, ptr %.8.i3.i, i64 32
  %.35.i.i = load i64, ptr %.33.i.i, align 1, !noalias !65
  %.36.i.i = getelementptr inbounds nuw i8, ptr %.8.i3.i, i64 48
  %.38.i.i = load i64, ptr %.36.i.i, align 1, !noalias !65
  %.39.i.i = sub i64 %.35.i.i, %.38.i.i
  %.40.i.i = getelementptr inbounds nuw i8, ptr %.8.i3.i, i64 96
  %.42.i.i = load i64, ptr %.40.i.i, align 1, !noalias !65
  %.43.i.i = add nsw i64 %.39.i.i, %.42.i.i
  ret i64 %.43.i.i
}

; Function Attrs: nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define internal fastcc void @_ZN8__main__5_sendB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx(ptr noalias nonnull writeonly captures(none) %retptr, ptr captures(none) %arg.state, i64 %arg.at, i64 %arg.begin, i64 %arg.length) unnamed_addr #1 {
entry:
  %.370.i = alloca ptr, align 8
  %.8 = inttoptr i64 %arg.at to ptr
  %.11 = getelementptr inbounds nuw i8, ptr %.8, i64 16
  %.13 = load i64, ptr %.11, align 1
  %.14 = getelementptr inbounds nuw i8, ptr %.8, i64 24
  %.16 = load i64, ptr %.14, align 1
  %.17 = getelementptr inbounds nuw i8, ptr %.8, i64 8
  %.19 = load i64, ptr %.17, align 1
  %.22.i = icmp sgt i64 %arg.begin, %.13
  %spec.select.i = tail call i64 @llvm.smax.i64(i64 %arg.begin, i64 %.13)
  %spec.select25.i = select i1 %.22.i, i64 0, i64 %.16
  %.35.not.i = icmp eq i64 %.19, 0
  br i1 %.35.not.i, label %_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit, label %B36.i

B36.i:                                            ; preds = %entry
  %.53.i = mul nsw i64 %arg.length, 8000000000
  %.57.i = add nsw i64 %spec.select25.i, %.53.i
  %.74.i = icmp ne i64 %.57.i, -9223372036854775808
  %.75.i = icmp ne i64 %.19, -1
  %.76.not.i = or i1 %.75.i, %.74.i
  br i1 %.76.not.i, label %B36.else.if.i, label %B36.else.endif.i, !prof !34

B36.else.if.i:                                    ; preds = %B36.i
  %0 = or i64 %.57.i, %.19
  %1 = icmp ult i64 %0, 4294967296
  br i1 %1, label %2, label %9

2:                                                ; preds = %B36.else.if.i
  %3 = trunc nuw i64 %.19 to i32
  %4 = trunc nuw i64 %.57.i to i32
  %5 = udiv i32 %4, %3
  %6 = urem i32 %4, %3
  %7 = zext i32 %5 to i64
  %8 = zext i32 %6 to i64
  br label %12

9:                                                ; preds = %B36.else.if.i
  %10 = sdiv i64 %.57.i, %.19
  %11 = srem i64 %.57.i, %.19
  br label %12

12:                                               ; preds = %9, %2
  %13 = phi i64 [ %7, %2 ], [ %10, %9 ]
  %14 = phi i64 [ %8, %2 ], [ %11, %9 ]
  %.81.i = xor i64 %14, %.19
  %.82.i = icmp slt i64 %.81.i, 0
  %.83.i = icmp ne i64 %14, 0
  %.84.i = and i1 %.83.i, %.82.i
  %.89.i = sext i1 %.84.i to i64
  %spec.select26.i = add i64 %13, %.89.i
  br label %B36.else.endif.i

B36.else.endif.i:                                 ; preds = %12, %B36.i
  %.68.0.i = phi i64 [ %spec.select26.i, %12 ], [ 0, %B36.i ]
  %.102.i = add nsw i64 %.68.0.i, %spec.select.i
  br i1 %.76.not.i, label %B36.endif.else.if.i, label %_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit, !prof !34

B36.endif.else.if.i:                              ; preds = %B36.else.endif.i
  %15 = or i64 %.57.i, %.19
  %16 = icmp ult i64 %15, 4294967296
  br i1 %16, label %17, label %22

17:                                               ; preds = %B36.endif.else.if.i
  %18 = trunc nuw i64 %.19 to i32
  %19 = trunc nuw i64 %.57.i to i32
  %20 = urem i32 %19, %18
  %21 = zext i32 %20 to i64
  br label %24

22:                                               ; preds = %B36.endif.else.if.i
  %23 = srem i64 %.57.i, %.19
  br label %24

24:                                               ; preds = %22, %17
  %25 = phi i64 [ %21, %17 ], [ %23, %22 ]
  %.126.i = xor i64 %25, %.19
  %.127.i = icmp slt i64 %.126.i, 0
  %.128.i = icmp ne i64 %25, 0
  %.129.i = and i1 %.128.i, %.127.i
  %.136.i = select i1 %.129.i, i64 %.19, i64 0
  %spec.select27.i = add i64 %.136.i, %25
  br label %_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit

_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit: ; preds = %B36.else.endif.i, %24, %entry
  %.20.sroa.0.0 = phi i64 [ %spec.select.i, %entry ], [ %.102.i, %24 ], [ %.102.i, %B36.else.endif.i ]
  %.20.sroa.5.0 = phi i64 [ %spec.select25.i, %entry ], [ %spec.select27.i, %24 ], [ 0, %B36.else.endif.i ]
  store i64 %.20.sroa.0.0, ptr %.11, align 1
  store i64 %.20.sroa.5.0, ptr %.14, align 1
  call void @llvm.lifetime.start.p0(ptr nonnull %.370.i)
  store ptr null, ptr %.370.i, align 8, !noalias !66
  %.20.i = getelementptr inbounds nuw i8, ptr %arg.state, i64 8
  %.22.i5 = load i64, ptr %.20.i, align 1, !noalias !66
  %.10461.not.i = icmp slt i64 %.22.i5, 1
  br i1 %.10461.not.i, label %B246.i, label %B102.if.lr.ph.i

B102.if.lr.ph.i:                                  ; preds = %_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit
  %.6.i.i = add nsw i64 %arg.at, 136
  %.7.i60.i = inttoptr i64 %.6.i.i to ptr
  br label %B102.if.i

B152.i:                                           ; preds = %B102.if.i
  %.187.i = inttoptr i64 %.178.i to ptr
  %.189.i = getelementptr inbounds nuw i8, ptr %.187.i, i64 8
  %.191.i = load i64, ptr %.189.i, align 1, !noalias !66
  %.11.i.i = tail call i64 @llvm.smin.i64(i64 %.191.i, i64 %ready.2.064.i)
  br label %B244.i

B244.i:                                           ; preds = %B102.if.i, %B152.i
  %ready.3.1.i = phi i64 [ %.11.i.i, %B152.i ], [ %ready.2.064.i, %B102.if.i ]
  %exitcond.not.i = icmp eq i64 %.117.i, %.22.i5
  br i1 %exitcond.not.i, label %B246.i, label %B102.if.i

B246.i:                                           ; preds = %B244.i, %_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit
  %ready.2.0.lcssa.i = phi i64 [ 9223372036854775807, %_ZN8__main__6_afterB3v10B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit ], [ %ready.3.1.i, %B244.i ]
  %.239.i = icmp eq i64 %ready.2.0.lcssa.i, 9223372036854775807
  br i1 %.239.i, label %_ZN8__main__5_noteB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit, label %B272.i

B272.i:                                           ; preds = %B246.i
  %.11.i59.i = tail call i64 @llvm.smax.i64(i64 %ready.2.0.lcssa.i, i64 %.20.sroa.0.0)
  %.290.i = getelementptr inbounds nuw i8, ptr %.8, i64 40
  %.292.i = load i64, ptr %.290.i, align 1, !noalias !66
  %.293.not.i = icmp eq i64 %.292.i, 0
  br i1 %.293.not.i, label %B328.i, label %B406.i

B328.i:                                           ; preds = %B272.i
  %.296.i = getelementptr inbounds nuw i8, ptr %arg.state, i64 24
  %.298.i = load i64, ptr %.296.i, align 1, !noalias !66
  %.299.i = add nsw i64 %.298.i, 1
  store i64 %.299.i, ptr %.296.i, align 1, !noalias !66
  %.7.i.i = getelementptr inbounds nuw i8, ptr %arg.state, i64 16
  %.9.i.i = load i64, ptr %.7.i.i, align 1, !noalias !69
  %.10.i.i = inttoptr i64 %.9.i.i to ptr
  %26 = getelementptr i64, ptr %.10.i.i, i64 %.299.i
  %.12.i.i = getelementptr i8, ptr %26, i64 -8
  store i64 %arg.at, ptr %.12.i.i, align 8, !noalias !69
  store i64 %.299.i, ptr %.290.i, align 1, !noalias !69
  br label %B432.i

B406.i:                                           ; preds = %B272.i
  %.341.i = getelementptr inbounds nuw i8, ptr %.8, i64 32
  %.343.i = load i64, ptr %.341.i, align 1, !noalias !66
  %.345.i = icmp eq i64 %.11.i59.i, %.343.i
  br i1 %.345.i, label %_ZN8__main__5_noteB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit, label %B432.i

B432.i:                                           ; preds = %B406.i, %B328.i
  %.357.i = getelementptr inbounds nuw i8, ptr %.8, i64 32
  store i64 %.11.i59.i, ptr %.357.i, align 1, !noalias !66
  %.366.i = load i64, ptr %.290.i, align 1, !noalias !66
  store ptr null, ptr %.370.i, align 8, !noalias !66
  call fastcc void @_ZN8__main__5_siftB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx(ptr %.370.i, ptr %arg.state, i64 %.366.i)
  br label %_ZN8__main__5_noteB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit

B102.if.i:                                        ; preds = %B244.i, %B102.if.lr.ph.i
  %ready.2.064.i = phi i64 [ 9223372036854775807, %B102.if.lr.ph.i ], [ %ready.3.1.i, %B244.i ]
  %.46.063.i = phi i64 [ 0, %B102.if.lr.ph.i ], [ %.117.i, %B244.i ]
  %.117.i = add nuw nsw i64 %.46.063.i, 1
  %.8.i.i = getelementptr [104 x i8], ptr %.7.i60.i, i64 %.46.063.i
  %.176.i = getelementptr inbounds nuw i8, ptr %.8.i.i, i64 16
  %.178.i = load i64, ptr %.176.i, align 1, !noalias !66
  %.179.not.i = icmp eq i64 %.178.i, 0
  br i1 %.179.not.i, label %B244.i, label %B152.i

_ZN8__main__5_noteB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit: ; preds = %B406.i, %B246.i, %B432.i
  call void @llvm.lifetime.end.p0(ptr nonnull %.370.i)
  %.81 = load i64, ptr %.11, align 1
  store i64 %.81, ptr %retptr, align 8
  ret void
}

define i64 @serve(i64 %.1, i64 %.2, i64 %.3, i64 %.4, i64 %.5) local_unnamed_addr {
.7:
  %.83.i.i.i = alloca ptr, align 8
  %.342.i = alloca i64, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.342.i)
  store i64 0, ptr %.342.i, align 8, !noalias !72
  %.17.i = inttoptr i64 %.1 to ptr
  %.22.i.i = getelementptr inbounds nuw i8, ptr %.17.i, i64 24
  %.33.i.i = getelementptr inbounds nuw i8, ptr %.17.i, i64 16
  %.8.i.i.i.i = getelementptr inbounds nuw i8, ptr %.17.i, i64 32
  %.14.i.i.i = getelementptr inbounds nuw i8, ptr %.17.i, i64 8
  %.135.i.i = inttoptr i64 %.5 to ptr
  %.193.i.i.i = getelementptr inbounds nuw i8, ptr %.17.i, i64 40
  %.374.not.i = icmp ne i64 %.3, 0
  br label %B54.i

B54.i:                                            ; preds = %B606.i, %.7
  %count.2.0.i = phi i64 [ 0, %.7 ], [ %count.3.1.i.i, %B606.i ]
  %.24.i.i = load i64, ptr %.22.i.i, align 1, !noalias !75
  %.25.not.i.i = icmp eq i64 %.24.i.i, 0
  br i1 %.25.not.i.i, label %_ZN8__main__6_leaveB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i, label %B26.i.i

B26.i.i:                                          ; preds = %B54.i, %_ZN8__main__7_departB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx6RecordILi2275EE.exit.i.i
  %count.2.0.i.i = phi i64 [ %.166.i.i, %_ZN8__main__7_departB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx6RecordILi2275EE.exit.i.i ], [ %count.2.0.i, %B54.i ]
  %time.2.0.i.i = phi i64 [ %.47.i.i, %_ZN8__main__7_departB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx6RecordILi2275EE.exit.i.i ], [ %.2, %B54.i ]
  %.35.i.i = load i64, ptr %.33.i.i, align 1, !noalias !75
  %.36.i.i = inttoptr i64 %.35.i.i to ptr
  %.38.i.i = load i64, ptr %.36.i.i, align 8, !noalias !75
  %.43.i.i = inttoptr i64 %.38.i.i to ptr
  %.45.i.i = getelementptr inbounds nuw i8, ptr %.43.i.i, i64 32
  %.47.i.i = load i64, ptr %.45.i.i, align 1, !noalias !75
  %.53.i.i = icmp sgt i64 %.47.i.i, %time.2.0.i.i
  br i1 %.53.i.i, label %_ZN8__main__6_leaveB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i, label %B168.i.i

B168.i.i:                                         ; preds = %B26.i.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.83.i.i.i), !noalias !75
  store ptr null, ptr %.83.i.i.i, align 8, !noalias !78
  %.10.i.i.i = getelementptr inbounds nuw i8, ptr %.43.i.i, i64 40
  %.12.i.i.i = load i64, ptr %.10.i.i.i, align 1, !noalias !78
  store i64 0, ptr %.10.i.i.i, align 1, !noalias !78
  %.24.i.i.i = load i64, ptr %.33.i.i, align 1, !noalias !78
  %.25.i.i.i = inttoptr i64 %.24.i.i.i to ptr
  %.29.i.i.i = load i64, ptr %.22.i.i, align 1, !noalias !78
  %.30.i.i.i = add nsw i64 %.29.i.i.i, -1
  %.31.i.i.i = getelementptr i64, ptr %.25.i.i.i, i64 %.30.i.i.i
  %.32.i.i.i = load i64, ptr %.31.i.i.i, align 8, !noalias !78
  store i64 %.30.i.i.i, ptr %.22.i.i, align 1, !noalias !78
  %.46.not.i.i.i = icmp eq i64 %.32.i.i.i, %.38.i.i
  br i1 %.46.not.i.i.i, label %B312.i.i.i, label %B246.i.i.i

B246.i.i.i:                                       ; preds = %B168.i.i
  %0 = getelementptr i64, ptr %.25.i.i.i, i64 %.12.i.i.i
  %.12.i.i.i.i = getelementptr i8, ptr %0, i64 -8
  store i64 %.32.i.i.i, ptr %.12.i.i.i.i, align 8, !noalias !81
  %.14.i.i.i.i = inttoptr i64 %.32.i.i.i to ptr
  %.16.i.i.i.i = getelementptr inbounds nuw i8, ptr %.14.i.i.i.i, i64 40
  store i64 %.12.i.i.i, ptr %.16.i.i.i.i, align 1, !noalias !81
  store ptr null, ptr %.83.i.i.i, align 8, !noalias !78
  call fastcc void @_ZN8__main__5_siftB3v16B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx(ptr %.83.i.i.i, ptr %.17.i, i64 %.12.i.i.i)
  br label %B312.i.i.i

B312.i.i.i:                                       ; preds = %B246.i.i.i, %B168.i.i
  store i64 -1, ptr %.8.i.i.i.i, align 1, !noalias !84
  %.14.i12.i.i.i = load i64, ptr %.22.i.i, align 1, !noalias !84
  %.15.not.i.i.i.i = icmp eq i64 %.14.i12.i.i.i, 0
  br i1 %.15.not.i.i.i.i, label %_ZN8__main__7_removeB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i, label %B42.i.i.i.i

B42.i.i.i.i:                                      ; preds = %B312.i.i.i
  %.20.i.i.i.i = load i64, ptr %.33.i.i, align 1, !noalias !84
  %.21.i.i.i.i = inttoptr i64 %.20.i.i.i.i to ptr
  %.23.i.i.i.i = load i64, ptr %.21.i.i.i.i, align 8, !noalias !84
  %.24.i.i.i.i = inttoptr i64 %.23.i.i.i.i to ptr
  %.26.i.i.i.i = getelementptr inbounds nuw i8, ptr %.24.i.i.i.i, i64 32
  %.28.i.i.i.i = load i64, ptr %.26.i.i.i.i, align 1, !noalias !84
  store i64 %.28.i.i.i.i, ptr %.8.i.i.i.i, align 1, !noalias !84
  br label %_ZN8__main__7_removeB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i

_ZN8__main__7_removeB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i: ; preds = %B42.i.i.i.i, %B312.i.i.i
  call void @llvm.lifetime.end.p0(ptr nonnull %.83.i.i.i), !noalias !75
  %.11.i.i.i = getelementptr inbounds nuw i8, ptr %.43.i.i, i64 64
  store i64 0, ptr %.11.i.i.i, align 1, !noalias !87
  %.16.i.i.i = load i64, ptr %.14.i.i.i, align 1, !noalias !87
  %.9837.not.i.i.i = icmp slt i64 %.16.i.i.i, 1
  br i1 %.9837.not.i.i.i, label %_ZN8__main__7_forgetB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i, label %B98.if.lr.ph.i.i.i

B98.if.lr.ph.i.i.i:                               ; preds = %_ZN8__main__7_removeB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i
  %.6.i.i.i.i = add nsw i64 %.38.i.i, 136
  %.7.i.i.i.i = inttoptr i64 %.6.i.i.i.i to ptr
  br label %B98.if.i.i.i

B98.if.i.i.i:                                     ; preds = %B98.if.i.i.i, %B98.if.lr.ph.i.i.i
  %.40.039.i.i.i = phi i64 [ 0, %B98.if.lr.ph.i.i.i ], [ %.111.i.i.i, %B98.if.i.i.i ]
  %.111.i.i.i = add nuw nsw i64 %.40.039.i.i.i, 1
  %.8.i.i30.i.i = getelementptr [104 x i8], ptr %.7.i.i.i.i, i64 %.40.039.i.i.i
  %.162.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i30.i.i, i64 16
  %.164.i.i.i = load i64, ptr %.162.i.i.i, align 1, !noalias !87
  %.165.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i30.i.i, i64 48
  store i64 0, ptr %.165.i.i.i, align 1, !noalias !87
  %.168.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.i30.i.i, i64 56
  store i64 %.164.i.i.i, ptr %.168.i.i.i, align 1, !noalias !87
  %exitcond.not.i.i.i = icmp eq i64 %.111.i.i.i, %.16.i.i.i
  br i1 %exitcond.not.i.i.i, label %_ZN8__main__7_forgetB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i, label %B98.if.i.i.i

_ZN8__main__7_forgetB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i: ; preds = %B98.if.i.i.i, %_ZN8__main__7_removeB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i
  %.136.i.i = getelementptr [88 x i8], ptr %.135.i.i, i64 %count.2.0.i.i
  %.16.i.i32.i.i = load i64, ptr %.14.i.i.i, align 1, !noalias !90
  %.6.i.i.i.i.i = add nsw i64 %.38.i.i, 136
  %.7.i.i.i.i.i = inttoptr i64 %.6.i.i.i.i.i to ptr
  %priority.2.017.i.i.i.i = add nsw i64 %.16.i.i32.i.i, -1
  %.8.i18.i.i.i.i = getelementptr [104 x i8], ptr %.7.i.i.i.i.i, i64 %priority.2.017.i.i.i.i
  %.7921.i.i.i.i = icmp eq i64 %priority.2.017.i.i.i.i, 0
  br i1 %.7921.i.i.i.i, label %_ZN8__main__11_next_queueB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_280_29.exit.i.i.i, label %B102.i.i.i.i

B102.i.i.i.i:                                     ; preds = %_ZN8__main__7_forgetB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i, %B172.i.i.i.i
  %.8.i23.i.i.i.i = phi ptr [ %.8.i.i.i.i.i, %B172.i.i.i.i ], [ %.8.i18.i.i.i.i, %_ZN8__main__7_forgetB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i ]
  %priority.2.022.i.i.i.i = phi i64 [ %priority.2.0.i.i.i.i, %B172.i.i.i.i ], [ %priority.2.017.i.i.i.i, %_ZN8__main__7_forgetB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i ]
  %.6824.in.i.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i23.i.i.i.i, i64 16
  %.6824.i.i.i.i = load i64, ptr %.6824.in.i.i.i.i, align 1, !noalias !90
  %.82.not.i.i.i.i = icmp eq i64 %.6824.i.i.i.i, 0
  br i1 %.82.not.i.i.i.i, label %B172.i.i.i.i, label %B106.i.i.i.i

B106.i.i.i.i:                                     ; preds = %B102.i.i.i.i
  %.85.i.i.i.i = inttoptr i64 %.6824.i.i.i.i to ptr
  %.89.i.i.i.i = getelementptr inbounds nuw i8, ptr %.85.i.i.i.i, i64 8
  %.91.i.i.i.i = load i64, ptr %.89.i.i.i.i, align 1, !noalias !90
  %.93.not.i.i.i.i = icmp sgt i64 %.91.i.i.i.i, %.47.i.i
  br i1 %.93.not.i.i.i.i, label %B172.i.i.i.i, label %_ZN8__main__11_next_queueB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_280_29.exit.i.i.i

B172.i.i.i.i:                                     ; preds = %B106.i.i.i.i, %B102.i.i.i.i
  %priority.2.0.i.i.i.i = add nsw i64 %priority.2.022.i.i.i.i, -1
  %.8.i.i.i.i.i = getelementptr [104 x i8], ptr %.7.i.i.i.i.i, i64 %priority.2.0.i.i.i.i
  %.79.i.i.i.i = icmp eq i64 %priority.2.0.i.i.i.i, 0
  br i1 %.79.i.i.i.i, label %_ZN8__main__11_next_queueB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_280_29.exit.i.i.i, label %B102.i.i.i.i

_ZN8__main__11_next_queueB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_280_29.exit.i.i.i: ; preds = %B172.i.i.i.i, %B106.i.i.i.i, %_ZN8__main__7_forgetB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i
  %.8.i.lcssa.i.i.i.i = phi ptr [ %.8.i18.i.i.i.i, %_ZN8__main__7_forgetB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx.exit.i.i ], [ %.7.i.i.i.i.i, %B172.i.i.i.i ], [ %.8.i23.i.i.i.i, %B106.i.i.i.i ]
  %.11.i.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 72
  %.13.i.i.i.i = load i64, ptr %.11.i.i.i.i, align 1, !noalias !95
  %.14.not.i.i.i.i = icmp eq i64 %.13.i.i.i.i, 0
  br i1 %.14.not.i.i.i.i, label %B282.i.i.i.i, label %B18.i.i.i.i

B18.i.i.i.i:                                      ; preds = %_ZN8__main__11_next_queueB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_280_29.exit.i.i.i
  %.20.i.i33.i.i = inttoptr i64 %.13.i.i.i.i to ptr
  %.24.i.i34.i.i = load i64, ptr %.20.i.i33.i.i, align 1, !noalias !95
  %.26.i.i35.i.i = icmp sgt i64 %.24.i.i34.i.i, %.47.i.i
  br i1 %.26.i.i35.i.i, label %B90.preheader.i.i.i.i, label %B282.i.i.i.i

B90.preheader.i.i.i.i:                            ; preds = %B18.i.i.i.i
  %.45.i.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 64
  %.45.promoted.i.i.i.i = load i64, ptr %.45.i.i.i.i, align 1, !noalias !95
  br label %B90.i.i.i.i

B90.i.i.i.i:                                      ; preds = %B210.i.i.i.i, %B90.preheader.i.i.i.i
  %.4728.i.i.i.i = phi i64 [ %.45.promoted.i.i.i.i, %B90.preheader.i.i.i.i ], [ %.48.i.i.i.i, %B210.i.i.i.i ]
  %.3427.i.i.i.i = phi i64 [ %.13.i.i.i.i, %B90.preheader.i.i.i.i ], [ %.39.i.i.i.i, %B210.i.i.i.i ]
  %.35.i.i.i.i = inttoptr i64 %.3427.i.i.i.i to ptr
  %.37.i.i.i.i = getelementptr inbounds nuw i8, ptr %.35.i.i.i.i, i64 32
  %.39.i.i.i.i = load i64, ptr %.37.i.i.i.i, align 1, !noalias !95
  store i64 %.39.i.i.i.i, ptr %.11.i.i.i.i, align 1, !noalias !95
  %.48.i.i.i.i = add nsw i64 %.4728.i.i.i.i, -1
  store i64 %.48.i.i.i.i, ptr %.45.i.i.i.i, align 1, !noalias !95
  %.57.not.i.i.i.i = icmp eq i64 %.39.i.i.i.i, 0
  br i1 %.57.not.i.i.i.i, label %B282.i.i.i.i, label %B210.i.i.i.i

B210.i.i.i.i:                                     ; preds = %B90.i.i.i.i
  %.63.i.i.i.i = inttoptr i64 %.39.i.i.i.i to ptr
  %.67.i.i.i.i = load i64, ptr %.63.i.i.i.i, align 1, !noalias !95
  %.69.i.i.i.i = icmp sgt i64 %.67.i.i.i.i, %.47.i.i
  br i1 %.69.i.i.i.i, label %B90.i.i.i.i, label %B282.i.i.i.i

B282.i.i.i.i:                                     ; preds = %B210.i.i.i.i, %B90.i.i.i.i, %B18.i.i.i.i, %_ZN8__main__11_next_queueB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_280_29.exit.i.i.i
  %.79.i12.i.i.i = load i64, ptr %.11.i.i.i.i, align 1, !noalias !95
  %.80.not.i.i.i.i = icmp eq i64 %.79.i12.i.i.i, 0
  %.86.i.i.i.i = inttoptr i64 %.79.i12.i.i.i to ptr
  %.88.i.i.i.i = getelementptr inbounds nuw i8, ptr %.86.i.i.i.i, i64 24
  %.96.i.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 16
  %"$phi372.0.2.0.in.i.i.i.i" = select i1 %.80.not.i.i.i.i, ptr %.96.i.i.i.i, ptr %.88.i.i.i.i
  %"$phi372.0.2.0.i.i.i.i" = load i64, ptr %"$phi372.0.2.0.in.i.i.i.i", align 1, !noalias !95
  %.109.not.i.i.i.i = icmp eq i64 %"$phi372.0.2.0.i.i.i.i", 0
  br i1 %.109.not.i.i.i.i, label %_ZN8__main__4_seeB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i.i, label %B378.i.i.i.i

B378.i.i.i.i:                                     ; preds = %B282.i.i.i.i
  %.116.i.i.i.i = inttoptr i64 %"$phi372.0.2.0.i.i.i.i" to ptr
  %.122.i.i.i.i = load i64, ptr %.116.i.i.i.i, align 1, !noalias !95
  %.124.not.i.i.i.i = icmp sgt i64 %.122.i.i.i.i, %.47.i.i
  br i1 %.124.not.i.i.i.i, label %_ZN8__main__4_seeB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i.i, label %B440.preheader.i.i.i.i

B440.preheader.i.i.i.i:                           ; preds = %B378.i.i.i.i
  %.146.i.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 64
  %.146.promoted.i.i.i.i = load i64, ptr %.146.i.i.i.i, align 1, !noalias !95
  br label %B440.i.i.i.i

B440.i.i.i.i:                                     ; preds = %B546.i.i.i.i, %B440.preheader.i.i.i.i
  %.14829.i.i.i.i = phi i64 [ %.149.i.i.i.i, %B546.i.i.i.i ], [ %.146.promoted.i.i.i.i, %B440.preheader.i.i.i.i ]
  %after.2.0.i.i.i.i = phi i64 [ %.134.i.i.i.i, %B546.i.i.i.i ], [ %"$phi372.0.2.0.i.i.i.i", %B440.preheader.i.i.i.i ]
  %.130.i.i.i.i = inttoptr i64 %after.2.0.i.i.i.i to ptr
  %.132.i.i.i.i = getelementptr inbounds nuw i8, ptr %.130.i.i.i.i, i64 24
  %.134.i.i.i.i = load i64, ptr %.132.i.i.i.i, align 1, !noalias !95
  store i64 %after.2.0.i.i.i.i, ptr %.11.i.i.i.i, align 1, !noalias !95
  %.149.i.i.i.i = add nsw i64 %.14829.i.i.i.i, 1
  store i64 %.149.i.i.i.i, ptr %.146.i.i.i.i, align 1, !noalias !95
  %.155.not.i.i.i.i = icmp eq i64 %.134.i.i.i.i, 0
  br i1 %.155.not.i.i.i.i, label %_ZN8__main__4_seeB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i.i, label %B546.i.i.i.i

B546.i.i.i.i:                                     ; preds = %B440.i.i.i.i
  %.161.i.i.i.i = inttoptr i64 %.134.i.i.i.i to ptr
  %.167.i.i.i.i = load i64, ptr %.161.i.i.i.i, align 1, !noalias !95
  %.169.not.i.i.i.i = icmp sgt i64 %.167.i.i.i.i, %.47.i.i
  br i1 %.169.not.i.i.i.i, label %_ZN8__main__4_seeB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i.i, label %B440.i.i.i.i

_ZN8__main__4_seeB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i.i: ; preds = %B546.i.i.i.i, %B440.i.i.i.i, %B378.i.i.i.i, %B282.i.i.i.i
  %.76.i.i.i = load i64, ptr %.96.i.i.i.i, align 1, !noalias !98
  %.77.i.i.i = inttoptr i64 %.76.i.i.i to ptr
  %.90.i.i.i = load i64, ptr %.43.i.i, align 1, !noalias !98
  %.92.i.i.i = getelementptr inbounds nuw i8, ptr %.136.i.i, i64 56
  store i64 %.76.i.i.i, ptr %.92.i.i.i, align 1, !noalias !98
  %.96.i.i.i = getelementptr inbounds nuw i8, ptr %.136.i.i, i64 64
  store i64 %.38.i.i, ptr %.96.i.i.i, align 1, !noalias !98
  store i64 %.90.i.i.i, ptr %.136.i.i, align 1, !noalias !98
  %.104.i.i.i = getelementptr inbounds nuw i8, ptr %.77.i.i.i, i64 40
  %.106.i.i.i = load i64, ptr %.104.i.i.i, align 1, !noalias !98
  %.108.i.i.i = getelementptr inbounds nuw i8, ptr %.77.i.i.i, i64 48
  %.110.i.i.i = load i64, ptr %.108.i.i.i, align 1, !noalias !98
  %.112.i.i.i = getelementptr inbounds nuw i8, ptr %.77.i.i.i, i64 56
  %.114.i.i.i = load i64, ptr %.112.i.i.i, align 1, !noalias !98
  %.116.i.i.i = getelementptr inbounds nuw i8, ptr %.136.i.i, i64 8
  store i64 %.106.i.i.i, ptr %.116.i.i.i, align 1, !noalias !98
  %.120.i.i.i = getelementptr inbounds nuw i8, ptr %.136.i.i, i64 16
  store i64 %.110.i.i.i, ptr %.120.i.i.i, align 1, !noalias !98
  %.124.i.i.i = getelementptr inbounds nuw i8, ptr %.136.i.i, i64 24
  store i64 %.114.i.i.i, ptr %.124.i.i.i, align 1, !noalias !98
  %.130.i.i.i = load i64, ptr %.11.i.i.i.i, align 1, !noalias !98
  %.134.i.i.i = load i64, ptr %.96.i.i.i.i, align 1, !noalias !98
  %.135.i.i.i = icmp eq i64 %.130.i.i.i, %.134.i.i.i
  br i1 %.135.i.i.i, label %B336.i.i.i, label %B350.i.i.i

B336.i.i.i:                                       ; preds = %_ZN8__main__4_seeB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i.i
  store i64 0, ptr %.11.i.i.i.i, align 1, !noalias !98
  br label %B350.i.i.i

B350.i.i.i:                                       ; preds = %B336.i.i.i, %_ZN8__main__4_seeB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx.exit.i.i.i
  %.143.i.i.i = getelementptr inbounds nuw i8, ptr %.77.i.i.i, i64 24
  %.145.i.i.i = load i64, ptr %.143.i.i.i, align 1, !noalias !98
  store i64 %.145.i.i.i, ptr %.96.i.i.i.i, align 1, !noalias !98
  %.151.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 56
  store i64 %.145.i.i.i, ptr %.151.i.i.i, align 1, !noalias !98
  %.157.i.i.i = load i64, ptr %.143.i.i.i, align 1, !noalias !98
  %.158.not.i.i.i = icmp eq i64 %.157.i.i.i, 0
  br i1 %.158.not.i.i.i, label %B466.i.i.i, label %B402.i.i.i

B402.i.i.i:                                       ; preds = %B350.i.i.i
  %.166.i.i.i = inttoptr i64 %.157.i.i.i to ptr
  %.168.i36.i.i = getelementptr inbounds nuw i8, ptr %.166.i.i.i, i64 32
  store i64 0, ptr %.168.i36.i.i, align 1, !noalias !98
  br label %B466.i.i.i

B466.i.i.i:                                       ; preds = %B402.i.i.i, %B350.i.i.i
  %.175.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 32
  %.177.i.i.i = load i64, ptr %.175.i.i.i, align 1, !noalias !98
  %.178.i.i.i = add nsw i64 %.177.i.i.i, -1
  store i64 %.178.i.i.i, ptr %.175.i.i.i, align 1, !noalias !98
  %.184.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 64
  %.186.i.i.i = load i64, ptr %.184.i.i.i, align 1, !noalias !98
  %.187.i.i.i = add nsw i64 %.186.i.i.i, -1
  store i64 %.187.i.i.i, ptr %.184.i.i.i, align 1, !noalias !98
  %.195.i.i.i = load i64, ptr %.193.i.i.i, align 1, !noalias !98
  %.196.i.i.i = add nsw i64 %.195.i.i.i, -1
  store i64 %.196.i.i.i, ptr %.193.i.i.i, align 1, !noalias !98
  %.206.i.i.i = load i64, ptr %.184.i.i.i, align 1, !noalias !98
  %.209.i.i.i = getelementptr inbounds nuw i8, ptr %.136.i.i, i64 32
  store i64 %.47.i.i, ptr %.209.i.i.i, align 1, !noalias !98
  %.213.i.i.i = getelementptr inbounds nuw i8, ptr %.136.i.i, i64 40
  store i64 %.206.i.i.i, ptr %.213.i.i.i, align 1, !noalias !98
  %.218.i.i.i = tail call i64 @malloc(i64 16), !noalias !98
  %.223.i.i.i = inttoptr i64 %.218.i.i.i to ptr
  store i64 %.47.i.i, ptr %.223.i.i.i, align 1, !noalias !98
  %.234.i.i.i = getelementptr inbounds nuw i8, ptr %.223.i.i.i, i64 8
  store i64 0, ptr %.234.i.i.i, align 1, !noalias !98
  %.238.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 80
  %.240.i.i.i = load i64, ptr %.238.i.i.i, align 1, !noalias !98
  %.241.not.i.i.i = icmp eq i64 %.240.i.i.i, 0
  br i1 %.241.not.i.i.i, label %B832.i.i.i, label %B766.i.i.i

B766.i.i.i:                                       ; preds = %B466.i.i.i
  %.244.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 88
  %.246.i.i.i = load i64, ptr %.244.i.i.i, align 1, !noalias !98
  %.247.i.i.i = inttoptr i64 %.246.i.i.i to ptr
  %.250.i.i.i = getelementptr inbounds nuw i8, ptr %.247.i.i.i, i64 8
  store i64 %.218.i.i.i, ptr %.250.i.i.i, align 1, !noalias !98
  br label %_ZN8__main__7_departB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx6RecordILi2275EE.exit.i.i

B832.i.i.i:                                       ; preds = %B466.i.i.i
  store i64 %.218.i.i.i, ptr %.238.i.i.i, align 1, !noalias !98
  br label %_ZN8__main__7_departB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx6RecordILi2275EE.exit.i.i

_ZN8__main__7_departB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx6RecordILi2275EE.exit.i.i: ; preds = %B832.i.i.i, %B766.i.i.i
  %.262.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 88
  store i64 %.218.i.i.i, ptr %.262.i.i.i, align 1, !noalias !98
  %.268.i.i.i = getelementptr inbounds nuw i8, ptr %.8.i.lcssa.i.i.i.i, i64 96
  %.270.i.i.i = load i64, ptr %.268.i.i.i, align 1, !noalias !98
  %.271.i.i.i = add nsw i64 %.270.i.i.i, 1
  store i64 %.271.i.i.i, ptr %.268.i.i.i, align 1, !noalias !98
  %.166.i.i = add nsw i64 %count.2.0.i.i, 1
  %.174.i.i = load i64, ptr %.22.i.i, align 1, !noalias !75
  %.175.not.i.i = icmp eq i64 %.174.i.i, 0
  br i1 %.175.not.i.i, label %_ZN8__main__6_leaveB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i, label %B26.i.i

_ZN8__main__6_leaveB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i: ; preds = %_ZN8__main__7_departB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx6RecordILi2275EE.exit.i.i, %B26.i.i, %B54.i
  %count.3.1.i.i = phi i64 [ %count.2.0.i, %B54.i ], [ %.166.i.i, %_ZN8__main__7_departB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx6RecordILi2275EE.exit.i.i ], [ %count.2.0.i.i, %B26.i.i ]
  %.104.i = sub i64 %count.3.1.i.i, %count.2.0.i
  %.14761.not.i = icmp slt i64 %.104.i, 1
  br i1 %.14761.not.i, label %B606.i, label %B126.if.i

B242.i:                                           ; preds = %B126.if.i
  %.207.i = getelementptr inbounds nuw i8, ptr %.195.i, i64 16
  %.209.i = load i64, ptr %.207.i, align 1, !noalias !72
  %.211.i = getelementptr inbounds nuw i8, ptr %.195.i, i64 24
  %.213.i = load i64, ptr %.211.i, align 1, !noalias !72
  store i64 1, ptr %.201.i, align 1, !noalias !72
  %.219.i = getelementptr inbounds nuw i8, ptr %.195.i, i64 104
  store i64 %.209.i, ptr %.219.i, align 1, !noalias !72
  %.223.i = getelementptr inbounds nuw i8, ptr %.195.i, i64 112
  store i64 %.213.i, ptr %.223.i, align 1, !noalias !72
  br label %B306.i

B306.i:                                           ; preds = %B126.if.i, %B242.i
  %.228.i = getelementptr inbounds nuw i8, ptr %.195.i, i64 16
  %.230.i = load i64, ptr %.228.i, align 1, !noalias !72
  %.234.i = getelementptr inbounds nuw i8, ptr %.187.i, i64 32
  %.236.i = load i64, ptr %.234.i, align 1, !noalias !72
  %.237.i = icmp eq i64 %.230.i, %.236.i
  %..236.i = select i1 %.237.i, i64 0, i64 %.236.i
  %.252.i = getelementptr inbounds nuw i8, ptr %.187.i, i64 48
  store i64 %..236.i, ptr %.252.i, align 1, !noalias !72
  %.261.i = getelementptr inbounds nuw i8, ptr %.187.i, i64 24
  %.263.i = load i64, ptr %.261.i, align 1, !noalias !72
  %.265.i = icmp eq i64 %.263.i, %.4
  br i1 %.265.i, label %B392.i, label %B548.i

B392.i:                                           ; preds = %B306.i
  %.268.i = getelementptr inbounds nuw i8, ptr %.187.i, i64 8
  %.270.i = load i64, ptr %.268.i, align 1, !noalias !72
  %.273.i = getelementptr inbounds nuw i8, ptr %.187.i, i64 40
  %.275.i = load i64, ptr %.273.i, align 1, !noalias !72
  %.298.i = sdiv i64 %.236.i, 1000
  %.299.i = srem i64 %.236.i, 1000
  %.299.lobit.i = ashr i64 %.299.i, 63
  %.287.0.i = add nsw i64 %.299.lobit.i, %.298.i
  %1 = inttoptr i64 %.270.i to ptr
  %.320.i = getelementptr i8, ptr %1, i64 40
  store i64 %.275.i, ptr %.320.i, align 8, !noalias !72
  %.322.i = getelementptr i8, ptr %1, i64 48
  store i64 %.287.0.i, ptr %.322.i, align 8, !noalias !72
  %.324.i = getelementptr i8, ptr %1, i64 56
  %.325.i = load i64, ptr %.324.i, align 8, !noalias !72
  br label %B548.i

B548.i:                                           ; preds = %B392.i, %B306.i
  %length.2.2.i = phi i64 [ %.325.i, %B392.i ], [ 0, %B306.i ]
  %.333.i = load i64, ptr %.192.i, align 1, !noalias !72
  %.337.i = load i64, ptr %.234.i, align 1, !noalias !72
  store i64 0, ptr %.342.i, align 8, !noalias !72
  call fastcc void @_ZN8__main__5_sendB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx(ptr %.342.i, ptr %.17.i, i64 %.333.i, i64 %.337.i, i64 %length.2.2.i)
  %exitcond.not.i = icmp eq i64 %.160.i, %count.3.1.i.i
  br i1 %exitcond.not.i, label %B606.i, label %B126.if.i

B606.i:                                           ; preds = %B548.i, %_ZN8__main__6_leaveB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i
  %.378.i = icmp eq i64 %count.3.1.i.i, %count.2.0.i
  %or.cond.i = or i1 %.374.not.i, %.378.i
  br i1 %or.cond.i, label %_ZN8__main__5serveB3v21B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit, label %B54.i

B126.if.i:                                        ; preds = %_ZN8__main__6_leaveB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i, %B548.i
  %.91.062.i = phi i64 [ %.160.i, %B548.i ], [ %count.2.0.i, %_ZN8__main__6_leaveB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx.exit.i ]
  %.160.i = add i64 %.91.062.i, 1
  %.187.i = getelementptr [88 x i8], ptr %.135.i.i, i64 %.91.062.i
  %.192.i = getelementptr inbounds nuw i8, ptr %.187.i, i64 64
  %.194.i = load i64, ptr %.192.i, align 1, !noalias !72
  %.195.i = inttoptr i64 %.194.i to ptr
  %.201.i = getelementptr inbounds nuw i8, ptr %.195.i, i64 96
  %.203.i = load i64, ptr %.201.i, align 1, !noalias !72
  %.204.not.i = icmp eq i64 %.203.i, 0
  br i1 %.204.not.i, label %B242.i, label %B306.i

_ZN8__main__5serveB3v21B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx.exit: ; preds = %B606.i
  call void @llvm.lifetime.end.p0(ptr nonnull %.342.i)
  ret i64 %count.3.1.i.i
}

define noundef i64 @settle(i64 %.1, i64 %.2, i64 %.3, i64 %.4, i64 %.5, i64 %.6, i64 %.7) local_unnamed_addr {
.9:
  %.391.i = alloca i64, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.391.i)
  store i64 0, ptr %.391.i, align 8, !noalias !99
  %.23.i = inttoptr i64 %.1 to ptr
  %.110178.not.i = icmp slt i64 %.4, 1
  br i1 %.110178.not.i, label %B772.i, label %B78.if.lr.ph.i

B78.if.lr.ph.i:                                   ; preds = %.9
  %.149.i = inttoptr i64 %.3 to ptr
  br label %B78.if.i

B286.if.lr.ph.i:                                  ; preds = %B254.i
  %.318.i = inttoptr i64 %.3 to ptr
  br label %B286.if.i

B190.i:                                           ; preds = %B78.if.i
  %.166.i = getelementptr inbounds nuw i8, ptr %.154.i, i64 104
  %.168.i = load i64, ptr %.166.i, align 1, !noalias !99
  %.170.i = getelementptr inbounds nuw i8, ptr %.154.i, i64 112
  %.172.i = load i64, ptr %.170.i, align 1, !noalias !99
  store i64 0, ptr %.160.i, align 1, !noalias !99
  %.178.i = getelementptr inbounds nuw i8, ptr %.154.i, i64 16
  store i64 %.168.i, ptr %.178.i, align 1, !noalias !99
  %.182.i = getelementptr inbounds nuw i8, ptr %.154.i, i64 24
  store i64 %.172.i, ptr %.182.i, align 1, !noalias !99
  br label %B254.i

B254.i:                                           ; preds = %B78.if.i, %B190.i
  %exitcond.not.i = icmp eq i64 %.4, %.123.i
  br i1 %exitcond.not.i, label %B286.if.lr.ph.i, label %B78.if.i

B424.i:                                           ; preds = %B286.if.i
  %.343.i = getelementptr inbounds nuw i8, ptr %.319.i, i64 8
  %.345.i = load i64, ptr %.343.i, align 1, !noalias !99
  %.346.i = inttoptr i64 %.345.i to ptr
  %.347.i = getelementptr i8, ptr %.346.i, i64 64
  %.348.i = load i64, ptr %.347.i, align 8, !noalias !99
  br label %B508.i

B508.i:                                           ; preds = %B286.if.i, %B424.i
  %written.2.1.i = phi i64 [ %.348.i, %B424.i ], [ -1, %B286.if.i ]
  %.358.i = getelementptr inbounds nuw i8, ptr %.319.i, i64 48
  %.360.i = load i64, ptr %.358.i, align 1, !noalias !99
  %.11.i.i = tail call i64 @llvm.smax.i64(i64 %written.2.1.i, i64 0)
  store i64 0, ptr %.391.i, align 8, !noalias !99
  call fastcc void @_ZN8__main__5_sendB3v28B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx(ptr %.391.i, ptr %.23.i, i64 %.326.i, i64 %.360.i, i64 %.11.i.i)
  %.405.i = load i64, ptr %.391.i, align 8, !noalias !99
  %.416.i = getelementptr inbounds nuw i8, ptr %.319.i, i64 72
  store i64 %.405.i, ptr %.416.i, align 1, !noalias !99
  %.420.i = icmp sgt i64 %written.2.1.i, -1
  br i1 %.420.i, label %B624.i, label %B770.i

B624.i:                                           ; preds = %B508.i
  %.425.i = getelementptr inbounds nuw i8, ptr %.319.i, i64 80
  store i64 0, ptr %.425.i, align 1, !noalias !99
  %.431.i = getelementptr inbounds nuw i8, ptr %.327.i, i64 120
  %.433.i = load i64, ptr %.431.i, align 1, !noalias !99
  %.434.not.i = icmp eq i64 %.433.i, 0
  br i1 %.434.not.i, label %B730.i, label %B652.i

B652.i:                                           ; preds = %B624.i
  %.439.i = getelementptr inbounds nuw i8, ptr %.327.i, i64 128
  %.441.i = load i64, ptr %.439.i, align 1, !noalias !99
  %0 = getelementptr [88 x i8], ptr %.318.i, i64 %.441.i
  %.446.i = getelementptr i8, ptr %0, i64 -8
  store i64 %.288.i, ptr %.446.i, align 1, !noalias !99
  br label %B750.i

B730.i:                                           ; preds = %B624.i
  store i64 %.288.i, ptr %.431.i, align 1, !noalias !99
  br label %B750.i

B750.i:                                           ; preds = %B730.i, %B652.i
  %.462.i = getelementptr inbounds nuw i8, ptr %.327.i, i64 128
  store i64 %.288.i, ptr %.462.i, align 1, !noalias !99
  br label %B770.i

B770.i:                                           ; preds = %B750.i, %B508.i
  %exitcond190.not.i = icmp eq i64 %.4, %.288.i
  br i1 %exitcond190.not.i, label %B772.i, label %B286.if.i

B772.i:                                           ; preds = %B770.i, %.9
  %.482.i = inttoptr i64 %.5 to ptr
  %.486.i = inttoptr i64 %.6 to ptr
  %.577184.not.i = icmp slt i64 %.7, 1
  br i1 %.577184.not.i, label %B1290.preheader.i, label %B906.if.lr.ph.i

B906.if.lr.ph.i:                                  ; preds = %B772.i
  %.619.i = inttoptr i64 %.3 to ptr
  %.621.i = getelementptr inbounds nuw i8, ptr %.619.i, i64 32
  br label %B906.if.i

B1290.preheader.i:                                ; preds = %B1258.i, %B772.i
  br i1 %.110178.not.i, label %_ZN8__main__6settleB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit, label %B1290.if.lr.ph.i

B1290.if.lr.ph.i:                                 ; preds = %B1290.preheader.i
  %.839.i = inttoptr i64 %.3 to ptr
  br label %B1290.if.i

B1018.i:                                          ; preds = %B906.if.i
  %.665.i = inttoptr i64 %.13.i.i to ptr
  %.667.i = getelementptr inbounds nuw i8, ptr %.665.i, i64 120
  %.669.i = load i64, ptr %.667.i, align 1, !noalias !99
  %.670.not.i = icmp eq i64 %.669.i, 0
  br i1 %.670.not.i, label %B1258.i, label %B1072.i

B1072.i:                                          ; preds = %B1018.i
  %1 = getelementptr [88 x i8], ptr %.619.i, i64 %.669.i
  %.682.i = getelementptr i8, ptr %1, i64 -16
  %.684.i = load i64, ptr %.682.i, align 1, !noalias !99
  %.685.i = getelementptr i8, ptr %1, i64 -8
  %.687.i = load i64, ptr %.685.i, align 1, !noalias !99
  store i64 %.684.i, ptr %.626.i, align 8, !noalias !99
  store i64 %.687.i, ptr %.667.i, align 1, !noalias !99
  br label %B1258.i

B1258.i:                                          ; preds = %B906.if.i, %B1072.i, %B1018.i
  %exitcond191.not.i = icmp eq i64 %.590.i, %.7
  br i1 %exitcond191.not.i, label %B1290.preheader.i, label %B906.if.i

B78.if.i:                                         ; preds = %B254.i, %B78.if.lr.ph.i
  %.52.0180.i = phi i64 [ 0, %B78.if.lr.ph.i ], [ %.123.i, %B254.i ]
  %.123.i = add nuw nsw i64 %.52.0180.i, 1
  %.150.i = getelementptr [88 x i8], ptr %.149.i, i64 %.52.0180.i
  %.151.i = getelementptr inbounds nuw i8, ptr %.150.i, i64 64
  %.153.i = load i64, ptr %.151.i, align 1, !noalias !99
  %.154.i = inttoptr i64 %.153.i to ptr
  %.160.i = getelementptr inbounds nuw i8, ptr %.154.i, i64 96
  %.162.i = load i64, ptr %.160.i, align 1, !noalias !99
  %.163.not.i = icmp eq i64 %.162.i, 0
  br i1 %.163.not.i, label %B254.i, label %B190.i

B286.if.i:                                        ; preds = %B770.i, %B286.if.lr.ph.i
  %.219.0182.i = phi i64 [ 0, %B286.if.lr.ph.i ], [ %.288.i, %B770.i ]
  %.288.i = add nuw nsw i64 %.219.0182.i, 1
  %.319.i = getelementptr [88 x i8], ptr %.318.i, i64 %.219.0182.i
  %.324.i = getelementptr inbounds nuw i8, ptr %.319.i, i64 64
  %.326.i = load i64, ptr %.324.i, align 1, !noalias !99
  %.327.i = inttoptr i64 %.326.i to ptr
  %.336.i = getelementptr inbounds nuw i8, ptr %.319.i, i64 24
  %.338.i = load i64, ptr %.336.i, align 1, !noalias !99
  %.340.i = icmp eq i64 %.338.i, %.2
  br i1 %.340.i, label %B424.i, label %B508.i

B906.if.i:                                        ; preds = %B1258.i, %B906.if.lr.ph.i
  %.521.0185.i = phi i64 [ 0, %B906.if.lr.ph.i ], [ %.590.i, %B1258.i ]
  %.590.i = add nuw nsw i64 %.521.0185.i, 1
  %.623.i = load i64, ptr %.621.i, align 1, !noalias !99
  %.626.i = getelementptr i64, ptr %.486.i, i64 %.521.0185.i
  store i64 %.623.i, ptr %.626.i, align 8, !noalias !99
  %.631.i = getelementptr i32, ptr %.482.i, i64 %.521.0185.i
  %.632.i = load i32, ptr %.631.i, align 4, !noalias !99
  %.8.i.i = load i64, ptr %.23.i, align 1, !noalias !102
  %.9.i.i = inttoptr i64 %.8.i.i to ptr
  %2 = and i32 %.632.i, 65535
  %.11.i177.i = zext nneg i32 %2 to i64
  %.12.i.i = getelementptr i64, ptr %.9.i.i, i64 %.11.i177.i
  %.13.i.i = load i64, ptr %.12.i.i, align 8, !noalias !102
  %.662.not.i = icmp eq i64 %.13.i.i, 0
  br i1 %.662.not.i, label %B1258.i, label %B1018.i

B1290.if.i:                                       ; preds = %B1290.if.i, %B1290.if.lr.ph.i
  %.744.0188.i = phi i64 [ 0, %B1290.if.lr.ph.i ], [ %.813.i, %B1290.if.i ]
  %.813.i = add nuw nsw i64 %.744.0188.i, 1
  %.840.i = getelementptr [88 x i8], ptr %.839.i, i64 %.744.0188.i
  %.841.i = getelementptr inbounds nuw i8, ptr %.840.i, i64 64
  %.843.i = load i64, ptr %.841.i, align 1, !noalias !99
  %.844.i = inttoptr i64 %.843.i to ptr
  %.846.i = getelementptr inbounds nuw i8, ptr %.844.i, i64 120
  store i64 0, ptr %.846.i, align 1, !noalias !99
  %.849.i = getelementptr inbounds nuw i8, ptr %.840.i, i64 56
  %.851.i = load i64, ptr %.849.i, align 1, !noalias !99
  %.852.i = tail call ptr @free(i64 %.851.i), !noalias !99
  %exitcond192.not.i = icmp eq i64 %.4, %.813.i
  br i1 %exitcond192.not.i, label %_ZN8__main__6settleB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit, label %B1290.if.i

_ZN8__main__6settleB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx.exit: ; preds = %B1290.if.i, %B1290.preheader.i
  call void @llvm.lifetime.end.p0(ptr nonnull %.391.i)
  ret i64 0
}

define noundef i64 @discard(i64 %.1, i64 %.2) local_unnamed_addr {
.4:
  %.8.i = inttoptr i64 %.1 to ptr
  %.14.i = getelementptr inbounds nuw i8, ptr %.8.i, i64 8
  %.16.i = load i64, ptr %.14.i, align 1, !noalias !105
  %.9840.not.i = icmp slt i64 %.16.i, 1
  br i1 %.9840.not.i, label %_ZN8__main__7discardB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit, label %B88.if.lr.ph.i

B88.if.lr.ph.i:                                   ; preds = %.4
  %.10.i.i = and i64 %.2, 65535
  br label %B88.if.i

B208.i:                                           ; preds = %_ZN8__main__6_pruneB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EE41Literal_5bint_5d_289223372036854775807_29.exit.i, %B208.i
  %.226.i = load i64, ptr %.218.i, align 1, !noalias !105
  %.227.i = inttoptr i64 %.226.i to ptr
  %.229.i = getelementptr inbounds nuw i8, ptr %.227.i, i64 24
  %.231.i = load i64, ptr %.229.i, align 1, !noalias !105
  store i64 %.231.i, ptr %.218.i, align 1, !noalias !105
  %.236.i = tail call ptr @free(i64 %.226.i), !noalias !105
  %.240.i = load i64, ptr %.218.i, align 1, !noalias !105
  %.241.not.i = icmp eq i64 %.240.i, 0
  br i1 %.241.not.i, label %B330.i, label %B208.i

B330.i:                                           ; preds = %B208.i, %_ZN8__main__6_pruneB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EE41Literal_5bint_5d_289223372036854775807_29.exit.i
  %exitcond.not.i = icmp eq i64 %.111.i, %.16.i
  br i1 %exitcond.not.i, label %_ZN8__main__7discardB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit, label %B88.if.i

B88.if.i:                                         ; preds = %B330.i, %B88.if.lr.ph.i
  %.40.042.i = phi i64 [ 0, %B88.if.lr.ph.i ], [ %.111.i, %B330.i ]
  %.111.i = add nuw nsw i64 %.40.042.i, 1
  %.8.i.i = load i64, ptr %.8.i, align 1, !noalias !108
  %.9.i.i = inttoptr i64 %.8.i.i to ptr
  %.11.i.i = getelementptr i64, ptr %.9.i.i, i64 %.10.i.i
  %.12.i.i = load i64, ptr %.11.i.i, align 8, !noalias !108
  %.6.i.i = add nsw i64 %.12.i.i, 136
  %.7.i.i = inttoptr i64 %.6.i.i to ptr
  %.8.i38.i = getelementptr [104 x i8], ptr %.7.i.i, i64 %.40.042.i
  %.11.i39.i = getelementptr inbounds nuw i8, ptr %.8.i38.i, i64 80
  %.13.i.i = load i64, ptr %.11.i39.i, align 1, !noalias !111
  %.14.not.i.i = icmp eq i64 %.13.i.i, 0
  br i1 %.14.not.i.i, label %_ZN8__main__6_pruneB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EE41Literal_5bint_5d_289223372036854775807_29.exit.i, label %B90.preheader.i.i

B90.preheader.i.i:                                ; preds = %B88.if.i
  %.45.i.i = getelementptr inbounds nuw i8, ptr %.8.i38.i, i64 96
  br label %B90.i.i

B90.i.i:                                          ; preds = %B90.i.i, %B90.preheader.i.i
  %.34.i.i = load i64, ptr %.11.i39.i, align 1, !noalias !111
  %.35.i.i = inttoptr i64 %.34.i.i to ptr
  %.37.i.i = getelementptr inbounds nuw i8, ptr %.35.i.i, i64 8
  %.39.i.i = load i64, ptr %.37.i.i, align 1, !noalias !111
  store i64 %.39.i.i, ptr %.11.i39.i, align 1, !noalias !111
  %.47.i.i = load i64, ptr %.45.i.i, align 1, !noalias !111
  %.48.i.i = add nsw i64 %.47.i.i, -1
  store i64 %.48.i.i, ptr %.45.i.i, align 1, !noalias !111
  %.53.i.i = tail call ptr @free(i64 %.34.i.i), !noalias !111
  %.57.i.i = load i64, ptr %.11.i39.i, align 1, !noalias !111
  %.58.not.i.i = icmp eq i64 %.57.i.i, 0
  br i1 %.58.not.i.i, label %_ZN8__main__6_pruneB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EE41Literal_5bint_5d_289223372036854775807_29.exit.i, label %B90.i.i

_ZN8__main__6_pruneB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EE41Literal_5bint_5d_289223372036854775807_29.exit.i: ; preds = %B90.i.i, %B88.if.i
  %.218.i = getelementptr inbounds nuw i8, ptr %.8.i38.i, i64 16
  %.220.i = load i64, ptr %.218.i, align 1, !noalias !105
  %.221.not.i = icmp eq i64 %.220.i, 0
  br i1 %.221.not.i, label %B330.i, label %B208.i

_ZN8__main__7discardB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx.exit: ; preds = %B330.i, %.4
  ret i64 0
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smax.i64(i64, i64) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smin.i64(i64, i64) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #3

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #4

attributes #0 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #1 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #4 = { nocallback nofree nounwind willreturn memory(argmem: write) }

!0 = !{!1}
!1 = distinct !{!1, !2, !"_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!2 = distinct !{!2, !"_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!3 = !{!4}
!4 = distinct !{!4, !5, !"_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!5 = distinct !{!5, !"_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!6 = !{!7}
!7 = distinct !{!7, !8, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx: %retptr"}
!8 = distinct !{!8, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx"}
!9 = !{!10}
!10 = distinct !{!10, !11, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx: %retptr"}
!11 = distinct !{!11, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx"}
!12 = !{!13}
!13 = distinct !{!13, !14, !"_ZN8__main__9_set_nextB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EE: %retptr"}
!14 = distinct !{!14, !"_ZN8__main__9_set_nextB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EE"}
!15 = !{!16}
!16 = distinct !{!16, !17, !"_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!17 = distinct !{!17, !"_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!18 = !{!19}
!19 = distinct !{!19, !20, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx: %retptr"}
!20 = distinct !{!20, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx"}
!21 = !{!22}
!22 = distinct !{!22, !23, !"_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!23 = distinct !{!23, !"_ZN8__main__10_is_beforeB3v17B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!24 = !{!25, !27, !29}
!25 = distinct !{!25, !26, !"_ZN8__main__7_expectB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx: %retptr"}
!26 = distinct !{!26, !"_ZN8__main__7_expectB2v5B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx"}
!27 = distinct !{!27, !28, !"_ZN8__main__6_admitB2v4B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx: %retptr"}
!28 = distinct !{!28, !"_ZN8__main__6_admitB2v4B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx"}
!29 = distinct !{!29, !30, !"_ZN8__main__5enterB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxxxx: %retptr"}
!30 = distinct !{!30, !"_ZN8__main__5enterB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxxxx"}
!31 = !{!32, !25, !27, !29}
!32 = distinct !{!32, !33, !"_ZN8__main__11_next_queueB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_281_29: %retptr"}
!33 = distinct !{!33, !"_ZN8__main__11_next_queueB2v9B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_281_29"}
!34 = !{!"branch_weights", i32 99, i32 1}
!35 = !{!36, !38, !27, !29}
!36 = distinct !{!36, !37, !"_ZN8__main__6_pruneB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx: %retptr"}
!37 = distinct !{!37, !"_ZN8__main__6_pruneB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx"}
!38 = distinct !{!38, !39, !"_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx: %retptr"}
!39 = distinct !{!39, !"_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx"}
!40 = !{!38, !27, !29}
!41 = !{!27, !29}
!42 = !{!29}
!43 = !{!44, !29}
!44 = distinct !{!44, !45, !"_ZN8__main__7_appendB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxxxx: %retptr"}
!45 = distinct !{!45, !"_ZN8__main__7_appendB3v13B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxxxx"}
!46 = !{!47, !44, !29}
!47 = distinct !{!47, !48, !"_ZN8__main__5_noteB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx: %retptr"}
!48 = distinct !{!48, !"_ZN8__main__5_noteB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx"}
!49 = !{!50, !47, !44, !29}
!50 = distinct !{!50, !51, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx: %retptr"}
!51 = distinct !{!51, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx"}
!52 = !{!53, !29}
!53 = distinct !{!53, !54, !"_ZN8__main__5_portB2v2B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEi: %retptr"}
!54 = distinct !{!54, !"_ZN8__main__5_portB2v2B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEi"}
!55 = !{!56, !58}
!56 = distinct !{!56, !57, !"_ZN8__main__5_portB3v20B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx: %retptr"}
!57 = distinct !{!57, !"_ZN8__main__5_portB3v20B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx"}
!58 = distinct !{!58, !59, !"_ZN8__main__5depthB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx: %retptr"}
!59 = distinct !{!59, !"_ZN8__main__5depthB3v19B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxx"}
!60 = !{!61, !63, !58}
!61 = distinct !{!61, !62, !"_ZN8__main__6_pruneB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx: %retptr"}
!62 = distinct !{!62, !"_ZN8__main__6_pruneB3v12B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx"}
!63 = distinct !{!63, !64, !"_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx: %retptr"}
!64 = distinct !{!64, !"_ZN8__main__6_depthB3v11B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx"}
!65 = !{!63, !58}
!66 = !{!67}
!67 = distinct !{!67, !68, !"_ZN8__main__5_noteB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx: %retptr"}
!68 = distinct !{!68, !"_ZN8__main__5_noteB3v14B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx"}
!69 = !{!70, !67}
!70 = distinct !{!70, !71, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx: %retptr"}
!71 = distinct !{!71, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx"}
!72 = !{!73}
!73 = distinct !{!73, !74, !"_ZN8__main__5serveB3v21B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx: %retptr"}
!74 = distinct !{!74, !"_ZN8__main__5serveB3v21B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxx"}
!75 = !{!76, !73}
!76 = distinct !{!76, !77, !"_ZN8__main__6_leaveB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx: %retptr"}
!77 = distinct !{!77, !"_ZN8__main__6_leaveB3v29B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExxx"}
!78 = !{!79, !76, !73}
!79 = distinct !{!79, !80, !"_ZN8__main__7_removeB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx: %retptr"}
!80 = distinct !{!80, !"_ZN8__main__7_removeB3v23B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx"}
!81 = !{!82, !79, !76, !73}
!82 = distinct !{!82, !83, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx: %retptr"}
!83 = distinct !{!83, !"_ZN8__main__4_putB3v15B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx"}
!84 = !{!85, !79, !76, !73}
!85 = distinct !{!85, !86, !"_ZN8__main__9_set_nextB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EE: %retptr"}
!86 = distinct !{!86, !"_ZN8__main__9_set_nextB3v18B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EE"}
!87 = !{!88, !76, !73}
!88 = distinct !{!88, !89, !"_ZN8__main__7_forgetB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx: %retptr"}
!89 = distinct !{!89, !"_ZN8__main__7_forgetB3v24B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx"}
!90 = !{!91, !93, !76, !73}
!91 = distinct !{!91, !92, !"_ZN8__main__11_next_queueB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_280_29: %retptr"}
!92 = distinct !{!92, !"_ZN8__main__11_next_queueB3v26B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx23Literal_5bint_5d_280_29"}
!93 = distinct !{!93, !94, !"_ZN8__main__7_departB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx6RecordILi2275EE: %retptr"}
!94 = distinct !{!94, !"_ZN8__main__7_departB3v25B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EExx6RecordILi2275EE"}
!95 = !{!96, !93, !76, !73}
!96 = distinct !{!96, !97, !"_ZN8__main__4_seeB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx: %retptr"}
!97 = distinct !{!97, !"_ZN8__main__4_seeB3v27B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EEx"}
!98 = !{!93, !76, !73}
!99 = !{!100}
!100 = distinct !{!100, !101, !"_ZN8__main__6settleB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx: %retptr"}
!101 = distinct !{!101, !"_ZN8__main__6settleB3v30B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExxxxxxx"}
!102 = !{!103, !100}
!103 = distinct !{!103, !104, !"_ZN8__main__5_portB2v2B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEi: %retptr"}
!104 = distinct !{!104, !"_ZN8__main__5_portB2v2B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEi"}
!105 = !{!106}
!106 = distinct !{!106, !107, !"_ZN8__main__7discardB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx: %retptr"}
!107 = distinct !{!107, !"_ZN8__main__7discardB3v31B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAExx"}
!108 = !{!109, !106}
!109 = distinct !{!109, !110, !"_ZN8__main__5_portB3v20B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx: %retptr"}
!110 = distinct !{!110, !"_ZN8__main__5_portB3v20B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2051EEx"}
!111 = !{!112, !106}
!112 = distinct !{!112, !113, !"_ZN8__main__6_pruneB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EE41Literal_5bint_5d_289223372036854775807_29: %retptr"}
!113 = distinct !{!113, !"_ZN8__main__6_pruneB3v32B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2AZLaAIAE6RecordILi2076EE41Literal_5bint_5d_289223372036854775807_29"}
