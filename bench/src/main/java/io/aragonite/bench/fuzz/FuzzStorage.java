package io.aragonite.bench.fuzz;

import io.aragonite.bench.fuzz.FuzzTable.FuzzColumn;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where we find the rows of a table, which DuckDB has in memory.
 *
 * @param kind of files
 * @param forms options of COPY for each file
 * @param column that folders are named after; elsewhere null
 */
record FuzzStorage(StorageKind kind, List<String> forms, @Nullable String column) {
  /** Kinds of files, and how they become tables. */
  enum StorageKind {
    /** A Parquet file, or a folder of some, in the connection's directory. */
    DIRECTORY,
    /** A Parquet file of ours, with pages of few rows, in the directory. */
    PAGES,
    /** Parquet files whose columns are not all the same, by their paths. */
    PARTS,
    /** Parquet files in folders {@code key=value}, by their paths. */
    HIVE,
    /** A delimited file with declared types, in the directory. */
    CSV,
    /** JSON objects, by the file's path. */
    JSON,
    /** An Arrow file of ours, in the directory. */
    ARROW,
    /** A table of the connection. */
    OWN
  }

  /** One Parquet file in the directory. */
  static final FuzzStorage PARQUET = new FuzzStorage(StorageKind.DIRECTORY, List.of("format parquet"), null);

  /** Kinds in the parts in which they are drawn. */
  private static final List<StorageKind> DRAWN =
      List.of(
          StorageKind.DIRECTORY, StorageKind.DIRECTORY, StorageKind.DIRECTORY, StorageKind.PAGES, StorageKind.PAGES, StorageKind.PARTS,
          StorageKind.HIVE, StorageKind.CSV, StorageKind.JSON, StorageKind.ARROW, StorageKind.OWN);

  private static final List<String> CODECS = List.of("uncompressed", "snappy", "zstd", "gzip", "lz4_raw");
  private static final int MOST_FOLDERS = 12;
  private static final List<String> NARROWER = List.of("tinyint", "smallint", "integer");

  /** DuckDB's type of a text that all of a folder's values could be is not VARCHAR. */
  private static final Predicate<String> SURELY_TEXT = value -> value.matches("'[a-z].*");

  /** Draws one that can hold a table's rows. */
  static FuzzStorage make(Random random, List<FuzzColumn> columns, boolean nested, List<List<String>> rows) {
    FuzzChoice choice = new FuzzChoice(random);
    StorageKind kind = choice.any(DRAWN);
    return switch (kind) {
      case CSV, JSON -> nested ? new FuzzStorage(StorageKind.ARROW, List.of(""), null) : new FuzzStorage(kind, List.of(choice.any(List.of("", "ours"))), null);
      case ARROW, OWN -> new FuzzStorage(kind, List.of(""), null);
      case PAGES -> new FuzzStorage(kind, List.of("format parquet, compression " + choice.any(List.of("none", "snappy", "zstd", "gzip", "lz4_raw"))), null);
      case PARTS -> new FuzzStorage(kind, forms(choice, 2 + random.nextInt(3)), null);
      case HIVE -> {
        List<String> keys = keys(columns, rows);
        yield keys.isEmpty() ? new FuzzStorage(StorageKind.PARTS, forms(choice, 2), null) : new FuzzStorage(kind, forms(choice, 1), choice.any(keys));
      }
      case DIRECTORY -> new FuzzStorage(kind, forms(choice, choice.chance(25) ? 2 + random.nextInt(2) : 1), null);
    };
  }

  /** Whether each connection to the directory has the table, without a statement of its own. */
  boolean inDirectory() {
    return switch (kind) {
      case DIRECTORY, PAGES, CSV, ARROW -> true;
      case PARTS, HIVE, JSON, OWN -> false;
    };
  }

  private static List<String> forms(FuzzChoice choice, int files) {
    return IntStream.range(0, files).mapToObj(file -> form(choice)).toList();
  }

