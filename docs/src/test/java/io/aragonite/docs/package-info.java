/** The documentation, held against the code. */
@NullMarked
package io.aragonite.docs;

import org.jspecify.annotations.NullMarked;
