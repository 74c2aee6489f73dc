/** Planning of statements by phases: {@link AragonitePrograms}. The rooms below hold the parts. */
@NullMarked
package io.aragonite.rules;

import org.jspecify.annotations.NullMarked;
