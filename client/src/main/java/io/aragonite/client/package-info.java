/** The thin client of a server that {@code ./aragonite serve} started. */
@NullMarked
package io.aragonite.client;

import org.jspecify.annotations.NullMarked;
