package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.spark.plan.FragmentExec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What our reader gives of files whose splits Spark plans, beside Spark's own reader. */
class ParquetScanTest {
  private static final int ROWS = 12_000;

  /** Values of all types; every so many rows a null. */
  private static final String COLUMNS =
      """
      select id, if(id % 7 = 0, null, cast(id * 31 % 1000 as int)) i,
        if(id % 5 = 0, null, concat('word', id % 9)) few, if(id % 11 = 0, null, concat(id, '-ü')) many,
        cast(id % 997 / 100.0 as decimal(5,2)) m, cast(id * 7 as decimal(15,2)) l,
        if(id % 3 = 0, null, cast(id * 1000000000000 as decimal(30,4))) w,
        if(id % 13 = 0, null, date_add(date '1995-01-01', cast(id % 3000 as int))) day,
        timestamp_micros(id * 1234567891) ts, cast(timestamp_micros(id * 1234567) as timestamp_ntz) ntz,
        id % 2 = 0 b, cast(concat('x', id) as binary) bin, cast(id % 100 as tinyint) t,
        cast(id % 1000 as smallint) s, cast(id / 7 as float) f, if(id % 17 = 0, null, id / 3.0d) d,
        cast(null as string) nothing
      from range(0, ROWS, 1, 1)
      """;

  @TempDir static Path folder;
  private static SparkSide spark;

  @BeforeAll
  static void start() {
    spark = new SparkSide("local[2]", Map.of("spark.aragonite.memory", "64m"));
    spark.with(
        List.of("spark.aragonite.enabled=false", "spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS"),
        () -> {
          write("wide", COLUMNS.replace("ROWS", String.valueOf(ROWS)), "");
          write("folders", "select *, id % 3 p, if(id % 4 = 0, null, concat('q ', id % 2)) q from wide where id < 900", "p", "q");
          return null;
        });
  }

  private static void write(String name, String sql, String... by) {
    var writer =
        spark.session().sql(sql).write()
            .option("parquet.block.size", 60_000)
            .option("parquet.page.size", 4_000)
            .option("parquet.page.row.count.limit", 300);
    (by[0].isEmpty() ? writer : writer.partitionBy(by)).parquet(folder.resolve(name).toString());
    spark.session().read().parquet(folder.resolve(name).toString()).createOrReplaceTempView(name);
  }

  @AfterAll
  static void stop() {
    spark.close();
  }

  /** Same rows; returns the query, which has run. */
  private static Dataset<Row> same(String sql, String... settings) {
    return same(() -> SparkSide.text(spark.interpreted(sql), false), sql, settings);
  }

  private static Dataset<Row> same(Supplier<List<String>> expected, String sql, String... settings) {
    return spark.with(
        List.of(settings),
        () -> {
          Dataset<Row> query = spark.session().sql(sql);
          List<String> ours = SparkSide.text(query.collectAsList(), false);
          assertEquals(expected.get(), ours, sql);
          return query;
        });
  }

  /** The sum of a figure of the query's fragments. */
  private static long figure(Dataset<Row> query, String name) {
    long sum = 0;
    for (FragmentExec fragment : SparkSide.fragments(query)) {
      if (fragment.metrics().contains(name)) {
        sum += (long) fragment.metrics().apply(name).value();
      }
    }
    return sum;
  }

  /** All files were read by our reader. */
  private static Dataset<Row> ours(String sql, String... settings) {
    return read(same(sql, settings), sql);
  }

  private static Dataset<Row> read(Dataset<Row> query, String sql) {
    assertEquals(0, figure(query, "scanSparkFiles"), sql);
    assertTrue(figure(query, "scanRowGroups") > 0, sql);
    return query;
  }

  @Test
  void rowGroupsOfAllSplitsAreReadOnce() {
    Dataset<Row> whole = ours("select * from wide where id >= 0");
    long groups = figure(whole, "scanRowGroups");
    assertTrue(groups > 5, groups + " row groups");
    assertEquals((long) ROWS, whole.count());
    for (int bytes : new int[] {20_000, 61_111, 250_000}) {
      Dataset<Row> split =
          ours(
              "select * from wide where id >= 0",
              "spark.sql.files.maxPartitionBytes=" + bytes,
              "spark.sql.files.openCostInBytes=0");
      assertEquals(groups, figure(split, "scanRowGroups"), bytes + " bytes");
    }
    assertTrue(SparkSide.fragments(whole).getFirst().operatorNames().toString().contains("Scan parquet"));
    ours("select few, count(*), sum(l), min(day), max(many), avg(d) from wide group by few");
    ours("select count(*) from wide");
  }

