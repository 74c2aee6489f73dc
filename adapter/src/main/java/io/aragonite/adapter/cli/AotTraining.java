package io.aragonite.adapter.cli;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import org.jspecify.annotations.Nullable;

/**
 * Has the launcher make the JVM's AOT cache, from which later runs start, where it has none. That
 * takes some seconds, so it begins when the user has an answer, in a process that nobody waits for.
 */
final class AotTraining {
  private AotTraining() {}

  /** Begins, if there is a launcher. */
  static void begin(@Nullable String launcher) {
    if (launcher == null) {
      return;
    }
    try {
      new ProcessBuilder("nice", "-n", "19", launcher, "train")
          .redirectInput(Redirect.from(new File("/dev/null")))
          .redirectOutput(Redirect.DISCARD)
          .redirectError(Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      // the next run tries again
    }
  }
}
