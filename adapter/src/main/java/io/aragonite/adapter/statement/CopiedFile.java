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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * COPY of a file into a table, as an INSERT of what the file's reader yields. The columns of a
 * delimited file are those of the table by their places, and of their types; nothing is found out
 * from its values. The columns of other files have names.
 */
final class CopiedFile {
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
    CopyOptions options = CopyOptions.of(copy.file(), given);
    boolean delimited = options.format() == CopyFormat.CSV;
    if (delimited && !given.containsKey("header")) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "COPY FROM '%s' needs (header true) if the file begins with the names of its columns, or (header false) if it does not."
              .formatted(copy.file()));
    }
    String file = quoted(copy.file());
    String read =
        switch (options.format()) {
          case PARQUET -> "read_parquet(%s)".formatted(file);
          case ARROW -> "read_arrow(%s)".formatted(file);
          case JSON -> "read_json(%s)".formatted(file);
          case CSV ->
              "read_csv(%s, header = false, skip = %d, delim = %s, quote = %s, nullstr = %s, types = {%s})"
                  .formatted(
                      file,
                      options.header() ? 1 : 0,
                      quoted(String.valueOf(options.delimiter())),
                      quoted(String.valueOf(options.quote())),
                      quoted(options.nullText()),
                      types(copy, table));
        };
    return new Insert(
        copy.target(),
        null,
        delimited ? copy.columns() : List.of(),
        !delimited,
        switch (options.format()) {
          case PARQUET, ARROW -> "SELECT * FROM " + read;
          case JSON, CSV -> bytes("SELECT * FROM " + read, table, session);
        },
        new OnConflict.RaiseError(),
        List.of());
  }

  /** A query of a file of texts, in which bytes are hexadecimal. */
  private static String bytes(String query, CachedTable table, Session session) {
    List<TableColumn> kept = TableColumn.of(table);
    if (kept.stream().noneMatch(CopiedFile::isBytes)) {
      return query;
    }
    List<String> names = table.columnNames();
    List<String> read = QueryBatches.rowType(session.query(query)).getFieldNames();
    List<String> values = new ArrayList<>();
    for (String name : read) {
      int place = TableColumn.find(names, name);
      String quoted = WriteScope.quoted(session, name);
      values.add(
          place >= 0 && isBytes(kept.get(place))
              ? "UNHEX(CAST(%s AS VARCHAR)) AS %s".formatted(quoted, quoted)
              : quoted);
    }
    return "SELECT %s FROM (%s)".formatted(String.join(", ", values), query);
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
