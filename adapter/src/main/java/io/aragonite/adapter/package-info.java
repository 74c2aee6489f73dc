/**
 * The JDBC driver: connections, their metadata, and schemas for Calcite's own driver. Start with
 * {@link AragoniteDriver}.
 */
@NullMarked
package io.aragonite.adapter;

import org.jspecify.annotations.NullMarked;
