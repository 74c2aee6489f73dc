/** Joins of sides that lie in host memory, on several devices together. */
@NullMarked
package io.aragonite.exec.group.host;

import org.jspecify.annotations.NullMarked;
