/**
 * Functions that people type and that Calcite's standard table lacks, as operators that the engine
 * knows. {@link FunctionForms} is the registry.
 */
@NullMarked
package io.aragonite.adapter.sql.function;

import org.jspecify.annotations.NullMarked;
