package io.aragonite.exec.pipeline;

/** A filter that a join has left for rows that come out of a node below it. */
public interface DynamicFilter {
  /** The pipeline of the node's rows with the filter behind it. */
  PipelineHead behind(PlanCompiler compiler, PipelineHead head);

  /** The share of the node's rows that is expected to pass; 1 if nothing is. */
  double expectedShare();
}
