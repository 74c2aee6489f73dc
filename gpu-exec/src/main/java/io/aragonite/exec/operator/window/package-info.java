/**
 * Windows: their rows in order, functions by operations of a device, and rounds over rows that
 * memory does not hold. Functions as loops are {@link io.aragonite.exec.device.WindowOps}.
 */
@NullMarked
package io.aragonite.exec.operator.window;

import org.jspecify.annotations.NullMarked;
