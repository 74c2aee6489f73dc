/** Functions of windows as loops over host memory, over rows sorted by partition and order. */
@NullMarked
package io.aragonite.exec.device.cpu.window;

import org.jspecify.annotations.NullMarked;
