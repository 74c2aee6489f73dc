/** SQL types and how their values lie in memory. */
@NullMarked
package io.aragonite.exec.type;

import org.jspecify.annotations.NullMarked;
