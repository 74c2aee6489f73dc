package io.aragonite.adapter.statement;

import io.aragonite.adapter.ddl.TableStatement.Insert;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** The columns that statements on tables name, and what is wrong with them. */
final class NamedColumns {
  private NamedColumns() {}

  static void requireDistinct(String table, List<String> names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name.toLowerCase(Locale.ROOT))) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "Table \"%s\" would have two columns \"%s\"; give one of them another name."
                .formatted(table, name));
      }
    }
  }

  /** Rows are left out for any key that they have, so that a key is named only if it is alone. */
  static void requireOnlyKey(Insert insert, TableRules rules, List<TableColumn> columns) {
    if (insert.conflict().isEmpty()) {
      return;
    }
    Set<String> named = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    named.addAll(insert.conflict());
    Set<String> key = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    if (rules.keys().size() == 1) {
      rules.keys().getFirst().columns().forEach(column -> key.add(columns.get(column).name()));
    }
    if (!named.equals(key)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "(%s) is not the only key of table \"%s\", as ON CONFLICT wants it; without columns, ON CONFLICT DO NOTHING is of all keys."
              .formatted(String.join(", ", insert.conflict()), insert.target()));
    }
  }

  /** The places of an INSERT's columns in the table. */
  static List<Integer> places(Insert insert, CachedTable table) {
    List<String> names = table.columnNames();
    List<Integer> places = new ArrayList<>();
    for (String column : insert.columns()) {
      int place = TableColumn.find(names, column);
      if (place < 0) {
        throw TableColumn.unknown(insert.target(), column, names);
      }
      places.add(place);
    }
    requireDistinct(insert.target(), insert.columns());
    if (places.isEmpty()) {
      places.addAll(places(names.size()));
    }
    return places;
  }

  static List<Integer> places(int columns) {
    return IntStream.range(0, columns).boxed().toList();
  }

  static AragoniteException counts(String table, int columns, int given) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        "%d columns of \"%s\" are wanted, and the query has %d.".formatted(columns, table, given));
  }
}
