/**
 * The lowering of expressions that all devices share: {@link io.aragonite.exec.codegen.Lowering}
 * turns them into nodes with storage and bounds, {@link io.aragonite.exec.codegen.MethodWriter}
 * turns nodes into Java, and Janino turns that into classes. {@link
 * io.aragonite.exec.codegen.LoopPredicate} and {@link io.aragonite.exec.codegen.LoopProjection} are
 * loops over a batch, which the JVM runs; {@link io.aragonite.exec.codegen.RowPredicate} and {@link
 * io.aragonite.exec.codegen.RowProjection} are code for single rows, as class files that a device
 * translates.
 */
@NullMarked
package io.aragonite.exec.codegen;

import org.jspecify.annotations.NullMarked;
