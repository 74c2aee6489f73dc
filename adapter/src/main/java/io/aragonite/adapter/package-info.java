/** The JDBC driver, its schemas and results. Start with {@link AragoniteDriver}. */
@NullMarked
package io.aragonite.adapter;

import org.jspecify.annotations.NullMarked;
