package io.aragonite.adapter.cli;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.event.Level;

/**
 * What the commands log, and how: warnings, to standard error, by SLF4J's simple binding, but for
 * serve, whose lines may be JSON. These are the process's own settings, which only a command may
 * choose; the driver brings none to the programs that load it.
 */
final class CommandLogging {
  private static final String SIMPLE = "org.slf4j.simpleLogger.";
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "slf4j.provider",
          "org.slf4j.simple.SimpleServiceProvider",
          // and no line that says so
          "slf4j.internal.verbosity",
          "WARN",
          SIMPLE + "defaultLogLevel",
          "warn",
          SIMPLE + "showDateTime",
          "true",
          // Errors reach users as exceptions; what these say of them beside is noise.
          SIMPLE + "log.org.apache.calcite",
          "error",
          SIMPLE + "log.org.eclipse.jetty",
          "error");

  private static final String SERVE = "serve";

  /** Commands that run for hours; the lines of others have the milliseconds since they began. */
  private static final Set<String> LASTING = Set.of("shell", "");

  private CommandLogging() {}

  /** Sets what the command line was not given; before the first logger is made. */
  static void setUp(String command) {
    if (command.equals(SERVE)) {
      set("slf4j.provider", ServiceLogging.class.getName());
    }
    DEFAULTS.forEach(CommandLogging::set);
    if (LASTING.contains(command)) {
      // a format of dates takes a tenth of the time of a small query's process
      set(SIMPLE + "dateTimeFormat", "HH:mm:ss.SSS");
    }
  }

  /** The least that a logger tells, by the settings of the simple binding. */
  static Level level(String logger) {
    for (String prefix = logger; ; ) {
      String given = System.getProperty(SIMPLE + "log." + prefix);
      if (given != null) {
        return parsed(given);
      }
      int dot = prefix.lastIndexOf('.');
      if (dot < 0) {
        return parsed(System.getProperty(SIMPLE + "defaultLogLevel", "warn"));
      }
      prefix = prefix.substring(0, dot);
    }
  }

  private static Level parsed(String level) {
    return Stream.of(Level.values())
        .filter(known -> known.name().equalsIgnoreCase(level.strip()))
        .findAny()
        .orElse(Level.WARN);
  }

  private static void set(String name, String value) {
    if (System.getProperty(name) == null) {
      System.setProperty(name, value);
    }
  }
}
