/**
 * Tables that are kept in memory with their statistics, loaded from files column by column. Start
 * with {@link TableCatalog} and {@link CachedTable}.
 */
@NullMarked
package io.aragonite.adapter.table;

import org.jspecify.annotations.NullMarked;
