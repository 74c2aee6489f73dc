package io.aragonite.adapter.statement;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** A column of a connection's table, and what its values must be like. */
record TableColumn(String name, DataType type) {
  static List<TableColumn> of(CachedTable table) {
    List<TableColumn> columns = new ArrayList<>();
    for (int i = 0; i < table.columnNames().size(); i++) {
      columns.add(new TableColumn(table.columnNames().get(i), table.columnTypes().get(i)));
    }
    return columns;
  }

  static List<FileColumn> ofFile(List<TableColumn> columns) {
    return columns.stream()
        .map(column -> new FileColumn(column.name, column.type, column.type.toString()))
        .toList();
  }

  /** The place of a name, whatever its case; -1 if there is none. */
  static int find(List<String> names, String name) {
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).equalsIgnoreCase(name)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * @throws AragoniteException NULL_NOT_ALLOWED, TEXT_TOO_LONG
   */
  static void check(List<TableColumn> columns, VectorSchemaRoot rows) {
    for (int i = 0; i < columns.size(); i++) {
      columns.get(i).check(rows.getVector(i), rows.getRowCount());
    }
  }

  private void check(FieldVector vector, int rows) {
    if (!type.nullable() && rows > 0 && vector.getNullCount() > 0) {
      throw new AragoniteException(
          ErrorCode.NULL_NOT_ALLOWED,
          "Column \"%s\" is NOT NULL, and a row has no value there; give it one, or leave the row out."
              .formatted(name));
    }
    if (!type.kind().isText() || type.precision() < 0 || !(vector instanceof VarCharVector texts)) {
      return;
    }
    for (int row = 0; row < rows; row++) {
      // A text has no more characters than bytes.
      if (!texts.isNull(row) && texts.getValueLength(row) > type.precision()) {
        String text = new String(texts.get(row), StandardCharsets.UTF_8);
        if (text.codePointCount(0, text.length()) > type.precision()) {
          throw tooLong(text);
        }
      }
    }
  }

  private AragoniteException tooLong(String text) {
    int shown = text.offsetByCodePoints(0, Math.min(20, text.codePointCount(0, text.length())));
    return new AragoniteException(
        ErrorCode.TEXT_TOO_LONG,
        "'%s' is too long for column \"%s\", which is %s; shorten it, or create the table with VARCHAR."
            .formatted(
                text.substring(0, shown) + (shown < text.length() ? "…" : ""),
                name,
                type.withNullable(true)));
  }
}