  /** With dictionaries or without, in the encodings of either version, by each codec. */
  private static String form(FuzzChoice choice) {
    return "format parquet"
        + (choice.chance(50) ? ", parquet_version v2" : "")
        + (choice.chance(50) ? ", compression " + choice.any(CODECS) : "")
        + (choice.chance(33) ? ", dictionary_size_limit " + choice.random().nextInt(10) : "")
        + (choice.chance(50) ? ", row_group_size " + (7 + choice.random().nextInt(200)) : "");
  }

  /** Columns of few values that folders can be named after, whose types the names tell. */
  private static List<String> keys(List<FuzzColumn> columns, List<List<String>> rows) {
    List<String> keys = new ArrayList<>();
    for (int i = 1; i < columns.size(); i++) {
      int column = i;
      Set<String> values = rows.stream().map(row -> row.get(column)).filter(value -> !value.equals("null")).collect(Collectors.toSet());
      boolean told =
          switch (columns.get(i).type()) {
            case INTEGER -> columns.get(i).sqlType().equals("bigint");
            case DATE -> true;
            case VARCHAR -> values.stream().anyMatch(SURELY_TEXT) && !values.contains("''");
            default -> false;
          };
      if (told && !values.isEmpty() && values.size() <= MOST_FOLDERS) {
        keys.add(columns.get(i).name());
      }
    }
    return keys;
  }

  /** DuckDB's statements that write it, or what {@link #copiedByUs} reads. */
  List<String> writtenByDuckDb(FuzzTable table, Path directory, Path apart) {
    return switch (kind) {
      case DIRECTORY -> {
        List<String> copies = new ArrayList<>();
        for (int file = 0; file < forms.size(); file++) {
          String name = forms.size() == 1 ? table.name() + ".parquet" : table.name() + "/part" + file + ".parquet";
          copies.add(copy(grouped(table, "*", "id %% %d = %d".formatted(forms.size(), file), forms.get(file)), directory.resolve(name), forms.get(file)));
        }
        yield copies;
      }
      case PARTS -> {
        List<String> copies = new ArrayList<>();
        for (int file = 0; file < forms.size(); file++) {
          copies.add(copy(grouped(table, columns(table, file), "id %% %d = %d".formatted(forms.size(), file), forms.get(file)), apart.resolve("part" + file + ".parquet"), forms.get(file)));
        }
        copies.add(copy("select * from %s where false".formatted(table.name()), apart.resolve("z.parquet"), "format parquet"));
        yield copies;
      }
      case HIVE -> List.of(copy("select * from " + table.name() + " order by id", apart.resolve("h"), forms.get(0).replaceAll(", row_group_size \\d+", "") + ", partition_by (" + column + ")"));
      case CSV, JSON -> List.of(forms.get(0).isEmpty() ? copy("select * from " + table.name(), file(table, directory, apart), options()) : source(table, apart));
      case PAGES, ARROW, OWN -> List.of(source(table, apart));
    };
  }

  private static String source(FuzzTable table, Path apart) {
    return copy("select * from " + table.name() + " order by id", apart.resolve("rows.parquet"), "format parquet");
  }

  /** Our statement that writes it; null where DuckDB has written it, or nothing is written. */
  @Nullable String copiedByUs(FuzzTable table, Path directory, Path apart) {
    boolean ours = kind == StorageKind.PAGES || kind == StorageKind.ARROW || forms.get(0).equals("ours");
    return ours ? copy("select * from " + literal(apart.resolve("rows.parquet")), file(table, directory, apart), kind == StorageKind.PAGES ? forms.get(0) : options()) : null;
  }

  private String options() {
    return switch (kind) {
      case CSV -> "format csv, header true, nullstr '\\N'";
      case JSON -> "format json";
      default -> "format arrow";
    };
  }

