/** Serving Arrow Flight SQL. Start with {@link FlightSqlServer}. */
@NullMarked
package io.aragonite.flight;

import org.jspecify.annotations.NullMarked;
