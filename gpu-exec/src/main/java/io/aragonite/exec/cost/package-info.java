/** What devices were measured to do, and what joins should take on them. */
@NullMarked
package io.aragonite.exec.cost;

import org.jspecify.annotations.NullMarked;
