/**
 * The one class of Arrow that is replaced: {@link MemoryUtil}, which needs no private parts of the
 * JDK.
 */
@NullMarked
package org.apache.arrow.memory.util;

import org.jspecify.annotations.NullMarked;
