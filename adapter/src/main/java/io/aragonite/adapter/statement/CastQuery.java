package io.aragonite.adapter.statement;

import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.sql.parse.InsertedValues;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Values in the types of a table's columns, as SQL. */
final class CastQuery {
  private static final String ALIAS = InsertedValues.ALIAS;

  private CastQuery() {}

  /**
   * A query's columns in other types and places; what has no place is the default. Lists, structs
   * and maps are as they were, and become what the table has when they are stored, but for some.
   *
   * @param places of the query's columns in the table
   * @param cast whether the list, struct or map of a column is cast
   * @param quoted puts a name into quotes
   */
  static String of(
      String query,
      List<Integer> places,
      List<TableColumn> columns,
      TableRules rules,
      IntPredicate cast,
      UnaryOperator<String> quoted) {
    List<String> values = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      names.add(ALIAS + i);
    }
    for (int i = 0; i < columns.size(); i++) {
      TableColumn column = columns.get(i);
      int from = places.indexOf(i);
      String given = rules.defaultOf(i);
      String value = from >= 0 ? ALIAS + from : given == null ? "NULL" : "(" + given + "\n)";
      String typed =
          column.stored() instanceof NestedType.Scalar || cast.test(i)
              ? "CAST(%s AS %s)".formatted(value, sqlType(column, quoted))
              : value;
      values.add(typed + " AS " + quoted.apply(column.name()));
    }
    return "SELECT %s FROM (%s\n) AS %s (%s)"
        .formatted(String.join(", ", values), query, ALIAS, String.join(", ", names));
  }

  /** The cast of a value to a column's type, as a format of it. */
  static String format(TableColumn column) {
    return column.stored() instanceof NestedType.Scalar
        ? "CAST((%s) AS " + sqlType(column, UnaryOperator.identity()) + ")"
        : "(%s)";
  }

  /**
   * The cast of a value to the list, struct or map of a column, as a format of it.
   *
   * @param quoted puts the name of a field into quotes
   */
  static String nested(TableColumn column, UnaryOperator<String> quoted) {
    return "CAST((%s) AS " + sqlType(column, quoted).replace("%", "%%") + ")";
  }

  /**
   * A column's type as a statement has it.
   *
   * @param quoted puts the name of a field into quotes
   */
  static String sqlType(TableColumn column, UnaryOperator<String> quoted) {
    return column.uuid() ? "UUID" : sqlType(column.stored(), quoted);
  }

  /**
   * A type as a statement has it.
   *
   * @param quoted puts the name of a field into quotes
   */
  static String sqlType(NestedType type, UnaryOperator<String> quoted) {
    return switch (type) {
      case NestedType.Scalar(DataType scalar) -> sqlType(scalar);
      case NestedType.Listed list -> sqlType(list.element(), quoted) + " ARRAY";
      case NestedType.Mapped map ->
          "MAP<%s, %s>".formatted(sqlType(map.key(), quoted), sqlType(map.value(), quoted));
      case NestedType.Struct struct ->
          struct.fields().stream()
              .map(field -> quoted.apply(field.name()) + " " + sqlType(field.type(), quoted))
              .collect(Collectors.joining(", ", "ROW(", ")"));
    };
  }

  /** Lengths of texts are checked when rows are written: a cast cuts them. */
  static String sqlType(DataType type) {
    return switch (type.kind()) {
      case CHAR, VARCHAR -> "VARCHAR";
      case BINARY -> "VARBINARY";
      case DECIMAL -> "DECIMAL(%d, %d)".formatted(type.precision(), type.scale());
      case TIME, TIMESTAMP -> "%s(%d)".formatted(type.kind(), type.precision());
      case INSTANT -> "TIMESTAMP(%d) WITH TIME ZONE".formatted(type.precision());
      case INTERVAL_DAY -> "INTERVAL DAY(10) TO SECOND(3)";
      case INTERVAL_MONTH -> "INTERVAL YEAR(9) TO MONTH";
      default -> type.kind().sqlName();
    };
  }
}
