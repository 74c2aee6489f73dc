/** The CPU device: primitives over native memory, expressions as compiled loops. */
@NullMarked
package io.aragonite.exec.device.cpu;

import org.jspecify.annotations.NullMarked;
