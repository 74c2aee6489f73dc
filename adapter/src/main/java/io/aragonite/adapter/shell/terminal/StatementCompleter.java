package io.aragonite.adapter.shell.terminal;

import io.aragonite.adapter.shell.ShellSession;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jspecify.annotations.Nullable;

/**
 * Completes what stands before the cursor: columns behind their table's name, tables and files
 * where a table is wanted, else columns of the statement's tables, functions and keywords; commands
 * and what stands behind them.
 */
final class StatementCompleter implements Completer {
  private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_$]*");
  private static final Set<String> FILE_COMMANDS = Set.of("read", "run", "output");

  /** Tables whose columns are asked for although the statement does not name them. */
  private static final int MOST_TABLES = 30;

  private static final Set<String> SWITCHES = Set.of("timing", "types", "continue");

  private final ShellSession session;
  private final CompletionNames names;

  StatementCompleter(ShellSession session, CompletionNames names) {
    this.session = session;
    this.names = names;
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    try {
      String before = line.line().substring(0, line.cursor());
      String typed = before.stripLeading();
      if (typed.startsWith(".") || typed.startsWith("!")) {
        command(typed, line.word(), candidates);
      } else {
        statement(line, before, candidates);
      }
    } catch (SQLException | RuntimeException e) {
      // a broken connection is told of when a statement runs
    }
  }

  private void command(String typed, String word, List<Candidate> candidates) throws SQLException {
    String[] words = typed.substring(1).split("\\s+", 2);
    if (words.length == 1) {
      session.commandNames().forEach(name -> add(typed.charAt(0) + name, name, "", candidates));
      return;
    }
    String command = words[0].toLowerCase(Locale.ROOT);
    if (FILE_COMMANDS.contains(command)) {
      String path = words[1];
      String head = path.substring(0, Math.max(0, path.length() - word.length()));
      files(path, head, "", candidates);
    } else if (SWITCHES.contains(command)) {
      List.of("on", "off").forEach(value -> add(value, value, "", candidates));
    } else if (command.equals("format") || command.equals("mode")) {
      session.formatNames().forEach(name -> add(name, name, "", candidates));
    } else {
      tables(candidates);
    }
  }

  private void statement(ParsedLine line, String before, List<Candidate> candidates)
      throws SQLException {
    String word = line.word();
    if (word.startsWith("'")) {
      files(word.substring(1), "", "'", candidates);
      return;
    }
    List<SqlToken> tokens = SqlToken.around(line.line(), line.cursor());
    int begin = before.length() - word.length();
    SqlToken previous = previous(tokens, begin);
    List<FromItem> items =
        FromItem.of(
            tokens.stream().filter(token -> token.begin() != begin || !token.name()).toList());
    int point = word.lastIndexOf('.');
    if (point >= 0) {
      behind(word.substring(0, point), items, candidates);
    } else if (previous == null) {
      words(CompletionWords.FIRST, word, candidates);
    } else if (wantsTable(tokens, previous, begin)) {
      tables(candidates);
      words(Set.of("SELECT", "UNNEST", "LATERAL"), word, candidates);
    } else {
      for (FromItem item : items.isEmpty() ? all() : items) {
        for (String column : names.columns(item)) {
          add(quoted(column), column, item.alias(), candidates);
        }
        if (!item.alias().startsWith("'")) {
          candidates.add(
              new Candidate(quoted(item.alias()), item.alias(), null, "table", null, null, false));
        }
      }
      names
          .functions()
          .forEach(name -> words(Set.of(name.toUpperCase(Locale.ROOT)), word, candidates));
      words(CompletionWords.KEYWORDS, word, candidates);
    }
  }

  private static @Nullable SqlToken previous(List<SqlToken> tokens, int begin) {
    SqlToken previous = null;
    for (SqlToken token : tokens) {
      if (token.begin() < begin) {
        previous = token;
      }
    }
    return previous;
  }

  /** Behind FROM and its like, and behind a comma in the list of a FROM. */
  private static boolean wantsTable(List<SqlToken> tokens, SqlToken previous, int begin) {
    if (!previous.is(",")) {
      return CompletionWords.BEFORE_TABLES.contains(previous.upper());
    }
    boolean within = false;
    int depth = 0;
    for (SqlToken token : tokens) {
      if (token.begin() >= begin) {
        break;
      }
      if (token.is("FROM")) {
        within = true;
        depth = 0;
      } else if (CompletionWords.BEHIND_TABLES.contains(token.upper())) {
        within = false;
      } else if (token.is("(") || token.is(")")) {
        depth += token.is("(") ? 1 : -1;
      }
    }
    return within && depth == 0;
  }

  /** What may stand behind a name and a point: columns of a table, tables of a schema. */
  private void behind(String qualifier, List<FromItem> items, List<Candidate> candidates)
      throws SQLException {
    String[] parts = qualifier.replace("\"", "").split("\\.");
    String last = parts[parts.length - 1];
    for (FromItem item : items) {
      if (item.isCalled(last)) {
        for (String column : names.columns(item)) {
          add(qualifier + "." + quoted(column), column, "", candidates);
        }
        return;
      }
    }
    for (CompletionNames.NamedTable table : names.tables()) {
      if (table.schema().equalsIgnoreCase(last)) {
        add(qualifier + "." + quoted(table.name()), table.name(), "", candidates);
      }
    }
    if (candidates.isEmpty()) {
      unnamed(qualifier, last, candidates);
    }
  }

  /**
   * Columns of a table that the statement does not name yet: of that name, else of those that begin
   * like the alias.
   */
  private void unnamed(String qualifier, String alias, List<Candidate> candidates)
      throws SQLException {
    List<String> tables =
        names.tables().stream()
            .filter(table -> !table.system())
            .map(CompletionNames.NamedTable::name)
            .toList();
    List<String> chosen = tables.stream().filter(alias::equalsIgnoreCase).toList();
    if (chosen.isEmpty()) {
      String begin = alias.toLowerCase(Locale.ROOT);
      chosen =
          tables.stream().filter(name -> name.toLowerCase(Locale.ROOT).startsWith(begin)).toList();
    }
    for (String table : chosen.size() <= MOST_TABLES ? chosen : List.<String>of()) {
      for (String column : names.columns(new FromItem(List.of(table), table))) {
        add(qualifier + "." + quoted(column), column, table, candidates);
      }
    }
  }

  /** Where a statement has no FROM yet, columns of all tables, if they are few. */
  private List<FromItem> all() throws SQLException {
    List<FromItem> all =
        names.tables().stream()
            .filter(table -> !table.system())
            .map(table -> new FromItem(List.of(table.schema(), table.name()), table.name()))
            .toList();
    return all.size() <= MOST_TABLES ? all : List.of();
  }

  private void tables(List<Candidate> candidates) throws SQLException {
    Set<String> schemas = new TreeSet<>();
    for (CompletionNames.NamedTable table : names.tables()) {
      if (!table.system()) {
        add(quoted(table.name()), table.name(), table.schema(), candidates);
      }
      schemas.add(table.schema());
    }
    schemas.remove("");
    for (String schema : schemas) {
      candidates.add(
          new Candidate(quoted(schema) + ".", schema + ".", null, "schema", null, null, false));
    }
  }

  /** Files and folders whose path begins with what was typed. */
  private static void files(String typed, String head, String quote, List<Candidate> candidates) {
    int slash = typed.lastIndexOf('/');
    String folder = typed.substring(0, slash + 1);
    try {
      String place =
          folder.startsWith("~/") ? System.getProperty("user.home") + folder.substring(1) : folder;
      Path path = Path.of(place.isEmpty() ? "." : place);
      if (!Files.isDirectory(path)) {
        return;
      }
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
        for (Path entry : entries) {
          String name = entry.getFileName().toString();
          boolean inner = Files.isDirectory(entry);
          if (!name.startsWith(".") || typed.substring(slash + 1).startsWith(".")) {
            String value = folder + name + (inner ? "/" : "");
            String rest = value.startsWith(head) ? value.substring(head.length()) : value;
            candidates.add(
                new Candidate(
                    quote + rest + (inner ? "" : quote),
                    name + (inner ? "/" : ""),
                    null,
                    null,
                    null,
                    null,
                    !inner));
          }
        }
      }
    } catch (IOException | DirectoryIteratorException | InvalidPathException e) {
      // there is nothing to list
    }
  }

  /** Words in the letters that the user types. */
  private static void words(Collection<String> words, String typed, List<Candidate> candidates) {
    boolean capital = !typed.isEmpty() && Character.isUpperCase(typed.charAt(0));
    for (String word : words) {
      String value = capital ? word : word.toLowerCase(Locale.ROOT);
      candidates.add(new Candidate(value));
    }
  }

  private static String quoted(String name) {
    return PLAIN_NAME.matcher(name).matches() ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  private static void add(
      String value, String shown, String description, List<Candidate> candidates) {
    candidates.add(
        new Candidate(
            value, shown, null, description.isEmpty() ? null : description, null, null, true));
  }
}
