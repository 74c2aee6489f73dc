package io.aragonite.exec.device.cpu;

import io.aragonite.exec.settings.DiagnosticSettings;
import io.aragonite.exec.settings.EngineSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the JVM's compiler to inline the accessors of native memory and the hash functions always.
 *
 * <p>C2 leaves out calls that look cold. When a caller that was hot with one kind of table meets
 * another kind, it is compiled again before the other kind's loops have been profiled, all calls in
 * them look cold, and the loops stay three times slower for good (seen with hashProbe). The product
 * runs with {@code -XX:CompileCommand=inline,...}; where a program embeds the driver, the same is
 * asked for at run time, in the background, because it takes a tenth of a second.
 */
final class CpuInlining {
  private static final Logger LOG = LoggerFactory.getLogger(CpuInlining.class);

  private static final String DIRECTIVES =
      """
      [{match: ["*.*"], inline: [
        "+io/aragonite/exec/memory/Mem.*",
        "+io/aragonite/exec/device/cpu/CpuHash.*",
        "+io/aragonite/exec/expr/KeyHash.combine",
        "+io/aragonite/exec/expr/KeyHash.ofLong"]}]
      """;

  private static final AtomicBoolean STARTED = new AtomicBoolean();

  private CpuInlining() {}

  /** Asks once a JVM; a refusal costs speed only. */
  static void request() {
    if (EngineSettings.atStart().inlining() != DiagnosticSettings.Inlining.AUTO
        || !STARTED.compareAndSet(false, true)) {
      return;
    }
    Thread.ofPlatform().daemon().name("aragonite-inlining").start(CpuInlining::addDirectives);
  }

  private static void addDirectives() {
    try {
      Path file = Files.createTempFile("aragonite-inlining", ".json");
      try {
        Files.writeString(file, DIRECTIVES);
        Object answer =
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "compilerDirectivesAdd",
                    new Object[] {new String[] {file.toString()}},
                    new String[] {String[].class.getName()});
        LOG.debug("compiler directives: {}", answer);
      } finally {
        Files.delete(file);
      }
    } catch (IOException | JMException | RuntimeException e) {
      LOG.debug("the JVM took no compiler directives; some loops may run slower", e);
    }
  }
}
