/**
 * What a URL, properties and a model file ask of a connection. Start with {@link
 * ConnectionOptions}.
 */
@NullMarked
package io.aragonite.adapter.options;

import org.jspecify.annotations.NullMarked;
