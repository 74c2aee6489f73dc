/** The seam between processors. */
@NullMarked
package io.aragonite.exec.device;

import org.jspecify.annotations.NullMarked;
