/** JDBC's metadata: types, keys, columns. */
@NullMarked
package io.aragonite.adapter.metadata;

import org.jspecify.annotations.NullMarked;