  /** Of one dictionary for all row groups of a task, of several splits of files that differ in their words. */
  @Test
  void textsAsCodesComputeAsTexts() {
    spark.with(
        List.of("spark.aragonite.enabled=false"),
        () -> {
          write("words", "select id, concat('word', 5 + id % 11) word, if(id % 4 = 0, null, concat(id % 3, 'é')) mark from range(0, 3000, 1, 3)", "");
          return null;
        });
    for (String sql :
        List.of(
            "select few, mark, count(*) from wide join words on few = word and wide.id % 50 = words.id % 50 group by few, mark",
            "select few from wide where id < 400 union all select word from words where id < 400 union all select mark from words where id > 2800",
            "select upper(few), length(mark), concat(word, '-', few), coalesce(mark, few) from wide join words on wide.id = words.id",
            "select min(word), max(mark), min(nullif(mark, '1é')), count(distinct word), count(mark) from words where word like '%d1_' or mark >= '1'",
            "select word, mark, id from words where word in ('word7', 'word15', 'no') and mark <> '2é' or mark <=> null and id < 40 order by word desc, mark nulls last, id",
            "select id, word, row_number() over (partition by word order by mark, id) r, lag(mark) over (partition by word order by id) from words where id % 7 = 0",
            "select case when word > 'word5' then word when mark is null then 'none' else mark end c, sum(id) from words group by 1",
            "select count(*) from wide where few not in (select word from words where word is not null)")) {
      List<String> expected = SparkSide.text(spark.interpreted(sql), false);
      read(same(() -> expected, sql, "spark.sql.files.maxPartitionBytes=150000", "spark.sql.files.openCostInBytes=0"), sql);
      read(same(() -> expected, sql, "spark.sql.autoBroadcastJoinThreshold=-1"), sql);
    }
  }

  /** A part of a row group has few bytes, not only few rows: here a column of one has 54 MB. */
  @Test
  void longTextsNeedLittleMemory() throws IOException {
    spark.plain(
        "create table long using parquet location '%s' as select id, repeat(sha2(cast(id as string), 512), 3) word from range(0, 140000, 1, 1)"
            .formatted(folder.resolve("long")));
    try (Stream<Path> files = Files.list(folder.resolve("long"))) {
      Path path = files.filter(file -> file.toString().endsWith(".parquet")).findFirst().orElseThrow();
      try (ParquetFile file = ParquetFile.openSplit(path, 0, Files.size(path))) {
        assertEquals(1, file.rowGroups().size());
        List<Integer> rows = file.rowGroups().getFirst().stream().map(TableFile.FilePart::rows).toList();
        assertEquals(140_000, rows.stream().mapToInt(Integer::intValue).sum());
        assertTrue(rows.stream().allMatch(some -> some * 384L < 10 << 20), rows.toString());
      }
    }
    ours("select max(word), count(*), sum(length(word)) from long where word > '1'");
  }

  @Test
  void rowGroupsThatCannotMatchAreLeftOut() {
    for (String filter :
        List.of("id between 100 and 200", "l < 700", "w = 100000000000000", "ts < timestamp '1970-01-02'", "id in (3, 11999)", "id = 7 and i > 0")) {
      Dataset<Row> query = ours("select id, i, few from wide where " + filter);
      assertTrue(figure(query, "scanRowGroupsLeftOut") > 0, filter);
    }
    Dataset<Row> none = same("select * from wide where nothing = 'a' or id < 0");
    assertEquals(0, none.count());
    assertEquals(0, figure(none, "scanRowGroups"));
    Dataset<Row> all = ours("select id from wide where id < 5", "spark.sql.parquet.filterPushdown=false");
    assertEquals(0, figure(all, "scanRowGroupsLeftOut"));
    for (String filter : List.of("f > 1700", "d <=> null", "few > 'word7'", "not b and s = 7", "day is null", "nothing is not null")) {
      same("select * from wide where " + filter);
    }
  }

  @Test
  void foldersGiveColumns() {
    ours("select * from folders where i > 3");
    ours("select p, q, count(*), sum(i) from folders where p <> 1 group by p, q");
    ours("select id, q from folders where q is null and i > 0");
    ours("select count(*), max(q) from folders where p = 2 or q = 'q 1'");
    ours(
        "select sum(f.i) from folders f join wide w on f.p = w.id where w.many = '1-ü'",
        "spark.sql.optimizer.dynamicPartitionPruning.fallbackFilterRatio=10");
  }

  private static void view(String name, String file, String schema) {
    spark.session().read().schema(schema).parquet(folder.resolve(file).toString()).createOrReplaceTempView(name);
  }

  @Test
  void columnsAreFoundByNameOrAreNull() {
    view("other", "wide", "FEW string, extra int, ID bigint, more decimal(20,3)");
    ours("select *, extra + 1 from other where id > 100");
    ours("select few, extra from other where extra is null");
    Dataset<Row> none = same("select few, extra from other where extra = 1");
    assertEquals(0, figure(none, "scanRowGroups"));
    ours("select FEW, ID, extra from other where extra is null or FEW is null", "spark.sql.caseSensitive=true");
  }

