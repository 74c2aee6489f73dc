package io.aragonite.adapter.statement;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * A column of a connection's table, and what its values must be like.
 *
 * @param type bytes of lists, structs and maps
 * @param stored the type of these, or the same one
 * @param uuid whether its texts are UUIDs
 */
record TableColumn(String name, DataType type, NestedType stored, boolean uuid) {
  private static final NestedType ANY_TEXT =
      new NestedType.Scalar(DataType.of(TypeKind.VARCHAR, true));

  static List<TableColumn> of(CachedTable table) {
    List<TableColumn> columns = new ArrayList<>();
    for (int i = 0; i < table.columnNames().size(); i++) {
      FileColumn column = table.file().columns().get(i);
      NestedType nested = column.nested();
      DataType type = table.columnTypes().get(i);
      columns.add(
          new TableColumn(
              table.columnNames().get(i),
              type,
              nested == null ? new NestedType.Scalar(type) : nested,
              column.uuid()));
    }
    return columns;
  }

  /** A column as it is declared. */
  static TableColumn of(String name, NestedType type, boolean nullable) {
    return of(name, type, nullable, false);
  }

  private static TableColumn of(String name, NestedType type, boolean nullable, boolean uuid) {
    if (!(type instanceof NestedType.Scalar(DataType scalar))) {
      return new TableColumn(name, DataType.of(TypeKind.BINARY, nullable), type, false);
    }
    DataType declared = scalar.withNullable(nullable);
    return new TableColumn(name, declared, new NestedType.Scalar(declared), uuid);
  }

  /** A column of a type that a statement names. */
  static TableColumn declared(String name, RelDataType type, boolean nullable) {
    return of(name, NestedType.of(type), nullable, isUuid(type));
  }

  /** A column of a query's: the lengths of literals are no limits of what is inserted later. */
  static TableColumn unbounded(String name, RelDataType type) {
    NestedType stored = NestedType.of(type);
    if (isNull(stored)) {
      return of(name, ANY_TEXT, true); // no type, but texts can be inserted
    }
    boolean text = stored instanceof NestedType.Scalar(DataType scalar) && scalar.kind().isText();
    return of(name, text && !isUuid(type) ? ANY_TEXT : stored, true, isUuid(type));
  }

  /** Whether a column has nulls only. */
  static boolean isNull(NestedType type) {
    return type instanceof NestedType.Scalar(DataType scalar) && scalar.kind() == TypeKind.NULL;
  }

  private static boolean isUuid(RelDataType type) {
    return type.getSqlTypeName() == SqlTypeName.UUID;
  }

  /** A column of the same type with another name. */
  TableColumn as(String other, boolean nullable) {
    return of(other, stored, nullable, uuid);
  }

  static List<FileColumn> ofFile(List<TableColumn> columns) {
    return columns.stream()
        .map(column ->
            new FileColumn(
                column.name,
                column.type,
                column.stored.sqlName(),
                column.stored instanceof NestedType.Scalar ? null : column.stored,
                column.uuid))
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

  static AragoniteException unknown(String table, String column, List<String> names) {
    return new AragoniteException(
        ErrorCode.UNKNOWN_COLUMN,
        "Table \"%s\" has no column \"%s\"; it has %s."
            .formatted(table, column, String.join(", ", names)));
  }

  /**
   * Looks whether rows can be in the columns. Blanks at the ends of texts are cut off where they
   * are too many, as the standard has it, and those of a CHAR, whose padding counts nowhere.
   *
   * @throws AragoniteException NULL_NOT_ALLOWED, TEXT_TOO_LONG
   */
  static void fit(List<TableColumn> columns, VectorSchemaRoot rows) {
    for (int i = 0; i < columns.size(); i++) {
      columns.get(i).fit(rows.getVector(i), rows.getRowCount());
    }
  }

  private void fit(FieldVector vector, int rows) {
    if (!type.nullable() && rows > 0 && vector.getNullCount() > 0) {
      throw new AragoniteException(
          ErrorCode.NULL_NOT_ALLOWED,
          "Column \"%s\" is NOT NULL, and a row has no value there; give it one, or leave the row out."
              .formatted(name));
    }
    if (!type.kind().isText() || type.precision() < 0 || !(vector instanceof VarCharVector texts)) {
      return;
    }
    boolean fits = true;
    for (int row = 0; row < rows && fits; row++) {
      fits = texts.isNull(row) || fits(texts, row);
    }
    if (!fits) {
      try (VarCharVector fitted = new VarCharVector(texts.getField(), texts.getAllocator())) {
        fitted.allocateNew(rows);
        for (int row = 0; row < rows; row++) {
          if (!texts.isNull(row)) {
            byte[] text = texts.get(row);
            fitted.setSafe(row, text, 0, fitted(text));
          }
        }
        fitted.setValueCount(rows);
        fitted.makeTransferPair(texts).transfer();
      }
    }
  }

  /** Whether a text is kept as it is: it has no more characters than bytes. */
  private boolean fits(VarCharVector texts, int row) {
    int length = texts.getValueLength(row);
    long end = texts.getStartOffset(row) + (long) length;
    boolean padded =
        type.kind() == TypeKind.CHAR && length > 0 && texts.getDataBuffer().getByte(end - 1) == ' ';
    return length <= type.precision() && !padded;
  }

  /** How many bytes of a text are kept. */
  private int fitted(byte[] text) {
    int characters = 0;
    int kept = 0;
    for (int i = 0; i < text.length; i++) {
      characters += (text[i] & 0xC0) == 0x80 ? 0 : 1;
      boolean blank = text[i] == ' ';
      if (characters > type.precision() && !blank) {
        throw tooLong(new String(text, StandardCharsets.UTF_8));
      }
      boolean counts = type.kind() == TypeKind.CHAR ? !blank : characters <= type.precision();
      kept = counts ? i + 1 : kept;
    }
    return kept;
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
