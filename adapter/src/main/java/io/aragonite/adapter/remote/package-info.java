/** Files of S3-compatible stores and HTTP servers, as paths whose bytes are fetched by ranges. */
@NullMarked
package io.aragonite.adapter.remote;

import org.jspecify.annotations.NullMarked;
