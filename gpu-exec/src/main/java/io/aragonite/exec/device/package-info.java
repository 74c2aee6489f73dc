/**
 * The seam between processors: memory, copies, primitives, compiled expressions. Start with {@link
 * Device}.
 */
@NullMarked
package io.aragonite.exec.device;

import org.jspecify.annotations.NullMarked;
