package io.aragonite.exec.settings;

/**
 * EngineSettings of the process, which count as they are when it starts: checks and traces are
 * constants for the JVM's compiler, so that they cost nothing while they are off.
 *
 * @param memoryDebug buffers are poisoned and checked, accounts remember who opened them
 * @param memorySlack GPUs set the bytes behind each buffer
 * @param cudaTrace each query prints what its CUDA stream did
 * @param inlining how the JVM's compiler learns what to inline
 */
public record DiagnosticSettings(
    boolean memoryDebug, boolean memorySlack, boolean cudaTrace, Inlining inlining) {
  /** How the JVM's compiler learns what to inline always. */
  public enum Inlining {
    /** By directives at run time. */
    AUTO,
    /** The command line says so. */
    FLAGS,
    /** Not at all. */
    OFF
  }
}
