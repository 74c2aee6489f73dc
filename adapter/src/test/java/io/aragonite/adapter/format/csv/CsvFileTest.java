package io.aragonite.adapter.format.csv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.FileValues;
import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.exec.error.AragoniteException;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Delimited files: what is written is read, and what cannot be read is refused with its line. */
class CsvFileTest {
  @TempDir Path directory;

  private Path write(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  private static String types(CsvFile file) {
    return file.columns().stream()
        .map(column -> column.name() + " " + column.fileType())
        .collect(Collectors.joining(", "));
  }

  private static List<@Nullable Object> row(@Nullable Object... values) {
    return Arrays.asList(values);
  }

  private static Arguments layout(String text, String types, List<?>... rows) {
    return Arguments.of(text, types, List.of(rows));
  }

  static Stream<Arguments> layouts() {
    return Stream.of(shapesOfFiles(), values(), times()).flatMap(each -> each);
  }

  /** Lines, delimiters, headers, quotes. */
  private static Stream<Arguments> shapesOfFiles() {
    return Stream.of(
        layout("a,b\n1,x\n2,y\n", "a BIGINT, b VARCHAR", row(1L, "x"), row(2L, "y")),
        layout("a,b\r\n1,x\r\n2,\r\n", "a BIGINT, b VARCHAR", row(1L, "x"), row(2L, null)),
        layout("a,b\n1,x\n2,y", "a BIGINT, b VARCHAR", row(1L, "x"), row(2L, "y")),
        layout("a,b\n1,x\n\n\r\n\n", "a BIGINT, b VARCHAR", row(1L, "x")),
        layout("\uFEFFa,b\n1,x\n", "a BIGINT, b VARCHAR", row(1L, "x")),
        layout("a;b\n1;x,y\n2;z\n", "a BIGINT, b VARCHAR", row(1L, "x,y"), row(2L, "z")),
        layout("a\tb\n1\tx\n", "a BIGINT, b VARCHAR", row(1L, "x")),
        layout("a|b\n1|x\n", "a BIGINT, b VARCHAR", row(1L, "x")),
        layout("1,2\n3,4\n", "column1 BIGINT, column2 BIGINT", row(1L, 2L), row(3L, 4L)),
        layout("name,town\nAnn,Rome\n", "name VARCHAR, town VARCHAR", row("Ann", "Rome")),
        layout(
            "DE,Bonn\nFR,Nice\nDE,Kiel\n",
            "column1 VARCHAR, column2 VARCHAR",
            row("DE", "Bonn"),
            row("FR", "Nice"),
            row("DE", "Kiel")),
        layout("a\n1\n\n3\n", "a BIGINT", row(1L), row((Object) null), row(3L)),
        layout("a\n1\n\n\n", "a BIGINT", row(1L), row((Object) null), row((Object) null)),
        layout("a\n", "a VARCHAR"),
        layout("a\r\n", "a VARCHAR"),
        layout("a\n\n\n", "a VARCHAR", row((Object) null), row((Object) null)),
        layout("a\r\n\r\n", "a VARCHAR", row((Object) null)),
        layout("a\r\n1\r\n\r\n", "a BIGINT", row(1L), row((Object) null)),
        layout("a\n1\n\"\n\"\n", "a VARCHAR", row("1"), row("\n")),
        layout("a,b\n", "a VARCHAR, b VARCHAR"),
        layout("a,b", "a VARCHAR, b VARCHAR"),
        layout(
            "a,,a,a_2\n1,2,3,4\n",
            "a BIGINT, column2 BIGINT, a_3 BIGINT, a_2 BIGINT",
            row(1L, 2L, 3L, 4L)),
        layout(
            "\"a \"\"b\"\"\",\"c\nd\",*/ e\n\"1\",\"x \"\"y\"\" z\",\"p\nq\"\n",
            "a \"b\" BIGINT, c\nd VARCHAR, */ e VARCHAR",
            row(1L, "x \"y\" z", "p\nq")));
  }

  /** Nulls, and the types that values are taken for. */
  private static Stream<Arguments> values() {
    return Stream.of(
        layout(
            "k,t\n1,\"\"\n2,\n3,\\N\n4,\"\\N\"\n5,NA\n",
            "k BIGINT, t VARCHAR",
            row(1L, ""),
            row(2L, null),
            row(3L, null),
            row(4L, "\\N"),
            row(5L, "NA")),
        layout(
            "i,d\nNULL,1.50\n7,NA\n,\"\"\n",
            "i BIGINT, d DECIMAL(18, 2)",
            row(null, new BigDecimal("1.50")),
            row(7L, null),
            row(null, null)),
        layout(
            "x,y,z,w\n1,1e3,nan,1.25\n2.5,-.5,-inf,0.1\n-3,4.,1.5,3\n",
            "x DOUBLE, y DOUBLE, z DOUBLE, w DOUBLE",
            row(1.0, 1000.0, Double.NaN, 1.25),
            row(2.5, -0.5, Double.NEGATIVE_INFINITY, 0.1),
            row(-3.0, 4.0, 1.5, 3.0)),
        layout(
            "zip,big,huge\n"
                + "01234,9223372036854775807,9223372036854775808\n"
                + "99999,-9223372036854775808,1\n",
            "zip VARCHAR, big BIGINT, huge DECIMAL(38, 0)",
            row("01234", Long.MAX_VALUE, new BigDecimal("9223372036854775808")),
            row("99999", Long.MIN_VALUE, new BigDecimal("1"))),
        layout(
            "mixed,never\n1,\nx,\n2024-01-01,\n",
            "mixed VARCHAR, never VARCHAR",
            row("1", null),
            row("x", null),
            row("2024-01-01", null)),
        layout("a,b\n 1 , x \n", "a BIGINT, b VARCHAR", row(1L, " x ")),
        layout("a,b\n1,5\" pipe\n", "a BIGINT, b VARCHAR", row(1L, "5\" pipe")),
        layout("name,city\nZoë,日本\n", "name VARCHAR, city VARCHAR", row("Zoë", "日本")));
  }

  private static Stream<Arguments> times() {
    return Stream.of(
        layout(
            "b,d,t,s\n"
                + "true,2024-02-29,23:59:59.9999994,2024-02-29 12:00:00.5\n"
                + "FALSE,0001-01-01,00:00,1969-12-31T23:59:59.999Z\n",
            "b BOOLEAN, d DATE, t TIME, s TIMESTAMP(6)",
            row(
                true,
                LocalDate.of(2024, 2, 29),
                LocalTime.parse("23:59:59.999999"),
                LocalDateTime.parse("2024-02-29T12:00:00.5")),
            row(
                false,
                LocalDate.of(1, 1, 1),
                LocalTime.MIDNIGHT,
                LocalDateTime.parse("1969-12-31T23:59:59.999"))),
        layout(
            "s,n,w\n"
                + "1969-12-31 23:59:59.999999,1969-12-31 23:59:59.999999999,9999-12-31"
                + " 00:00:00.123456\n"
                + "2024-01-01T00:00:00.000001Z,2024-01-01 00:00:00,0001-01-01 00:00:00\n",
            "s TIMESTAMP(6), n TIMESTAMP(9), w TIMESTAMP(6)",
            row(
                LocalDateTime.parse("1969-12-31T23:59:59.999999"),
                LocalDateTime.parse("1969-12-31T23:59:59.999999999"),
                LocalDateTime.parse("9999-12-31T00:00:00.123456")),
            row(
                LocalDateTime.parse("2024-01-01T00:00:00.000001"),
                LocalDateTime.parse("2024-01-01T00:00:00"),
                LocalDateTime.parse("0001-01-01T00:00:00"))),
        layout(
            "s\n2024-01-01\n2024-01-01 00:00:00+02:00\n",
            "s TIMESTAMP(6)",
            row(LocalDateTime.parse("2024-01-01T00:00:00")),
            row(LocalDateTime.parse("2023-12-31T22:00:00"))),
        layout(
            "s\n2024-01-01 00:00:00.5+02:00\n2024-01-01T00:00:00-0030\n",
            "s TIMESTAMP(6) WITH TIME ZONE",
            row(LocalDateTime.parse("2023-12-31T22:00:00.5")),
            row(LocalDateTime.parse("2024-01-01T00:30:00"))));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void layoutIsFoundAndValuesAreRead(String text, String types, List<?> rows) throws IOException {
    Path path = write("t.csv", text);
    for (long partBytes : new long[] {1, 7, 4 << 20}) {
      try (CsvFile file = new CsvFile(path, CsvOptions.NONE, TestUnpacking.ANY, partBytes)) {
        assertEquals(types, types(file));
        assertEquals(rows, FileValues.rows(file), "parts of " + partBytes + " bytes");
      }
    }
  }

  private static Arguments refused(String code, String part, String text) {
    return Arguments.of(code, part, text);
  }

  static Stream<Arguments> refusals() {
    String long1 = "a,b\n" + "1,2\n".repeat(300_000);
    return Stream.of(
        refused("AR-303", "is empty", ""),
        refused("AR-303", "is empty", "\n\n"),
        refused("AR-303", "UTF-16", "\u00FF\u00FEa\u0000"),
        refused("AR-304", "line 3: 3 fields instead of 2", "a,b\n1,2\n1,2,3\n4,5\n"),
        refused("AR-304", "line 3: 1 field instead of 2", "a,b\n1,2\n1\n4,5\n"),
        refused("AR-304", "line 3: 1 field instead of 2", "a,b\n1,2\n\n4,5\n"),
        refused("AR-304", "line 4: 1 field instead of 2", "a,b\n\"1\n2\",2\n4\n"),
        refused("AR-303", "line 2: the quoted field", "a,b\n1,\"2\n3,4\n"),
        refused("AR-303", "line 2: the quoted field", "a,b\n1,\"2\"x\n3,4\n"),
        refused(
            "AR-305", "line 300,002: \"x\" in column \"b\" is not of type BIGINT", long1 + "3,x\n"),
        refused("AR-305", "line 300,002: \"2.5\"", long1 + "2.5,4\n"),
        refused(
            "AR-305", "line 300,002: \"9223372036854775808\"", long1 + "9223372036854775808,4\n"),
        refused("AR-305", "line 300,002: \"007\"", long1 + "007,4\n"),
        refused("AR-305", "line 2: column \"b\" is not UTF-8", "a,b\n1,\u00E9t\u00E9\n"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void whatCannotBeReadIsRefusedWithItsLine(String code, String part, String text)
      throws IOException {
    Path path = directory.resolve("t.csv");
    Files.write(path, text.getBytes(StandardCharsets.ISO_8859_1));
    AragoniteException e =
        assertThrows(
            AragoniteException.class,
            () -> {
              try (CsvFile file = CsvFile.open(path, TestUnpacking.ANY)) {
                FileValues.rows(file);
              }
            });
    assertEquals(code, e.code().code(), e.getMessage());
    assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  private static Arguments declared(String options, String text, Object expected) {
    return Arguments.of(options, text, expected);
  }

  static Stream<Arguments> declarations() {
    return Stream.concat(declaredTypes(), declaredFormats());
  }

  private static Stream<Arguments> declaredTypes() {
    return Stream.of(
        declared(
            "{'columns': [{'name': 'b', 'type': 'decimal(5,2)'}]}",
            "a,b\n1,2.5\n2,999.990\n",
            List.of(row(1L, new BigDecimal("2.50")), row(2L, new BigDecimal("999.99")))),
        declared(
            "{'columns': [{'name': 'b', 'type': 'decimal(5,2)'}]}", "a,b\n1,2.505\n", "\"2.505\""),
        declared(
            "{'columns': [{'name': 'b', 'type': 'decimal(5,2)'}]}", "a,b\n1,1000\n", "\"1000\""),
        declared(
            "{'columns': [{'name': 'b', 'type': 'decimal(38,19)'}]}",
            "a,b\n1,-1234567890123456789.1234567890123456789\n",
            List.of(row(1L, new BigDecimal("-1234567890123456789.1234567890123456789")))),
        declared(
            "{'columns': [{'name': 'a', 'type': 'TINYINT'}, {'name': 'b', 'type': 'SMALLINT'}]}",
            "a,b\n-128,32767\n007,+1\n",
            List.of(row(-128L, 32767L), row(7L, 1L))),
        declared("{'columns': [{'name': 'a', 'type': 'TINYINT'}]}", "a\n128\n", "\"128\""),
        declared(
            "{'columns': [{'name': 'a', 'type': 'INTEGER'}]}", "a\n2147483648\n", "\"2147483648\""),
        declared(
            "{'columns': [{'name': 'a', 'type': 'real'}, {'name': 'b', 'type': 'double'}]}",
            "a,b\n0.1,0.1\n1e-3,123456789012345678901234567890\n16777217,Infinity\n",
            List.of(
                row(0.1f, 0.1),
                row(0.001f, 123456789012345678901234567890.0),
                row(16777217f, Double.POSITIVE_INFINITY))),
        declared(
            "{'columns': [{'name': 'a', 'type': 'BOOLEAN'}]}",
            "a\nyes\n0\nT\n\n",
            List.of(row(true), row(false), row(true), row((Object) null))),
        declared(
            "{'columns': [{'name': 'a', 'type': 'VARCHAR(3)'}]}", "a\nzoë\nabcd\n", "\"abcd\""),
        declared(
            "{'columns': [{'name': 'a', 'type': 'CHAR(3)'}, {'name': 'b', 'type': 'VARCHAR'}]}",
            "a,b\nzoë,007\n",
            List.of(row("zoë", "007"))),
        declared(
            "{'columns': [{'name': 'a', 'type': 'BIGINT', 'nullable': false}]}",
            "a,b\n,1\n",
            "declared as not nullable"));
  }

  private static Stream<Arguments> declaredFormats() {
    return Stream.of(
        declared(
            "{'header': false, 'columns': [{'name': 'k', 'type': 'VARCHAR'}]}",
            "1,2\n",
            List.of(row("1", 2L))),
        declared("{'header': true}", "1,2\n3,4\n", List.of(row(3L, 4L))),
        declared(
            "{'null': ['-1', 'none']}",
            "a,b\n-1,none\n2,\n",
            List.of(row(null, null), row(2L, ""))),
        declared("{'quote': ''}", "a,b\n\"1\",2\"\n", List.of(row("\"1\"", "2\""))),
        declared(
            "{'quote': '\\''}".replace("\\'", "\u0001"), "a,b\n'x,y',2\n", List.of(row("x,y", 2L))),
        declared("{'delimiter': ':'}", "a:b\n1:2\n", List.of(row(1L, 2L))),
        declared(
            "{'columns': [{'name': 'c', 'type': 'VARCHAR'}]}", "a,b\n1,2\n", "no column \"c\""),
        declared("{'columns': [{'name': 'a', 'type': 'ARRAY'}]}", "a\n1\n", "ARRAY"),
        declared("{'delimiter': 'ab'}", "a\n1\n", "one ASCII character"),
        declared("{'separator': ','}", "a\n1\n", "\"separator\""),
        declared("{'columns'", "a\n1\n", "not JSON"));
  }

  /** The expectation is a list of rows, or a part of the message. */
  @ParameterizedTest
  @MethodSource("declarations")
  void declarationsAreFollowed(String options, String text, Object expected) throws IOException {
    Path path = write("t.csv", text);
    write("t.csv.json", options.replace('\'', '"').replace('\u0001', '\''));
    if (expected instanceof List<?> rows) {
      try (CsvFile file = CsvFile.open(path, TestUnpacking.ANY)) {
        assertEquals(rows, FileValues.rows(file));
      }
      return;
    }
    AragoniteException e =
        assertThrows(
            AragoniteException.class,
            () -> {
              try (CsvFile file = CsvFile.open(path, TestUnpacking.ANY)) {
                FileValues.rows(file);
              }
            });
    assertTrue(e.getMessage().contains((String) expected), e.getMessage());
    assertTrue(e.getMessage().contains("t.csv.json"), e.getMessage());
  }

  @Test
  void keysAreDeclared() throws IOException {
    Path path = write("t.csv", "a,b\n1,2\n");
    CsvOptions options =
        CsvOptions.of(
            Map.of(
                "primaryKey",
                List.of("a"),
                "foreignKeys",
                List.of(
                    Map.of("columns", List.of("b"), "table", "u", "references", List.of("k")))));
    try (CsvFile file = CsvFile.open(path, options, TestUnpacking.ANY)) {
      assertEquals(List.of("a"), file.primaryKey());
      assertEquals("u", file.foreignKeys().getFirst().table());
    }
  }

  @Test
  void anyLineEndIsRead() throws IOException {
    for (String end : List.of("\n", "\r\n", "\r")) {
      for (String last : List.of("", end)) {
        Path path = write("ends.csv", "k,v" + end + "1,\"a\r\"\"b\"" + end + "2,c" + last);
        try (CsvFile file = CsvFile.open(path, TestUnpacking.ANY)) {
          assertEquals(List.of(1L, 2L), FileValues.column(file, 0), path + " " + end.length());
          assertEquals(List.of("a\r\"b", "c"), FileValues.column(file, 1));
        }
      }
    }
    // the first line's end says what a carriage return means, whatever the other lines have
    try (CsvFile file =
        CsvFile.open(write("mixed.csv", "k,v\r1,a\n2,b\r\n3,c\r"), TestUnpacking.ANY)) {
      assertEquals(List.of(1L, 2L, 3L), FileValues.column(file, 0));
      assertEquals(List.of("a", "b", "c"), FileValues.column(file, 1));
    }
  }

  @Test
  void carriageReturnsAreFoundInLargeAndCompressedFiles() throws IOException {
    String text =
        "k,v\r"
            + IntStream.range(0, 200_000)
                .mapToObj(i -> i + ",\"v\r" + i + "\"\r")
                .collect(Collectors.joining());
    Path plain = write("old.csv", text);
    Path packed = directory.resolve("old.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      out.write(text.getBytes(StandardCharsets.US_ASCII));
    }
    for (Path path : List.of(plain, packed)) {
      try (CsvFile file = new CsvFile(path, CsvOptions.NONE, TestUnpacking.ANY, 100_000)) {
        List<?> values = FileValues.column(file, 1);
        assertEquals(200_000, values.size());
        assertEquals("v\r199999", values.getLast());
      }
    }
  }

  @Test
  void compressedFilesAreRead() throws IOException {
    String text =
        "k,v\n"
            + IntStream.range(0, 300_000)
                .mapToObj(i -> i + ",v" + i + "\n")
                .collect(Collectors.joining());
    Path path = directory.resolve("t.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(path))) {
      out.write(text.getBytes(StandardCharsets.US_ASCII));
    }
    try (CsvFile file = new CsvFile(path, CsvOptions.NONE, TestUnpacking.ANY, 100_000)) {
      assertTrue(file.parts().size() > 10);
      List<@Nullable Object> values = FileValues.column(file, 1);
      assertEquals(300_000, values.size());
      assertEquals("v299999", values.get(299_999));
    }
    byte[] cut = Arrays.copyOf(Files.readAllBytes(path), 100_000);
    Files.write(path, cut);
    AragoniteException e =
        assertThrows(
            AragoniteException.class,
            () -> {
              try (CsvFile file = CsvFile.open(path, TestUnpacking.ANY)) {
                file.parts();
              }
            });
    assertEquals("AR-303", e.code().code(), e.getMessage());
  }

  @Test
  void wideTablesAndLongTextsAreRead() throws IOException {
    int columns = 2000;
    String header =
        IntStream.range(0, columns).mapToObj(i -> "c" + i).collect(Collectors.joining(","));
    String record =
        IntStream.range(0, columns).mapToObj(String::valueOf).collect(Collectors.joining(","));
    try (CsvFile file =
        CsvFile.open(
            write("wide.csv", header + "\n" + (record + "\n").repeat(7)), TestUnpacking.ANY)) {
      assertEquals(columns, file.columns().size());
      for (int c : new int[] {0, 1, 3, 4, 5, 1998, 1999}) {
        assertEquals(
            java.util.Collections.nCopies(7, (Object) (long) c), FileValues.column(file, c));
      }
    }
    String text = "é\"\n,".repeat(1 << 18);
    String quoted = "\"" + text.replace("\"", "\"\"") + "\"";
    String body = "k,t\n" + "1,x\n".repeat(400_000) + "2," + quoted + "\n3,y\n";
    try (CsvFile file =
        new CsvFile(write("long.csv", body), CsvOptions.NONE, TestUnpacking.ANY, 1000)) {
      List<@Nullable Object> values = FileValues.column(file, 1);
      assertEquals(400_002, values.size());
      assertEquals(text, values.get(400_000));
      assertEquals("y", values.get(400_001));
    }
  }

  private static Random random() {
    String given = System.getProperty("aragonite.seed", "");
    long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
    System.out.println("CsvFileTest: to repeat, run with -Daragonite.seed=" + seed);
    return new Random(seed);
  }

  /** Random texts of the bytes that matter, in parts of every size. */
  @Test
  void anyTextSurvivesQuotingAndCutting() throws IOException {
    Random random = random();
    String alphabet = "ab,\"\n\r;é\t ";
    for (int trial = 0; trial < 200; trial++) {
      int columns = 1 + random.nextInt(6);
      String lineEnd = List.of("\n", "\r\n", "\r").get(random.nextInt(3));
      List<List<@Nullable Object>> rows = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      text.append(
          IntStream.range(0, columns).mapToObj(i -> "c" + i).collect(Collectors.joining(",")));
      text.append(lineEnd);
      for (int r = 0; r < random.nextInt(40); r++) {
        List<@Nullable Object> row = new ArrayList<>();
        for (int c = 0; c < columns; c++) {
          String value =
              random
                  .ints(random.nextInt(12), 0, alphabet.length())
                  .mapToObj(i -> alphabet.substring(i, i + 1))
                  .collect(Collectors.joining());
          row.add(value);
          text.append(c > 0 ? "," : "");
          boolean bare =
              !value.isEmpty() && value.chars().noneMatch(b -> ",\"\n\r".indexOf(b) >= 0);
          text.append(
              bare && random.nextBoolean() ? value : '"' + value.replace("\"", "\"\"") + '"');
        }
        rows.add(row);
        text.append(lineEnd);
      }
      Path path = write("r.csv", text.toString());
      CsvOptions options =
          CsvOptions.of(
              Map.of(
                  "delimiter",
                  ",",
                  "header",
                  true,
                  "columns",
                  IntStream.range(0, columns)
                      .mapToObj(i -> Map.of("name", "c" + i, "type", "VARCHAR"))
                      .toList()));
      try (CsvFile file = new CsvFile(path, options, TestUnpacking.ANY, 1 + random.nextInt(100))) {
        assertEquals(rows, FileValues.rows(file), text.toString());
      }
    }
  }

  /** Nothing that a file can hold is more than one of our errors; memory is back each time. */
  @Test
  void anyBytesAreReadOrRefused() throws IOException {
    Random random = random();
    byte[] alphabet = "0123456789,,,\n\n\r\"\";\t|.-+:eTZ \\N".getBytes(StandardCharsets.US_ASCII);
    Path path = directory.resolve("any.csv");
    int refused = 0;
    for (int trial = 0; trial < 400; trial++) {
      byte[] bytes = new byte[random.nextInt(200)];
      for (int i = 0; i < bytes.length; i++) {
        boolean any = trial % 4 == 0 && random.nextInt(10) == 0;
        bytes[i] = any ? (byte) random.nextInt() : alphabet[random.nextInt(alphabet.length)];
      }
      Files.write(path, bytes);
      try (CsvFile file =
          new CsvFile(path, CsvOptions.NONE, TestUnpacking.ANY, 1 + random.nextInt(50))) {
        FileValues.rows(file);
      } catch (AragoniteException e) {
        refused++;
        assertTrue(e.code().number() > 300 && e.code().number() < 400, e.getMessage());
      }
    }
    assertTrue(refused > 0 && refused < 400, refused + " refused");
  }

  /** Types and values that DuckDB wrote. */
  @ParameterizedTest
  @ValueSource(strings = {",", ";", "\t", "|"})
  void filesOfDuckDbAreRead(String delimiter) throws IOException, SQLException {
    Path path = directory.resolve("d.csv");
    String select =
        """
        select range as k, (h - 9223372036854775808)::bigint as l, h / 7e9 as x,
          ((h % 2000000)::integer / 100)::decimal(12, 2) as d, date '1992-01-01' + (h % 3000)::integer as day,
          make_timestamp((h % 4000000000000000)::bigint) as at, h % 3 = 0 as b,
          case when h % 5 > 0 then 'a, "q"; ' || h end as t
        from (select range, hash(range)::hugeint as h from range(5000))\
        """;
    try (DuckDb duck = new DuckDb()) {
      duck.execute("create table t as " + select);
      duck.execute("copy t to '" + path + "' (header, delimiter '" + delimiter + "')");
      try (CsvFile file = new CsvFile(path, CsvOptions.NONE, TestUnpacking.ANY, 10_000)) {
        assertEquals(
            "BIGINT BIGINT DOUBLE DECIMAL(18, 2) DATE TIMESTAMP(6) BOOLEAN VARCHAR",
            file.columns().stream().map(FileColumn::fileType).collect(Collectors.joining(" ")));
        List<List<@Nullable Object>> rows = FileValues.rows(file);
        List<List<@Nullable Object>> expected = duck.rows("from t");
        assertEquals(expected.size(), rows.size());
        for (int i = 0; i < rows.size(); i++) {
          assertEquals(expected.get(i), rows.get(i), "row " + i);
        }
      }
    }
  }

  @Test
  void numbersAreParsedAsJavaParsesThem() throws IOException {
    Random random = random();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      double value = Double.longBitsToDouble(random.nextLong());
      texts.add(
          switch (i % 4) {
            case 0 -> Double.toString(Double.isFinite(value) ? value : 1);
            case 1 -> Double.toString(random.nextInt(1_000_000) / 1000.0);
            case 2 -> random.nextLong() + "." + random.nextLong(1L << 40);
            default -> random.nextInt() + "e" + (random.nextInt(60) - 30);
          });
    }
    Path path =
        write(
            "n.csv",
            "d,f\n"
                + texts.stream()
                    .map(t -> t + "," + single(t) + "\n")
                    .collect(Collectors.joining()));
    CsvOptions options =
        CsvOptions.of(
            Map.of(
                "columns",
                List.of(
                    Map.of("name", "d", "type", "DOUBLE"), Map.of("name", "f", "type", "REAL"))));
    try (CsvFile file = CsvFile.open(path, options, TestUnpacking.ANY)) {
      assertEquals(texts.stream().map(Double::valueOf).toList(), FileValues.column(file, 0));
      assertEquals(
          texts.stream().map(text -> Float.valueOf(single(text))).toList(),
          FileValues.column(file, 1));
    }
  }

  /** A number of a type that REAL does not hold is none of its values. */
  private static String single(String text) {
    return Float.isInfinite(Float.parseFloat(text)) ? "1" : text;
  }

  @Test
  void textOfAnotherCharacterSetIsRefusedInAHeader() throws IOException {
    Path path = directory.resolve("t.csv");
    Files.write(path, "é,b\n1,2\n".getBytes(Charset.forName("ISO-8859-1")));
    AragoniteException e =
        assertThrows(AragoniteException.class, () -> CsvFile.open(path, TestUnpacking.ANY));
    assertTrue(e.getMessage().contains("UTF-8"), e.getMessage());
  }
}
