/** Closing things while others use them, in JVMs of their own: a crash is a failed test. */
@NullMarked
package io.aragonite.sqltests.closing;

import org.jspecify.annotations.NullMarked;