  @Test
  void sparkReadsFilesOfOtherTypes() {
    view("wider", "wide", "i bigint, s int, id bigint");
    String sql = "select sum(i), sum(s), count(id) from wider where id > 10";
    Dataset<Row> query = same(sql);
    assertEquals(1, figure(query, "scanSparkFiles"));
    Exception strict =
        assertThrows(Exception.class, () -> spark.with(List.of("spark.aragonite.strict=true"), () -> spark.session().sql(sql).collectAsList()));
    assertTrue(allMessages(strict).contains("would have to read"), allMessages(strict));
    for (String type : List.of("INT96", "TIMESTAMP_MILLIS")) {
      String name = type.toLowerCase(Locale.ROOT);
      spark.with(
          List.of("spark.aragonite.enabled=false", "spark.sql.parquet.outputTimestampType=" + type),
          () -> {
            write(name, "select id, ts from wide where id < 100", "");
            return null;
          });
      assertEquals(1, figure(same("select max(ts) from " + name + " where id > 3"), "scanSparkFiles"));
      ours("select max(id) from " + name + " where id > 3");
    }
    // Days of old writers may be those of another calendar.
    Dataset<Row> legacy =
        spark.with(
            List.of("spark.aragonite.enabled=false", "spark.sql.parquet.datetimeRebaseModeInWrite=LEGACY"),
            () -> {
              write("legacy", "select id, date_add(date '1000-01-01', cast(id as int)) day from wide where id < 100", "");
              return null;
            });
    assertEquals(null, legacy);
    assertEquals(1, figure(same("select * from legacy where id > 50"), "scanSparkFiles"));
  }

  @Test
  void whatIsNotExactlyOursStaysWithSpark() {
    List<String> passedOver =
        SparkSide.fragments(same("select * from wide where id > 11000", "spark.sql.files.ignoreCorruptFiles=true"))
            .getFirst()
            .reasons();
    assertTrue(passedOver.toString().contains("passed over"), passedOver.toString());
    String file = "parquet.`%s`".formatted(folder.resolve("wide"));
    same("select id, _metadata.file_name from " + file + " where id > 11000");
    same("select max(_metadata.row_index), sum(_metadata.file_size) from " + file + " where id > 9");
    same("select input_file_name(), i from folders where i > 900");
    same("select id from wide where id > 11000", "spark.sql.parquet.enableVectorizedReader=false");
    spark.session().sql("select id, few from wide").write().csv(folder.resolve("csv").toString());
    spark.session().read().schema("id bigint, few string").csv(folder.resolve("csv").toString()).createOrReplaceTempView("csv");
    List<String> csv = SparkSide.fragments(same("select * from csv where id > 11000")).getFirst().reasons();
    assertTrue(csv.toString().contains("not Parquet"), csv.toString());
  }

  private static String allMessages(Throwable error) {
    StringBuilder all = new StringBuilder();
    for (Throwable e = error; e != null; e = e.getCause()) {
      all.append(e).append('\n');
    }
    return all.toString();
  }

  /** Spark's condition of an error, wherever in it. */
  private static String condition(String sql, String... settings) {
    Exception error =
        assertThrows(Exception.class, () -> spark.with(List.of(settings), () -> spark.session().sql(sql).collectAsList()));
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof SparkThrowable spark && String.valueOf(spark.getCondition()).startsWith("FAILED_READ_FILE")) {
        assertTrue(String.valueOf(e.getMessage()).contains(".parquet"), e.getMessage());
        return spark.getCondition();
      }
    }
    return allMessages(error);
  }

  @Test
  void filesThatCannotBeReadAreSparksErrors() throws IOException {
    Path good;
    try (Stream<Path> files = Files.list(folder.resolve("wide"))) {
      good = files.filter(file -> file.toString().endsWith(".parquet")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(good);
    Files.createDirectories(folder.resolve("cut"));
    Files.write(folder.resolve("cut/cut.parquet"), Arrays.copyOf(bytes, bytes.length / 2));
    view("cut", "cut", "id bigint, i int");
    String cut = "select sum(i) from cut where id > 3";
    assertEquals(condition(cut, "spark.aragonite.enabled=false"), condition(cut));
    assertTrue(condition(cut).startsWith("FAILED_READ_FILE"), condition(cut));
    // In a row group behind others, whose rows have come out.
    Arrays.fill(bytes, bytes.length / 2, bytes.length / 2 + 120_000, (byte) 0x5A);
    Files.createDirectories(folder.resolve("torn"));
    Files.write(folder.resolve("torn/torn.parquet"), bytes);
    view("torn", "torn", "id bigint, i int, many string");
    String torn = "select count(many), sum(i) from torn where id > 3";
    assertTrue(condition(torn).startsWith("FAILED_READ_FILE"), condition(torn));
  }
}
