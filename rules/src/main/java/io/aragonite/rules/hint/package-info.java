/** What hints ask of the joins of a statement. */
@NullMarked
package io.aragonite.rules.hint;

import org.jspecify.annotations.NullMarked;
