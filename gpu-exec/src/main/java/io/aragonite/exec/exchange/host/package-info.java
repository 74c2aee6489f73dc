/** Sides of joins in host memory, sorted by several devices together. */
@NullMarked
package io.aragonite.exec.exchange.host;

import org.jspecify.annotations.NullMarked;
