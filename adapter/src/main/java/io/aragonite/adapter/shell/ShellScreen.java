package io.aragonite.adapter.shell;

import java.util.function.IntSupplier;

/**
 * Where a shell prints.
 *
 * @param output whether results go to a terminal
 * @param messages whether errors do
 * @param width columns of the terminal now; 0 if it does not say
 * @param piped whether results go to a pipe, whose reader may leave when it has enough
 */
public record ShellScreen(boolean output, boolean messages, IntSupplier width, boolean piped) {
  /** A file. */
  public static final ShellScreen NONE = new ShellScreen(false, false, () -> 0, false);
}
