package io.aragonite.tpch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.dataset.Answer;
import io.aragonite.dataset.DatasetColumn;
import io.aragonite.dataset.DatasetForeignKey;
import io.aragonite.dataset.ProgressListener;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The data at scale 0.01, read back by Arrow's own reader. */
class GeneratedDataTest {
  private static final double SCALE = 0.01;

  @TempDir private static Path cache;
  private static final Map<TpchTable, TpchColumns> TABLES = new EnumMap<>(TpchTable.class);

  @BeforeAll
  static void generate() throws IOException, InterruptedException {
    Path directory = TpchData.ensure(SCALE, cache, 2, ProgressListener.NONE);
    assertEquals(cache.resolve("tpch").resolve("0.01"), directory);
    for (TpchTable table : TpchTable.values()) {
      TABLES.put(table, TpchColumns.read(directory, table));
    }
  }

  private static TpchColumns table(TpchTable table) {
    TpchColumns columns = TABLES.get(table);
    if (columns == null) {
      throw new AssertionError(table + " was not generated");
    }
    return columns;
  }

  @ParameterizedTest
  @CsvSource({
    "REGION, 5",
    "NATION, 25",
    "SUPPLIER, 100",
    "CUSTOMER, 1500",
    "PART, 2000",
    "PARTSUPP, 8000",
    "ORDERS, 15000",
    "LINEITEM, 60175"
  })
  void hasTheRowsOfDbgen(TpchTable table, int rows) {
    assertEquals(rows, table(table).rows());
  }

  @ParameterizedTest
  @EnumSource
  void hasTheDeclaredSchema(TpchTable table) {
    TpchColumns columns = table(table);
    assertEquals(table.schema(new TpchScale(SCALE), columns.rows()), columns.schema());
  }

  @ParameterizedTest
  @EnumSource
  void primaryKeysAreUniqueAndInOrder(TpchTable table) {
    List<List<Object>> keys = table(table).tuples(table.primaryKey());
    assertEquals(keys.size(), new HashSet<>(keys).size());
    for (int row = 1; row < keys.size(); row++) {
      long before = (Long) keys.get(row - 1).get(0);
      assertTrue(before <= (Long) keys.get(row).get(0), "row " + row);
    }
  }

  @ParameterizedTest
  @EnumSource
  void foreignKeysHold(TpchTable table) {
    for (DatasetForeignKey key : table.foreignKeys()) {
      TpchTable target = TpchTable.valueOf(key.target().toUpperCase(Locale.ROOT));
      Set<List<Object>> targets = new HashSet<>(table(target).tuples(key.targetColumns()));
      assertTrue(targets.containsAll(table(table).tuples(key.columns())), key.toString());
    }
  }

  @ParameterizedTest
  @EnumSource
  void stringsFitTheirDeclaredLength(TpchTable table) {
    for (DatasetColumn column : table.columns()) {
      if (column.length() > 0) {
        for (Object value : table(table).column(column.name())) {
          assertTrue(value.toString().length() <= column.length(), column + ": " + value);
        }
      }
    }
  }

  @Test
  void forecastRevenueRecomputedHereEqualsTheStoredAnswer() {
    TpchColumns lines = table(TpchTable.LINEITEM);
    BigDecimal revenue = BigDecimal.ZERO;
    for (int row = 0; row < lines.rows(); row++) {
      LocalDate shipped = day(lines.column("l_shipdate").get(row));
      BigDecimal discount = (BigDecimal) lines.column("l_discount").get(row);
      BigDecimal quantity = (BigDecimal) lines.column("l_quantity").get(row);
      if (shipped.getYear() == 1994
          && discount.compareTo(new BigDecimal("0.05")) >= 0
          && discount.compareTo(new BigDecimal("0.07")) <= 0
          && quantity.compareTo(new BigDecimal(24)) < 0) {
        BigDecimal price = (BigDecimal) lines.column("l_extendedprice").get(row);
        revenue = revenue.add(price.multiply(discount));
      }
    }
    assertEquals(stored(6).rows().get(0).get(0), revenue);
  }

  @Test
  void pricingSummaryRecomputedHereEqualsTheStoredAnswer() {
    TpchColumns lines = table(TpchTable.LINEITEM);
    LocalDate last = LocalDate.of(1998, 12, 1).minusDays(90);
    BigDecimal quantity = BigDecimal.ZERO;
    BigDecimal discounted = BigDecimal.ZERO;
    BigDecimal charge = BigDecimal.ZERO;
    long count = 0;
    for (int row = 0; row < lines.rows(); row++) {
      if (lines.column("l_returnflag").get(row).equals("R")
          && !day(lines.column("l_shipdate").get(row)).isAfter(last)) {
        BigDecimal price = (BigDecimal) lines.column("l_extendedprice").get(row);
        BigDecimal discount = (BigDecimal) lines.column("l_discount").get(row);
        BigDecimal tax = (BigDecimal) lines.column("l_tax").get(row);
        BigDecimal reduced = price.multiply(BigDecimal.ONE.subtract(discount));
        quantity = quantity.add((BigDecimal) lines.column("l_quantity").get(row));
        discounted = discounted.add(reduced);
        charge = charge.add(reduced.multiply(BigDecimal.ONE.add(tax)));
        count++;
      }
    }
    List<?> row = stored(1).rows().get(3);
    assertEquals("R", row.get(0));
    assertEquals(quantity, row.get(2));
    assertEquals(discounted, row.get(4));
    assertEquals(charge, row.get(5));
    assertEquals(BigDecimal.valueOf(count), row.get(9));
  }

  private static Answer stored(int query) {
    return TpchQuery.of(query).answer(SCALE).orElseThrow();
  }

  /** Arrow's reader gives a DATE as the number of its days. */
  private static LocalDate day(Object value) {
    return LocalDate.ofEpochDay((Integer) value);
  }
}
