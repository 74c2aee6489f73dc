/**
 * Results as JDBC rows and as Arrow batches. Start with {@link ResultSetGuard} and {@link
 * ArrowResult}.
 */
@NullMarked
package io.aragonite.adapter.result;

import org.jspecify.annotations.NullMarked;
