/** The catalogue of errors. */
@NullMarked
package io.aragonite.exec.error;

import org.jspecify.annotations.NullMarked;
