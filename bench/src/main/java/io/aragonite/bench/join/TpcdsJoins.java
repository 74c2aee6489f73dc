package io.aragonite.bench.join;

import io.trino.tpcds.Results;
import io.trino.tpcds.Session;
import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The joins J4 and J5 of Wu24's table 6, which are joins of TPC-DS's queries 64 and 95, from its
 * tables: numbers as they are, decimals as their digits, nulls as -1, texts as codes.
 *
 * <p>J4 are the sales of a year in stores with the customers' demographics: of the payload, which
 * the paper counts and does not name, three keys and seven figures. J5 are sales in the web with
 * those of the same order.
 */
public final class TpcdsJoins {
  /** Days of 1999, of which query 64 has one of its two years: as numbers of date_dim. */
  private static final int YEAR_FROM = 2_451_180;

  private static final int YEAR_TO = 2_451_544;

  private final double scale;
  private final int threads;

  /**
   * @param scale of the tables, which are generated each time
   */
  public TpcdsJoins(double scale, int threads) {
    this.scale = scale;
    this.threads = threads;
  }

  /** Whether there is a join of this name. */
  public static boolean has(String name) {
    return name.equals("J4") || name.equals("J5");
  }

  /** The rows of the join with a name that there {@link #has is}. */
  public JoinTables tables(String name) {
    if (name.equals("J4")) {
      return new JoinTables(
          columns(Table.CUSTOMER_DEMOGRAPHICS, row -> true, "cd_demo_sk", "cd_marital_status"),
          columns(
              Table.STORE_SALES,
              row ->
                  row.get("ss_cdemo_sk") >= 0
                      && row.get("ss_sold_date_sk") >= YEAR_FROM
                      && row.get("ss_sold_date_sk") <= YEAR_TO,
              "ss_cdemo_sk",
              "ss_item_sk",
              "ss_customer_sk",
              "ss_store_sk",
              "ss_quantity",
              "ss_wholesale_cost",
              "ss_list_price",
              "ss_sales_price",
              "ss_coupon_amt",
              "ss_net_paid",
              "ss_net_profit"));
    }
    if (!name.equals("J5")) {
      throw new IllegalArgumentException(name);
    }
    List<long[]> sales =
        columns(Table.WEB_SALES, row -> true, "ws_order_number", "ws_warehouse_sk");
    return new JoinTables(sales, sales);
  }

  /** A generated row, by names of columns. */
  private record Row(Map<String, Integer> places, List<String> values, Codes codes) {
    long get(String column) {
      return codes.value(column, values.get(Objects.requireNonNull(places.get(column), column)));
    }
  }

  /** Numbers of texts, in the order of their appearance. */
  private static final class Codes {
    private final Map<String, Long> codes = new ConcurrentHashMap<>();
    private final AtomicInteger next = new AtomicInteger();

    long value(String column, @Nullable String text) {
      if (text == null || text.isEmpty()) {
        return -1;
      }
      char first = text.charAt(0);
      if (first == '-' || Character.isDigit(first)) {
        return Long.parseLong(text.replace(".", ""));
      }
      return codes.computeIfAbsent(column + " " + text, key -> (long) next.getAndIncrement());
    }
  }

  /** Columns of the rows that are wanted, which threads generate beside each other. */
  private List<long[]> columns(Table table, Predicate<Row> wanted, String... names) {
    Codes codes = new Codes();
    Map<String, Integer> places = new ConcurrentHashMap<>();
    for (Column column : table.getColumns()) {
      places.put(column.getName(), column.getPosition());
    }
    if (!places.keySet().containsAll(Set.of(names))) {
      throw new IllegalArgumentException(table + " has " + places.keySet());
    }
    // Few parts are made the way one is: small tables have no more.
    int parts = scale < 1 ? 1 : 4 * threads;
    List<Chunk> chunks =
        IntStream.rangeClosed(1, parts)
            .parallel()
            .mapToObj(part -> {
              Session session =
                  Session.getDefaultSession()
                      .withScale(scale)
                      .withTable(table)
                      .withParallelism(parts)
                      .withChunkNumber(part);
              Chunk chunk = new Chunk(names.length);
              for (List<List<String>> rows : Results.constructResults(table, session)) {
                Row row = new Row(places, rows.getFirst(), codes);
                if (wanted.test(row)) {
                  chunk.add(row, names);
                }
              }
              return chunk;
            })
            .toList();
    List<long[]> columns = new ArrayList<>();
    int total = chunks.stream().mapToInt(chunk -> chunk.rows).sum();
    for (int c = 0; c < names.length; c++) {
      long[] all = new long[total];
      int at = 0;
      for (Chunk chunk : chunks) {
        System.arraycopy(chunk.columns[c], 0, all, at, chunk.rows);
        at += chunk.rows;
      }
      columns.add(all);
    }
    return columns;
  }

  private static final class Chunk {
    private final long[][] columns;
    private int rows;

    Chunk(int width) {
      columns = new long[width][1024];
    }

    void add(Row row, String[] names) {
      for (int c = 0; c < names.length; c++) {
        if (rows == columns[c].length) {
          columns[c] = Arrays.copyOf(columns[c], 2 * rows);
        }
        columns[c][rows] = row.get(names[c]);
      }
      rows++;
    }
  }
}
