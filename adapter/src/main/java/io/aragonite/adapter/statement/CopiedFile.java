package io.aragonite.adapter.statement;

import io.aragonite.adapter.copy.CopyFormat;
import io.aragonite.adapter.copy.CopyOptions;
import io.aragonite.adapter.ddl.TableStatement.CopyFrom;
import io.aragonite.adapter.ddl.TableStatement.Insert;
import io.aragonite.adapter.ddl.TableStatement.OnConflict;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.result.QueryBatches;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * COPY of a file into a table, as an INSERT of what the file's reader yields. The columns of a
 * delimited file are those of the table by their places, and of their types; nothing is found out
 * from its values. The columns of other files have names.
 */
final class CopiedFile {
  private static final Set<CopyFormat> LENIENT = EnumSet.of(CopyFormat.CSV, CopyFormat.JSON);

  private CopiedFile() {}

  /**
   * The INSERT.
   *
   * @param session asked for the columns of the file
   * @throws AragoniteException INVALID_ARGUMENT, naming the option that is wrong
   */
  static Insert insert(CopyFrom copy, CachedTable table, Session session) {
    Map<String, List<String>> given = new TreeMap<>(copy.options());
    given.remove("auto_detect");
    List<String> ignoring = given.remove("ignore_errors");
    CopyOptions options = CopyOptions.of(copy.file(), given);
    if (ignoring != null && !LENIENT.contains(options.format())) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT, "ignore_errors is an option of the formats csv and json.");
    }
    boolean ignore = ignoring != null && CopyOptions.flag("ignore_errors", ignoring);
    String more = ignore ? ", ignore_errors = true" : "";
    boolean delimited = options.format() == CopyFormat.CSV;
    if (delimited && !given.containsKey("header")) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "COPY FROM '%s' needs (header true) if the file begins with the names of its columns, or (header false) if it does not."
              .formatted(copy.file()));
    }
    String file = quoted(copy.file());
    String query =
        switch (options.format()) {
          case PARQUET -> "SELECT * FROM read_parquet(%s)".formatted(file);
          case ARROW -> "SELECT * FROM read_arrow(%s)".formatted(file);
          case JSON -> json(file, more, copy, table, session);
          case CSV -> csv(file, more, options, copy, table, session);
        };
    return new Insert(
        copy.target(),
        null,
        delimited ? copy.columns() : List.of(),
        !delimited,
        query,
        new OnConflict.RaiseError(),
        List.of());
  }

  private static String csv(
      String file,
      String more,
      CopyOptions options,
      CopyFrom copy,
      CachedTable table,
      Session session) {
    String query =
        "SELECT * FROM read_csv(%s, header = false, skip = %d, delim = %s, quote = %s, nullstr = %s, types = {%s}%s)"
            .formatted(
                file,
                options.header() ? 1 : 0,
                quoted(String.valueOf(options.delimiter())),
                quoted(String.valueOf(options.quote())),
                quoted(options.nullText()),
                types(copy, table),
                more);
    return TableColumn.of(table).stream().anyMatch(CopiedFile::isBytes)
        ? values(query, columns(query, session), table, session)
        : query;
  }

  private static List<RelDataTypeField> columns(String query, Session session) {
    return QueryBatches.rowType(session.query(query)).getFieldList();
  }

  /**
   * A query of a file of JSON. A sample takes numbers with points for doubles, which hold fewer
   * digits than decimals and texts: those are read as they are written.
   */
  private static String json(
      String file, String more, CopyFrom copy, CachedTable table, Session session) {
    List<RelDataTypeField> read =
        columns("SELECT * FROM read_json(%s%s)".formatted(file, more), session);
    List<String> names = table.columnNames();
    for (String column : copy.columns()) {
      if (TableColumn.find(names, column) < 0) {
        throw TableColumn.unknown(copy.target(), column, names);
      }
    }
    List<TableColumn> kept = TableColumn.of(table);
    List<RelDataTypeField> taken = new ArrayList<>();
    List<String> types = new ArrayList<>();
    for (RelDataTypeField field : read) {
      int place = TableColumn.find(names, field.getName());
      if (place < 0
          || !copy.columns().isEmpty() && TableColumn.find(copy.columns(), field.getName()) < 0) {
        continue; // as keys that only later objects have
      }
      taken.add(field);
      String type = readAs(kept.get(place), field);
      if (type != null) {
        types.add(quoted(field.getName()) + ": " + quoted(type));
      }
    }
    if (taken.isEmpty()) {
      throw new AragoniteException(
          ErrorCode.UNKNOWN_COLUMN,
          "No object at the beginning of %s has a key that is a column of \"%s\"; it has %s."
              .formatted(
                  file,
                  copy.target(),
                  String.join(", ", read.stream().map(RelDataTypeField::getName).toList())));
    }
    String options = types.isEmpty() ? "" : ", types = {%s}".formatted(String.join(", ", types));
    String query = "SELECT * FROM read_json(%s%s%s)".formatted(file, options, more);
    return values(query, taken, table, session);
  }

  /** The type that a file's column is read as for a table's column; null: as the sample has it. */
  private static @Nullable String readAs(TableColumn column, RelDataTypeField field) {
    if (!(column.stored() instanceof NestedType.Scalar(DataType type))) {
      return nested(column.stored(), field.getType());
    }
    return switch (type.kind()) {
      case CHAR, VARCHAR, BINARY, DECIMAL -> "VARCHAR"; // a cast rounds what has too many digits
      case FLOAT32, FLOAT64 -> CastQuery.sqlType(type);
      case INT8, INT16, INT32, INT64 -> isFloating(field) ? "VARCHAR" : null;
      default -> null;
    };
  }

  /**
   * A table's type as files of JSON are read, so that keys which the sample lacks are read too, and
   * others left out; null if there is none.
   *
   * @param sampled the type that the sample has in its place
   */
  private static @Nullable String nested(NestedType type, @Nullable RelDataType sampled) {
    return switch (type) {
      case NestedType.Scalar(DataType scalar) -> part(scalar, sampled);
      case NestedType.Listed list -> {
        String element =
            nested(list.element(), sampled == null ? null : sampled.getComponentType());
        yield element == null ? null : element + "[]";
      }
      case NestedType.Mapped map -> {
        boolean texts = map.key() instanceof NestedType.Scalar(DataType key) && key.kind().isText();
        String value = nested(map.value(), sampled == null ? null : sampled.getValueType());
        yield value == null || !texts ? null : "MAP(VARCHAR, %s)".formatted(value);
      }
      case NestedType.Struct struct -> {
        Map<String, String> fields = new LinkedHashMap<>();
        for (NestedType.Field field : struct.fields()) {
          RelDataTypeField found =
              sampled == null || !sampled.isStruct()
                  ? null
                  : sampled.getField(field.name(), false, false);
          String part = nested(field.type(), found == null ? null : found.getType());
          if (part == null) {
            yield null;
          }
          fields.put('"' + field.name().replace("\"", "\"\"") + '"', part);
        }
        yield fields.entrySet().stream()
            .map(field -> field.getKey() + " " + field.getValue())
            .collect(Collectors.joining(", ", "STRUCT(", ")"));
      }
    };
  }

  /** That of a value in a list, struct or map, which is cast to what the table has. */
  private static @Nullable String part(DataType type, @Nullable RelDataType sampled) {
    return switch (type.kind()) {
      case CHAR, VARCHAR, DECIMAL -> "VARCHAR"; // a cast rounds what has too many digits
      case INT8, INT16, INT32, INT64 ->
          sampled != null && sampled.getSqlTypeName() == SqlTypeName.DOUBLE
              ? "DOUBLE"
              : CastQuery.sqlType(type);
      case BOOLEAN, FLOAT32, FLOAT64, DATE -> CastQuery.sqlType(type);
      case TIME, TIMESTAMP -> type.kind().sqlName();
      default -> null;
    };
  }

  private static boolean isFloating(RelDataTypeField field) {
    return field.getType().getSqlTypeName() == SqlTypeName.DOUBLE;
  }

  /**
   * The query of a file of texts, in which bytes are hexadecimal, and whole numbers may have
   * fractions.
   *
   * @param read the columns as a sample has them
   */
  private static String values(
      String query, List<RelDataTypeField> read, CachedTable table, Session session) {
    List<TableColumn> kept = TableColumn.of(table);
    List<String> values = new ArrayList<>();
    for (RelDataTypeField field : read) {
      int place = TableColumn.find(table.columnNames(), field.getName());
      String quoted = WriteScope.quoted(session, field.getName());
      String format = place < 0 ? "%s" : format(kept.get(place), field);
      values.add(format.formatted(quoted) + " AS " + quoted);
    }
    return "SELECT %s FROM (%s)".formatted(String.join(", ", values), query);
  }

  private static String format(TableColumn column, RelDataTypeField field) {
    if (isBytes(column)) {
      return "UNHEX(CAST(%s AS VARCHAR))";
    }
    return column.stored() instanceof NestedType.Scalar(DataType type)
            && type.kind().isInteger()
            && isFloating(field)
        ? "CAST(%s AS DECIMAL(38, 19))" // all the digits of a BIGINT
        : "%s";
  }

  private static boolean isBytes(TableColumn column) {
    return column.stored() instanceof NestedType.Scalar(DataType type)
        && type.kind() == TypeKind.BINARY;
  }

  private static String types(CopyFrom copy, CachedTable table) {
    List<TableColumn> columns = TableColumn.of(table);
    List<String> names = table.columnNames();
    List<String> read = copy.columns().isEmpty() ? names : copy.columns();
    return read.stream()
        .map(name -> {
          int place = TableColumn.find(names, name);
          if (place < 0) {
            throw TableColumn.unknown(copy.target(), name, names);
          }
          TableColumn column = columns.get(place);
          if (!(column.stored() instanceof NestedType.Scalar)) {
            throw new AragoniteException(
                ErrorCode.INVALID_ARGUMENT,
                "Column \"%s\" has lists, structs or maps, which a delimited file has not; COPY a Parquet or JSON file."
                    .formatted(name));
          }
          return quoted(column.name())
              + ": "
              + quoted(isBytes(column) ? "VARCHAR" : CastQuery.sqlType(column.type()));
        })
        .collect(Collectors.joining(", "));
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
