/** What all tests use, and needs nothing itself. */
@NullMarked
package io.aragonite.exec.testing;

import org.jspecify.annotations.NullMarked;
