/** The engines of a process, which connections with the same options share. */
@NullMarked
package io.aragonite.adapter.engine;

import org.jspecify.annotations.NullMarked;
