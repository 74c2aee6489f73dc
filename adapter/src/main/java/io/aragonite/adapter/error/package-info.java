/**
 * SQL exceptions of the error catalogue, made from whatever went wrong. Start with {@link
 * SqlErrors}.
 */
@NullMarked
package io.aragonite.adapter.error;

import org.jspecify.annotations.NullMarked;
