package io.aragonite.spark;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * Tables of few rows with all types: {@code wild} has the values at which engines differ, {@code
 * calm} those with which arithmetic is exact and seldom fails, and {@code raw} those of wild in rows
 * that are in no file.
 */
final class ExtremeTables {
  static final List<String> NAMES = List.of("wild", "calm", "raw");

  private static final String SCHEMA =
      "id int, y tinyint, h smallint, i int, j int, l bigint, k bigint, f float, g float, d double, e double, "
          + "p decimal(7,2), m decimal(18,4), w decimal(38,10), t string, u string, day date, dat date, "
          + "ts timestamp, tz timestamp, tn timestamp_ntz, b boolean, c boolean, bin binary";

  private static final double[] DOUBLES = {
    0.0,
    -0.0,
    Double.NaN,
    Double.longBitsToDouble(0xFFF8_0000_0000_0001L),
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.MIN_VALUE,
    Double.MAX_VALUE,
    -Double.MAX_VALUE,
    0.1,
    -2.5,
    0.5,
    1e22,
    9007199254740993.0,
    1e-7,
    9.2233720368547758e18
  };

  private static final String[] TEXTS = {
    "",
    " ",
    "a",
    "A",
    "b",
    "ab",
    "  ab ",
    "\tab\n",
    "a\nb",
    "über",
    "ÜBER",
    "ß",
    "e\u0301",
    "\u00e9",
    "a\uD83D\uDE00b",
    "\uD83D\uDE00",
    "\uFFFD",
    "\uFFFF",
    "%",
    "a_b",
    "a%b",
    "a\\b",
    "\\",
    "1",
    " 12 ",
    "-0",
    "1e3",
    "2020-01-01",
    "true",
    "\u0000x",
    "aaaa",
    "abab",
    "x".repeat(300),
    "\u0130"
  };

  private static final String[] DATES = {
    "0000-01-01",
    "-0044-03-15",
    "0001-01-01",
    "1582-10-04",
    "1582-10-15",
    "1700-02-28",
    "1899-12-31",
    "1969-12-31",
    "1970-01-01",
    "2000-02-29",
    "2020-12-31",
    "2021-01-01",
    "9999-12-31",
    "+12345-06-07"
  };

  private ExtremeTables() {}

  /** Makes views of a session; files in a folder. */
  static void open(SparkSession session, Path folder, Random random) {
    session.conf().set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS");
    StructType schema = StructType.fromDDL(SCHEMA);
    for (String name : List.of("wild", "calm")) {
      List<Row> rows = rows(random, name.equals("calm"), 60);
      String files = folder.resolve(name).toString();
      session.createDataFrame(rows, schema).repartition(2).write().parquet(files);
      session.read().parquet(files).createOrReplaceTempView(name);
    }
    JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
    session
        .createDataFrame(context.parallelize(rows(random, false, 40), 2), schema)
        .createOrReplaceTempView("raw");
  }

  private static List<Row> rows(Random random, boolean calm, int count) {
    List<Row> rows = new ArrayList<>();
    for (int id = 0; id < count; id++) {
      Object[] values = calm ? calm(random) : wild(random);
      for (int field = 0; field < values.length; field++) {
        if (random.nextInt(7) == 0) {
          values[field] = null;
        }
      }
      values[0] = id;
      rows.add(RowFactory.create(values));
    }
    return rows;
  }

  private static Object[] wild(Random random) {
    return new Object[] {
      0,
      (byte) integer(random, Byte.MAX_VALUE),
      (short) integer(random, Short.MAX_VALUE),
      (int) integer(random, Integer.MAX_VALUE),
      (int) integer(random, Integer.MAX_VALUE),
      integer(random, Long.MAX_VALUE),
      integer(random, Long.MAX_VALUE),
      (float) floating(random),
      (float) floating(random),
      floating(random),
      floating(random),
      decimal(random, 7, 2),
      decimal(random, 18, 4),
      decimal(random, 38, 10),
      TEXTS[random.nextInt(TEXTS.length)],
      TEXTS[random.nextInt(TEXTS.length)],
      date(random),
      date(random),
      instant(random),
      instant(random),
      LocalDateTime.ofInstant(instant(random), ZoneOffset.UTC),
      random.nextBoolean(),
      random.nextBoolean(),
      TEXTS[random.nextInt(TEXTS.length)].getBytes(StandardCharsets.UTF_16)
    };
  }

  private static Object[] calm(Random random) {
    LocalDate day = LocalDate.of(2000, 1, 1);
    Instant moment = Instant.parse("2000-01-01T00:00:00Z");
    return new Object[] {
      0,
      (byte) random.nextInt(5),
      (short) (random.nextInt(9) - 4),
      random.nextInt(12) - 3,
      random.nextInt(40) + 1,
      (long) random.nextInt(20),
      random.nextInt(40) * 1_000_000_007L,
      random.nextInt(64) / 8F,
      random.nextInt(64) / 4F - 4,
      random.nextInt(64) / 8.0,
      random.nextInt(64) / 4.0 - 4,
      BigDecimal.valueOf(random.nextInt(2000) - 500, 2),
      BigDecimal.valueOf(random.nextInt(2_000_000) - 50_000, 4),
      BigDecimal.valueOf(random.nextInt(2_000_000) - 50_000, 10),
      TEXTS[random.nextInt(8)],
      TEXTS[random.nextInt(8)],
      day.plusDays(random.nextInt(40)),
      day.plusDays(random.nextInt(900)),
      moment.plusSeconds(random.nextInt(20) * 3600L),
      moment.plusMillis(random.nextInt()),
      LocalDateTime.of(day, java.time.LocalTime.of(random.nextInt(24), 0)),
      random.nextBoolean(),
      random.nextInt(4) == 0,
      TEXTS[random.nextInt(8)].getBytes(StandardCharsets.UTF_8)
    };
  }

  private static long integer(Random random, long most) {
    return switch (random.nextInt(6)) {
      case 0 -> most - random.nextInt(2);
      case 1 -> -most - random.nextInt(2);
      case 2 -> random.nextLong() % most;
      default -> random.nextInt(9) - 3;
    };
  }

  private static double floating(Random random) {
    return random.nextInt(4) == 0
        ? random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20)
        : DOUBLES[random.nextInt(DOUBLES.length)];
  }

  private static BigDecimal decimal(Random random, int precision, int scale) {
    BigInteger most = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
    BigInteger units =
        switch (random.nextInt(6)) {
          case 0 -> most;
          case 1 -> most.negate();
          case 2, 3 -> new BigInteger(1 + random.nextInt(most.bitLength() - 1), random);
          default -> BigInteger.valueOf(random.nextInt(400) - 200);
        };
    return new BigDecimal(random.nextInt(3) == 0 ? units.negate() : units, scale);
  }

  private static LocalDate date(Random random) {
    return random.nextBoolean()
        ? LocalDate.parse(DATES[random.nextInt(DATES.length)])
        : LocalDate.ofEpochDay(random.nextInt(80_000) - 40_000);
  }

  private static Instant instant(Random random) {
    Instant day = date(random).atStartOfDay().toInstant(ZoneOffset.UTC);
    return switch (random.nextInt(4)) {
      case 0 -> day;
      case 1 -> day.plusNanos(1000);
      case 2 -> day.minusNanos(1000);
      default -> day.plusSeconds(random.nextInt(86_400)).plusNanos(1000L * random.nextInt(1_000_000));
    };
  }
}
