package io.aragonite.adapter.statement;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What scripts for other databases do beside queries, and what is done here all the time or never
 * needed: {@code ANALYZE} of all tables, {@code VACUUM}, {@code CHECKPOINT}, and {@code INSTALL}
 * and {@code LOAD} of what is built in.
 */
record MaintenanceStatement() implements SessionSetting {
  private static final Pattern UPKEEP =
      Pattern.compile(
          "\\s*(?:ANALYZE|(?:VACUUM(?:\\s+(?:ANALYZE|FULL))?|(?:FORCE\\s+)?CHECKPOINT)(?:\\s+[\\w.\"]+)?)\\s*",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern EXTENSION =
      Pattern.compile(
          "\\s*(?:(?:FORCE\\s+)?INSTALL|LOAD)\\s+['\"]?(\\w+)['\"]?(?:\\s+FROM\\s+\\w+)?\\s*",
          Pattern.CASE_INSENSITIVE);

  private static final Set<String> BUILT_IN =
      Set.of("arrow", "core_functions", "httpfs", "iceberg", "icu", "json", "parquet");

  /** Null if a statement is none of these. */
  static @Nullable MaintenanceStatement of(String sql) {
    if (UPKEEP.matcher(sql).matches()) {
      return new MaintenanceStatement();
    }
    Matcher extension = EXTENSION.matcher(sql);
    if (!extension.matches()) {
      return null;
    }
    String name = extension.group(1).toLowerCase(Locale.ROOT);
    if (!BUILT_IN.contains(name)) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "There are no extensions to install or load, and \"%s\" is not built in; %s are."
              .formatted(
                  extension.group(1), String.join(", ", BUILT_IN.stream().sorted().toList())));
    }
    return new MaintenanceStatement();
  }

  @Override
  public void apply(Session session) {
    // statistics are made as tables are read, and rows that are deleted leave nothing behind
  }
}
