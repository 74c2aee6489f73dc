/** Grouping: by table, by sorting, in order. */
@NullMarked
package io.aragonite.bench.group;

import org.jspecify.annotations.NullMarked;
