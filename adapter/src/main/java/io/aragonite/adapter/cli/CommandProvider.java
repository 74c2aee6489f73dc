package io.aragonite.adapter.cli;

/**
 * A command that another jar adds to {@code aragonite}; found by {@link java.util.ServiceLoader}.
 */
public interface CommandProvider {
  /** An object with picocli's {@code @Command}. */
  Object command();
}
