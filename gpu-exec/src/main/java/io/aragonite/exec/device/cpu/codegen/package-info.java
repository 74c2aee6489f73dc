/**
 * How the CPU runs expressions: by loops that {@link io.aragonite.exec.codegen} generates, or by
 * the interpreter.
 */
@NullMarked
package io.aragonite.exec.device.cpu.codegen;

import org.jspecify.annotations.NullMarked;
