/** Time limits and cancellation while a statement is planned. */
@NullMarked
package io.aragonite.rules.limit;

import org.jspecify.annotations.NullMarked;
