/**
 * The execution of a plan on one device: its compilation to pipelines, its workers, its results.
 * Start with {@link QueryExecution}.
 */
@NullMarked
package io.aragonite.exec.execution;

import org.jspecify.annotations.NullMarked;
