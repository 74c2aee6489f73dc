package io.aragonite.dataset;

/**
 * Queries that run and report. {@link #run} is called by one thread; {@link #cancel} may be called
 * by another, for instance a shutdown hook.
 */
public interface BenchmarkRun {
  /**
   * Runs the queries. One that fails is reported, and the next one is run. An interrupt of this
   * thread ends the run early; its flag stays set.
   */
  RunReport run();

  /** Ends the run: cancels the statements at work and starts no other. */
  void cancel();
}
