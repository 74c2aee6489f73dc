/**
 * One execution of a statement: its parameters, its limits, the result that it leaves open. Start
 * with {@link Execution}.
 */
@NullMarked
package io.aragonite.adapter.execution;

import org.jspecify.annotations.NullMarked;
