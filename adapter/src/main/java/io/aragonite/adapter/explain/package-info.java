/** EXPLAIN and EXPLAIN ANALYZE as text and as trees. */
@NullMarked
package io.aragonite.adapter.explain;

import org.jspecify.annotations.NullMarked;
