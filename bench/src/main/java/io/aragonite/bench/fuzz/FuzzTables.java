package io.aragonite.bench.fuzz;

import io.aragonite.bench.fuzz.FuzzTable.FuzzColumn;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Makes tables of a few columns of random types. A column's values are few or many, evenly spread or nearly all the same, with nulls
 * or without, and now and then the largest of its type. Dates are far from
 * the first year: {@code java.sql.Date} has none before it.
 */
final class FuzzTables {
  private static final int[] SIZES = {0, 1, 5, 30, 150, 1200};
  private static final int MOST_COLUMNS = 7;
  private static final String[] TEXTS = {
    "", "a", "b", "ab", "abc", "A", "ä", "日本", "x y", "it''s", "%", "_", "a%b", " ", "ab ", "Zebra", "😀", "0", "-1",
    "a rather long text that does not fit into any prefix"
  };
  private static final DateTimeFormatter TIMESTAMPS = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSS");

  private static final DateTimeFormatter TIMES = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS");
  private static final LocalDateTime FIRST = LocalDateTime.of(1600, 1, 1, 0, 0);
  private static final LocalDateTime LAST = LocalDateTime.of(9000, 12, 31, 23, 59);

  private final Random random;

  private FuzzTables(Random random) {
    this.random = random;
  }

  /** Tables r0, r1, ... from the empty one up. */
  static List<FuzzTable> make(Random random) {
    FuzzTables maker = new FuzzTables(random);
    List<FuzzTable> tables = new ArrayList<>();
    for (int i = 0; i < SIZES.length; i++) {
      tables.add(maker.table("r" + i, SIZES[i]));
    }
    // A connection is not opened to a directory without tables.
    if (tables.stream().noneMatch(table -> table.storage().inDirectory())) {
      tables.set(0, tables.getFirst().inDirectory());
    }
    return tables;
  }

  private FuzzTable table(String name, int size) {
    List<FuzzColumn> columns = new ArrayList<>();
    columns.add(new FuzzColumn("id", "integer", FuzzType.INTEGER));
    List<Supplier<String>> makers = new ArrayList<>();
    int count = 3 + random.nextInt(MOST_COLUMNS - 2);
    for (int c = 0; c < count; c++) {
      // An integer always, so that tables can be joined.
      FuzzType type = c == 0 ? FuzzType.INTEGER : FuzzType.values()[random.nextInt(FuzzType.values().length)];
      String sqlType = type.columnTypes().get(random.nextInt(type.columnTypes().size()));
      columns.add(new FuzzColumn("c" + c, sqlType, type));
      makers.add(column(type, sqlType, size));
    }
    List<FuzzNested> nested = new ArrayList<>();
    for (int n = random.nextInt(5) - 2; n > 0; n--) {
      FuzzNested column = FuzzNested.make(random, "n" + n);
      nested.add(column);
      makers.add(() -> column.value(random, number -> value(column.element(), number)));
    }
    List<List<String>> rows = new ArrayList<>();
    for (int id = 0; id < size; id++) {
      List<String> row = new ArrayList<>();
      row.add(String.valueOf(id));
      makers.forEach(maker -> row.add(maker.get()));
      rows.add(List.copyOf(row));
    }
    return new FuzzTable(name, columns, nested, rows, FuzzStorage.make(random, columns, !nested.isEmpty(), rows));
  }

  private Supplier<String> column(FuzzType type, String sqlType, int size) {
    int domain = 1 + random.nextInt(random.nextBoolean() ? 4 : size / 3 + 3);
    double nulls = random.nextInt(3) * 0.15;
    double same = random.nextInt(4) == 0 ? 0.8 : 0;
    double extremes = random.nextInt(8) == 0 ? 0.05 : 0;
    return () -> {
      if (random.nextDouble() < nulls) {
        return "null";
      }
      if (random.nextDouble() < extremes) {
        return extreme(type, sqlType);
      }
      return value(type, random.nextDouble() < same ? 0 : random.nextInt(domain));
    };
  }

  private String value(FuzzType type, int number) {
    return switch (type) {
      case BOOLEAN -> String.valueOf(number % 2 == 0);
      case INTEGER -> String.valueOf((number % 2 == 0 ? number : -number) % 120);
      case DECIMAL -> BigDecimal.valueOf(number * 7L - 20, 1).toPlainString();
      case DOUBLE -> "cast(%s as double)".formatted((number - 3) / 4.0);
      case VARCHAR -> "'" + (number < TEXTS.length ? TEXTS[number] : "text" + number) + "'";
      case DATE -> "date '%s'".formatted(LocalDate.of(2020, 2, 27).plusDays(number));
      case TIMESTAMP -> timestamp(moment(number));
      case TIME -> "time '%s'".formatted(moment(number * 37).format(TIMES));
      case INSTANT -> instant(moment(number));
      case UUID -> uuid(number);
    };
  }

  private static LocalDateTime moment(int number) {
    return LocalDateTime.of(2020, 2, 28, 23, 59, 58).plusNanos(number * 1_700_123_000L);
  }

  private static String instant(LocalDateTime ofUtc) {
    return "timestamptz '%s+00:00'".formatted(ofUtc.format(TIMESTAMPS));
  }

  /** Numbers make values whose halves have their highest bit or not. */
  static String uuid(int number) {
    return "cast('%08x-0000-4000-%s-%012x' as uuid)".formatted(number * 0x9E3779B9, number % 2 == 0 ? "0000" : "8000", number);
  }

  private static String timestamp(LocalDateTime value) {
    return "timestamp '%s'".formatted(value.format(TIMESTAMPS));
  }

  private String extreme(FuzzType type, String sqlType) {
    boolean least = random.nextBoolean();
    return switch (type) {
      case BOOLEAN -> "false";
      case INTEGER ->
          switch (sqlType) {
            case "tinyint" -> least ? "-128" : "127";
            case "smallint" -> least ? "-32768" : "32767";
            case "integer" -> least ? "-2147483648" : "2147483647";
            default -> least ? "-9223372036854775807" : "9223372036854775807";
          };
      case DECIMAL -> {
        int comma = sqlType.indexOf(',');
        int precision = Integer.parseInt(sqlType.substring(sqlType.indexOf('(') + 1, comma));
        int scale = Integer.parseInt(sqlType.substring(comma + 2, sqlType.length() - 1));
        yield (least ? "-" : "") + "9".repeat(precision - scale) + "." + "9".repeat(scale);
      }
      case DOUBLE -> {
        String[] texts = {"nan", "infinity", "-infinity", "-0.0", "16777216"};
        yield "cast('%s' as double)".formatted(texts[random.nextInt(texts.length)]);
      }
      case VARCHAR -> "'" + "long ".repeat(60) + (least ? "a" : "b") + "'";
      case DATE -> least ? "date '%s'".formatted(random.nextBoolean() ? "1500-03-01" : "1600-01-01") : "date '9000-12-31'";
      case TIMESTAMP -> timestamp(least ? FIRST : LAST);
      case TIME -> least ? "time '00:00:00'" : "time '23:59:59.999999'";
      case INSTANT -> instant(least ? FIRST : LAST);
      case UUID -> "cast('%s' as uuid)".formatted(least ? "00000000-0000-0000-0000-000000000000" : "ffffffff-ffff-ffff-ffff-ffffffffffff");
    };
  }
}
