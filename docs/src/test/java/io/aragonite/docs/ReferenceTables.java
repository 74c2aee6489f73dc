package io.aragonite.docs;

import io.aragonite.adapter.cli.Main;
import io.aragonite.adapter.options.AragoniteProperty;
import io.aragonite.adapter.sql.function.CommonFunctions;
import io.aragonite.adapter.sql.function.FunctionForms;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.settings.SettingsProperty;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.calcite.sql.SqlOperator;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The tables of docs/reference.md that are made from the code, in Markdown. */
final class ReferenceTables {
  private ReferenceTables() {}

  /** The tables by the names that they have in the page. */
  static Map<String, String> all() {
    Map<String, String> tables = new LinkedHashMap<>();
    tables.put("properties", properties());
    tables.put("settings", settings());
    tables.put("commands", commands());
    tables.put("operations", operations());
    tables.put("errors", errors());
    return tables;
  }

  /** The tables of docs/sql.md. */
  static Map<String, String> sql() {
    Map<String, String> tables = new LinkedHashMap<>();
    tables.put("forms", functions(FunctionForms.names()));
    tables.put(
        "functions", functions(CommonFunctions.own().stream().map(SqlOperator::getName).toList()));
    return tables;
  }

  private static String functions(Collection<String> names) {
    return names.stream()
            .map(name -> code(name.toLowerCase(Locale.ROOT)))
            .distinct()
            .sorted()
            .collect(Collectors.joining(", "))
        + "\n";
  }

  private static String row(String... cells) {
    return "| "
        + Arrays.stream(cells)
            .map(cell -> cell.replace("|", "\\|"))
            .collect(Collectors.joining(" | "))
        + " |\n";
  }

  private static String code(String text) {
    return text.isEmpty() ? "" : "`" + text + "`";
  }

  private static String properties() {
    StringBuilder text =
        new StringBuilder(row("property", "default", "meaning") + "|---|---|---|\n");
    for (AragoniteProperty property : AragoniteProperty.values()) {
      Object value = property.defaultValue();
      text.append(
          row(
              code(property.camelName()),
              value == null ? "" : code(value.toString()),
              property.description()));
    }
    return text.toString();
  }

  private static String errors() {
    StringBuilder text =
        new StringBuilder(row("code", "name", "kind", "SQLSTATE") + "|---|---|---|---|\n");
    for (ErrorCode code : ErrorCode.values()) {
      text.append(row(code.code(), code.name(), code.kind().name(), code.sqlState()));
    }
    return text.toString();
  }

  private static String settings() {
    StringBuilder text = new StringBuilder(row("system property", "values", "default", "meaning"));
    text.append("|---|---|---|---|\n");
    for (SettingsProperty property : SettingsProperty.values()) {
      text.append(
          row(code(property.key()), property.allowed(), code(property.usual()), property.text()));
    }
    return text.toString();
  }

  private static String commands() {
    StringBuilder text = new StringBuilder();
    CommandLine main = Main.commandLine();
    List<OptionSpec> shared = new ArrayList<>(subcommand(main, "sql").options());
    shared.removeIf(
        option -> subcommand(main, "serve").options().stream().noneMatch(o -> same(o, option)));
    text.append(
        "Of all that open a connection (`sql`, `shell`, `serve`, `tpch`, `tpcds`, `doctor`):\n\n");
    options(text, shared);
    commands(text, "", main, shared);
    return text.toString();
  }

  private static CommandLine.Model.CommandSpec subcommand(CommandLine main, String name) {
    return main.getSubcommands().get(name).getCommandSpec();
  }

  private static boolean same(OptionSpec a, OptionSpec b) {
    return Arrays.equals(a.names(), b.names());
  }

  private static void commands(
      StringBuilder text, String prefix, CommandLine command, List<OptionSpec> shared) {
    command
        .getSubcommands()
        .forEach((name, sub) -> {
          if (sub.getCommandSpec().usageMessage().hidden()) {
            return; // not for users
          }
          if (sub.getSubcommands().isEmpty()) {
            List<OptionSpec> own = new ArrayList<>(sub.getCommandSpec().options());
            if (own.stream().anyMatch(option -> option.longestName().equals("--url"))) {
              own.removeIf(option -> shared.stream().anyMatch(s -> same(s, option)));
            }
            text.append("\n`").append(prefix).append(name).append("`: ");
            text.append(String.join(" ", sub.getCommandSpec().usageMessage().description()));
            if (name.equals("shell")) {
              own.clear(); // those of sql
            }
            text.append(own.isEmpty() ? "\n" : "\n\n");
            options(text, own);
          } else {
            commands(text, prefix + name + " ", sub, shared);
          }
        });
  }

  private static void options(StringBuilder text, List<OptionSpec> options) {
    List<OptionSpec> told =
        options.stream().filter(o -> !o.usageHelp() && !o.versionHelp()).toList();
    if (told.isEmpty()) {
      return;
    }
    text.append(row("option", "meaning")).append("|---|---|\n");
    for (OptionSpec option : told) {
      String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
      text.append(row(code(String.join(", ", option.names()) + value), description(option)));
    }
  }

  private static String description(OptionSpec option) {
    String completions =
        option.completionCandidates() == null
            ? ""
            : String.join(", ", option.completionCandidates());
    return String.join(" ", option.description())
        .replace("${DEFAULT-VALUE}", String.valueOf(option.defaultValueString()))
        .replace("${COMPLETION-CANDIDATES}", completions)
        .replace("%%", "%");
  }

  private static String operations() {
    return row("kind", "operations")
        + "|---|---|\n"
        + row("scalar", names(Op.values()))
        + row("aggregate", names(AggregateFunction.values()))
        + row("window", names(WindowCall.Function.values()));
  }

  private static String names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).collect(Collectors.joining(", "));
  }
}
