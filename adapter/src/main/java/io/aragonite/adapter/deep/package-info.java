/** Statements that are nested deeply: how deep they are, and a stack that is large enough. */
@NullMarked
package io.aragonite.adapter.deep;

import org.jspecify.annotations.NullMarked;
