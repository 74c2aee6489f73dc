/**
 * Expressions as PTX: {@link io.aragonite.exec.codegen.RowCode} lowers expressions to Java methods
 * for one row, as it does for the CPU, and {@link io.aragonite.exec.device.cuda.ptx.RowKernels}
 * translates their bytecode, with that of the helpers they call, to a kernel that runs a thread a
 * row. One lowering, one text, two processors.
 */
@NullMarked
package io.aragonite.exec.device.cuda.ptx;

import org.jspecify.annotations.NullMarked;
