/** The device that tests run on. */
@NullMarked
package io.aragonite.exec.testing.device;

import org.jspecify.annotations.NullMarked;
