/** How the time of queries grows with their tables. */
@NullMarked
package io.aragonite.bench.growth;

import org.jspecify.annotations.NullMarked;
