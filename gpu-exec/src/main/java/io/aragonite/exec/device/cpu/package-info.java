/** The CPU as a device. */
@NullMarked
package io.aragonite.exec.device.cpu;

import org.jspecify.annotations.NullMarked;
