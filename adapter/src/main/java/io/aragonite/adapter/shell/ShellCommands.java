package io.aragonite.adapter.shell;

import io.aragonite.adapter.error.NearestName;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The commands of the shell: {@code .name}, or {@code !name}. */
final class ShellCommands {
  /** What a command does with what stands behind its name; false if it failed. */
  @FunctionalInterface
  private interface Action {
    boolean run(String argument) throws SQLException, IOException;
  }

  /**
   * A command.
   *
   * @param arguments as help shows them
   */
  private record NamedCommand(String name, String arguments, String help, Action action) {}

  private final ShellSession session;
  private final Map<String, NamedCommand> commands = new LinkedHashMap<>();
  private final Map<String, String> aliases =
      Map.of(
          "exit",
          "quit",
          "q",
          "quit",
          "mode",
          "format",
          "outputformat",
          "format",
          "run",
          "read",
          "o",
          "output",
          "i",
          "read",
          "h",
          "help",
          "timer",
          "timing");
  private Collection<String> others = List.of();

  ShellCommands(ShellSession session) {
    this.session = session;
    ShellTables tables = new ShellTables(session);
    add("help", "", "lists the commands", this::help);
    add(
        "tables",
        "[PATTERN]",
        "lists tables and views; * and % stand for any letters",
        tables::list);
    add("schema", "[TABLE]", "shows the columns of a table, or of all", tables::describe);
    add("read", "FILE", "runs the statements and commands of a file", this::read);
    add(
        "output",
        "[FILE]",
        "results go to a file, complete at the next .output; without FILE, here",
        this::output);
    add(
        "format",
        "[NAME]",
        "how results are printed: " + String.join(", ", ResultFormat.labels()),
        this::format);
    add("timing", "on|off", "prints the time of each statement", this::timing);
    add("types", "on|off", "tables have the types of columns under their names", this::types);
    add(
        "width",
        "auto|N",
        "columns that tables keep within; 0: as wide as their values",
        this::width);
    add("continue", "on|off", "whether scripts go on behind an error", this::goOn);
    add(
        "quit",
        "",
        "ends the shell, as .exit does",
        argument -> {
          session.end();
          return true;
        });
  }

  private void add(String name, String arguments, String help, Action action) {
    commands.put(name, new NamedCommand(name, arguments, help, action));
  }

  void others(Collection<String> names) {
    others = names;
  }

  Collection<String> names() {
    TreeSet<String> names = new TreeSet<>(commands.keySet());
    names.add("exit");
    return names;
  }

  boolean knows(String name) {
    return find(name) != null;
  }

  private @Nullable NamedCommand find(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return commands.get(aliases.getOrDefault(lower, lower));
  }

  /** The name of a command, without what is before it and behind it. */
  static String name(String text) {
    String line = text.startsWith(".") || text.startsWith("!") ? text.substring(1) : text;
    return line.strip().split("\\s+", 2)[0];
  }

  /** Runs a command; false if it failed. */
  boolean run(String text) throws SQLException, IOException {
    String name = name(text);
    NamedCommand command = find(name);
    if (command == null) {
      throw unknown(text.substring(0, 1) + name);
    }
    String rest = text.substring(text.indexOf(name) + name.length()).strip();
    return command.action().run(rest);
  }

  private AragoniteException unknown(String name) {
    List<String> all = new ArrayList<>(commands.keySet());
    all.addAll(aliases.keySet().stream().filter(alias -> alias.length() > 1).sorted().toList());
    String nearest = NearestName.of(name.substring(1), all);
    if (nearest == null) {
      nearest = NearestName.of(name.substring(1), others);
    }
    return wrong(
        "There is no command %s; %s"
            .formatted(
                name, nearest == null ? ".help lists them." : "did you mean ." + nearest + "?"));
  }

  private static AragoniteException wrong(String sentence) {
    return new AragoniteException(ErrorCode.WRONG_USAGE, sentence);
  }

  private boolean help(String about) {
    String name = name(about);
    NamedCommand only = find(name);
    if (!name.isEmpty() && only == null) {
      throw unknown("." + name);
    }
    for (NamedCommand command : commands.values()) {
      if (only == null || command.equals(only)) {
        session
            .out()
            .printf(
                Locale.ROOT,
                "%-19s %s%n",
                "." + command.name() + " " + command.arguments(),
                command.help());
      }
    }
    if (only == null) {
      session.out().println("Statements end with a semicolon. Commands may begin with ! as well.");
      if (!others.isEmpty()) {
        session.out().println("More commands, of sqlline: !" + String.join(" !", others));
      }
    }
    return true;
  }

  private boolean read(String argument) throws IOException {
    return session.read(path(argument, ".read"));
  }

  private boolean output(String argument) throws IOException {
    session.output(argument.isEmpty() ? null : path(argument, ".output"));
    return true;
  }

  private static Path path(String argument, String command) {
    String name = argument;
    if (name.length() > 1
        && (name.startsWith("'") && name.endsWith("'")
            || name.startsWith("\"") && name.endsWith("\""))) {
      name = name.substring(1, name.length() - 1);
    }
    if (name.isEmpty()) {
      throw wrong(command + " wants the name of a file.");
    }
    if (name.startsWith("~/")) {
      name = System.getProperty("user.home") + name.substring(1);
    }
    try {
      return Path.of(name);
    } catch (java.nio.file.InvalidPathException e) {
      throw wrong("%s is no name of a file.".formatted(DisplayText.shown(name)));
    }
  }

  private boolean format(String argument) {
    if (argument.isEmpty()) {
      session.out().println(session.format().label());
      return true;
    }
    ResultFormat format = ResultFormat.of(argument);
    if (format == null) {
      String nearest = NearestName.of(argument, ResultFormat.labels());
      throw wrong(
          "There is no format %s; %s"
              .formatted(
                  argument,
                  nearest == null
                      ? "there are " + String.join(", ", ResultFormat.labels()) + "."
                      : "did you mean " + nearest + "?"));
    }
    session.settings().format = format;
    return true;
  }

  private boolean timing(String argument) {
    session.settings().timing = on(argument, session.settings().timing, ".timing");
    return true;
  }

  private boolean types(String argument) {
    session.settings().types = on(argument, session.settings().types, ".types");
    return true;
  }

  private boolean goOn(String argument) {
    session.settings().goOn = on(argument, session.settings().goOn, ".continue");
    return true;
  }

  /** Without an argument the setting changes. */
  private static boolean on(String argument, boolean now, String command) {
    return switch (argument.toLowerCase(Locale.ROOT)) {
      case "on", "true", "1" -> true;
      case "off", "false", "0" -> false;
      case "" -> !now;
      default -> throw wrong("%s is on or off, not %s.".formatted(command, argument));
    };
  }

  private boolean width(String argument) {
    if (argument.equalsIgnoreCase("auto") || argument.isEmpty()) {
      session.settings().width = null;
      return true;
    }
    if (!argument.matches("\\d{1,6}")) {
      throw wrong(".width is auto or a number of columns, not %s.".formatted(argument));
    }
    session.settings().width = Integer.valueOf(argument);
    return true;
  }
}
