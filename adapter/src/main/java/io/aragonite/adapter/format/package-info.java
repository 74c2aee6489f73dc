/** Table formats: files become columns in memory. Start with {@link TableCatalog}. */
@NullMarked
package io.aragonite.adapter.format;

import org.jspecify.annotations.NullMarked;