  private Path file(FuzzTable table, Path directory, Path apart) {
    return switch (kind) {
      case CSV -> directory.resolve(table.name() + ".csv");
      case JSON -> apart.resolve("rows.json");
      case ARROW -> directory.resolve(table.name() + ".arrow");
      default -> directory.resolve(table.name() + ".parquet");
    };
  }

  /** What is declared beside the file; null where nothing is. */
  @Nullable String declared(FuzzTable table) {
    return kind != StorageKind.CSV
        ? null
        : table.columns().stream()
            .map(column -> "{\"name\": \"%s\", \"type\": \"%s\"}".formatted(column.name(), declaredType(column)))
            .collect(Collectors.joining(", ", "{\"null\": [\"\\\\N\"], \"columns\": [", "]}"));
  }

  private static String declaredType(FuzzColumn column) {
    return column.type() == FuzzType.UUID ? "varchar" : column.sqlType();
  }

  /** Our statement with which a connection gets the table; null where its directory has it. */
  @Nullable String opened(FuzzTable table, Path apart) {
    String view = "create view " + table.name() + " as select " + table.columnNames() + " from ";
    return switch (kind) {
      case PARTS -> view + literal(apart.resolve("*.parquet"));
      case HIVE -> view + literal(apart.resolve("h/**/*.parquet"));
      case JSON -> view + "read_json(%s, columns => {%s})"
          .formatted(
              literal(apart.resolve("rows.json")),
              table.columns().stream().map(column -> "'" + column.name() + "': '" + declaredType(column) + "'").collect(Collectors.joining(", ")));
      case OWN -> "create table %s as select * from %s".formatted(table.name(), literal(apart.resolve("rows.parquet")));
      case DIRECTORY, PAGES, CSV, ARROW -> null;
    };
  }

  /** A query by slices, each of which becomes a row group. */
  private static String grouped(FuzzTable table, String columns, String rows, String form) {
    String select = "select %s from %s where %s".formatted(columns, table.name(), rows);
    int at = form.indexOf("row_group_size ");
    int most = at < 0 ? 0 : Integer.parseInt(form.substring(at + "row_group_size ".length()));
    if (most == 0 || table.rows().size() <= most) {
      return select + " order by id";
    }
    return IntStream.rangeClosed(0, table.rows().size() / most)
        .mapToObj(slice -> "(%s and id >= %d and id < %d order by id)".formatted(select, slice * most, (slice + 1) * most))
        .collect(Collectors.joining(" union all "));
  }

  /** Columns of a part, the last of which has all: others lack those that are null there, or have them in fewer bytes, in another order. */
  private String columns(FuzzTable table, int part) {
    if (part == forms.size() - 1) {
      return "*";
    }
    List<String> items = new ArrayList<>();
    for (int i = 0; i < table.columns().size(); i++) {
      FuzzColumn one = table.columns().get(i);
      int place = i;
      List<String> values = IntStream.range(0, table.rows().size()).filter(id -> id % forms.size() == part).mapToObj(id -> table.rows().get(id).get(place)).filter(value -> !value.equals("null")).toList();
      boolean narrow = one.type() == FuzzType.INTEGER && NARROWER.contains(one.sqlType()) | one.sqlType().equals("bigint") && values.stream().allMatch(value -> Math.abs(Long.parseLong(value)) < 128);
      if (!values.isEmpty() || i == 0) {
        items.add(narrow && i > 0 ? "cast(%s as %s) as %s".formatted(one.name(), part % 2 == 0 ? "tinyint" : one.sqlType(), one.name()) : one.name());
      }
    }
    table.nested().forEach(nested -> items.add(nested.name()));
    Collections.rotate(items, part);
    return String.join(", ", items);
  }

  private static String copy(String query, Path target, String options) {
    return "copy (%s) to %s (%s)".formatted(query, literal(target), options);
  }

  private static String literal(Path path) {
    return "'" + path.toString().replace("'", "''") + "'";
  }
}
