/** Statistics and what is estimated from them. */
@NullMarked
package io.aragonite.rules.metadata;

import org.jspecify.annotations.NullMarked;
