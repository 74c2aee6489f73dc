package io.aragonite.bench.cold;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The processes that run: they end when this one does, whatever ends it but a kill. */
final class ColdChildren {
  private static final int PATIENCE_SECONDS = 2;

  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(ColdChildren::end), "cold-shutdown"));
  }

  private ColdChildren() {}

  static void add(Process process) {
    RUNNING.add(process);
  }

  static void remove(Process process) {
    RUNNING.remove(process);
  }

  /** Ends a process and what it started, by force if it does not hear. */
  static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();
    try {
      if (process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
