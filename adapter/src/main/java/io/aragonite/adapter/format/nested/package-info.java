/**
 * Values of lists, structs and maps as columns of files have them: bytes that the engine carries,
 * and objects once an expression or a result asks for them.
 */
@NullMarked
package io.aragonite.adapter.format.nested;

import org.jspecify.annotations.NullMarked;
