/**
 * COPY: rows of queries into files. {@link io.aragonite.adapter.copy.CopyWriter} has blocks of rows
 * encoded beside each other and written in their order; a format is a {@link
 * io.aragonite.adapter.copy.FileOutput}.
 */
@NullMarked
package io.aragonite.adapter.copy;

import org.jspecify.annotations.NullMarked;
