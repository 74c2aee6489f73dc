/** Where programs enter the driver's jar, whatever their Java. */
@NullMarked
package io.aragonite.jdbc;

import org.jspecify.annotations.NullMarked;
