/**
 * Pipelines: sources, operators, sinks, and what compiling a plan to them offers to operators.
 * Start with {@link PipelineHead} and {@link PlanCompiler}.
 */
@NullMarked
package io.aragonite.exec.pipeline;

import org.jspecify.annotations.NullMarked;
