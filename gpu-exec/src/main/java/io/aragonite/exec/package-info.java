/** Columns, devices, primitives, joins and operators: the engine that runs physical plans. */
@NullMarked
package io.aragonite.exec;

import org.jspecify.annotations.NullMarked;
