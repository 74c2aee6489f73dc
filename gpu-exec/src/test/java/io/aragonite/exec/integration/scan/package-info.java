/** Queries of the engine over rows of the host and over tables that stream through a device. */
@NullMarked
package io.aragonite.exec.integration.scan;

import org.jspecify.annotations.NullMarked;
