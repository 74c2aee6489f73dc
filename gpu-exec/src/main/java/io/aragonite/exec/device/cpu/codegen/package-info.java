/**
 * Expressions compiled to loops: {@link io.aragonite.exec.device.cpu.codegen.Lowering} turns them
 * into nodes with storage and bounds, {@link io.aragonite.exec.device.cpu.codegen.MethodWriter}
 * turns nodes into Java, Janino turns that into classes, which {@link
 * io.aragonite.exec.device.cpu.codegen.KernelCache} keeps.
 */
@NullMarked
package io.aragonite.exec.device.cpu.codegen;

import org.jspecify.annotations.NullMarked;
