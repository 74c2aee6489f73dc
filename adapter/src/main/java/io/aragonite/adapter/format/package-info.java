/** What file formats share: columns of files, errors, where files may lie. */
@NullMarked
package io.aragonite.adapter.format;

import org.jspecify.annotations.NullMarked;
