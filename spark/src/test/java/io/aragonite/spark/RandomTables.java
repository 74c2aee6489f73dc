package io.aragonite.spark;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/** Two tables of random rows, over values that engines differ on, one without rows, and one of rows. */
final class RandomTables {
  private RandomTables() {}

  /** Views a, b, nothing and few; files in a folder. */
  static void open(SparkSession session, Path folder) {
    Random random = new Random(Long.getLong("aragonite.seed", 1));
    StructType schema =
        StructType.fromDDL(
            "i int, l bigint, s smallint, d double, f float, m decimal(15,2), w decimal(30,4), "
                + "t string, day date, ts timestamp, b boolean, bin binary");
    for (String name : List.of("a", "b")) {
      List<Row> rows = new ArrayList<>();
      for (int n = 0; n < 900; n++) {
        rows.add(row(random));
      }
      // Rows are in some partitions only.
      session
          .createDataFrame(rows, schema)
          .repartition(2)
          .write()
          .parquet(folder.resolve(name).toString());
      session.read().parquet(folder.resolve(name).toString()).createOrReplaceTempView(name);
    }
    session.createDataFrame(List.<Row>of(), schema).createOrReplaceTempView("nothing");
    // Rows, not columns, and most partitions empty.
    session.sql("select * from a").repartition(5).where("i > 20").createOrReplaceTempView("few");
  }

  private static Row row(Random random) {
    double[] doubles = {0.0, -0.0, Double.NaN, 1.5, -1.5, Double.POSITIVE_INFINITY, 1e300, 7};
    String[] texts = {"", "a", "b", "aB", "ab%c", "über", "zz\uD83D\uDE00", "x_y", "abc"};
    int i = random.nextInt(25);
    double d = doubles[random.nextInt(doubles.length)];
    Object[] values = {
      i,
      random.nextInt(40) * 1_000_000_007L,
      (short) (random.nextInt(7) - 3),
      d,
      (float) doubles[random.nextInt(doubles.length)],
      BigDecimal.valueOf(random.nextInt(200_000) - 100_000, 2),
      new BigDecimal("1234567890123456789012.0000").add(BigDecimal.valueOf(random.nextInt(9), 4)),
      texts[random.nextInt(texts.length)],
      Date.valueOf(java.time.LocalDate.of(1995, 1, 1).plusDays(random.nextInt(900))),
      Timestamp.valueOf(LocalDateTime.of(2020, 1, 1, 0, 0).plusNanos(1000L * random.nextInt(9))),
      random.nextBoolean(),
      texts[random.nextInt(texts.length)].getBytes(java.nio.charset.StandardCharsets.UTF_8)
    };
    for (int field = 0; field < values.length; field++) {
      if (random.nextInt(8) == 0) {
        values[field] = null;
      }
    }
    return RowFactory.create(values);
  }
}
