/** Serving connections to other machines through Avatica. Start with {@link QueryServer}. */
@NullMarked
package io.aragonite.adapter.server;

import org.jspecify.annotations.NullMarked;
