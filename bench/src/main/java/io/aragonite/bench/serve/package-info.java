/** How fast a server answers many clients, and how fast it sends large results. */
@NullMarked
package io.aragonite.bench.serve;

import org.jspecify.annotations.NullMarked;
