/** Triangles, cliques and cycles of generated graphs, in SQL. */
@NullMarked
package io.aragonite.bench.graph;

import org.jspecify.annotations.NullMarked;
