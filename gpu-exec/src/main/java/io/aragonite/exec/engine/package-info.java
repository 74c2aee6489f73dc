/** Devices by name, and what is measured of them without a query. */
@NullMarked
package io.aragonite.exec.engine;

import org.jspecify.annotations.NullMarked;
