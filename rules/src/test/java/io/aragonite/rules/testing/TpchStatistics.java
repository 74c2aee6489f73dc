package io.aragonite.rules.testing;

import io.aragonite.dataset.DatasetColumn;
import io.aragonite.rules.metadata.ColumnStatistics;
import io.aragonite.rules.metadata.TableStatistics;
import io.aragonite.tpch.TpchTable;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;

/** What loading TPC-H at scale 1 finds: rows, distinct values, bounds. */
final class TpchStatistics {
  private TpchStatistics() {}

  private static final Map<TpchTable, Double> ROWS =
      Map.of(
          TpchTable.REGION, 5.0,
          TpchTable.NATION, 25.0,
          TpchTable.SUPPLIER, 10_000.0,
          TpchTable.CUSTOMER, 150_000.0,
          TpchTable.PART, 200_000.0,
          TpchTable.PARTSUPP, 800_000.0,
          TpchTable.ORDERS, 1_500_000.0,
          TpchTable.LINEITEM, 6_001_215.0);

  /** Distinct values, least and greatest number. */
  private record Figures(double distinct, double min, double max) {}

  private static Figures days(double distinct, String min, String max) {
    return new Figures(
        distinct, LocalDate.parse(min).toEpochDay(), LocalDate.parse(max).toEpochDay());
  }

  private static final Map<String, Figures> NUMBERS =
      Map.ofEntries(
          Map.entry("r_regionkey", new Figures(5, 0, 4)),
          Map.entry("n_nationkey", new Figures(25, 0, 24)),
          Map.entry("n_regionkey", new Figures(5, 0, 4)),
          Map.entry("s_suppkey", new Figures(10_000, 1, 10_000)),
          Map.entry("s_nationkey", new Figures(25, 0, 24)),
          Map.entry("s_acctbal", new Figures(9_955, -998.22, 9999.72)),
          Map.entry("c_custkey", new Figures(150_000, 1, 150_000)),
          Map.entry("c_nationkey", new Figures(25, 0, 24)),
          Map.entry("c_acctbal", new Figures(140_187, -999.99, 9999.99)),
          Map.entry("p_partkey", new Figures(200_000, 1, 200_000)),
          Map.entry("p_size", new Figures(50, 1, 50)),
          Map.entry("p_retailprice", new Figures(20_899, 901, 2098.99)),
          Map.entry("ps_partkey", new Figures(200_000, 1, 200_000)),
          Map.entry("ps_suppkey", new Figures(10_000, 1, 10_000)),
          Map.entry("ps_availqty", new Figures(9_999, 1, 9_999)),
          Map.entry("ps_supplycost", new Figures(99_865, 1, 1000)),
          Map.entry("o_orderkey", new Figures(1_500_000, 1, 6_000_000)),
          Map.entry("o_custkey", new Figures(99_996, 1, 149_999)),
          Map.entry("o_totalprice", new Figures(1_464_556, 857.71, 555_285.16)),
          Map.entry("o_orderdate", days(2_406, "1992-01-01", "1998-08-02")),
          Map.entry("o_shippriority", new Figures(1, 0, 0)),
          Map.entry("l_orderkey", new Figures(1_500_000, 1, 6_000_000)),
          Map.entry("l_partkey", new Figures(200_000, 1, 200_000)),
          Map.entry("l_suppkey", new Figures(10_000, 1, 10_000)),
          Map.entry("l_linenumber", new Figures(7, 1, 7)),
          Map.entry("l_quantity", new Figures(50, 1, 50)),
          Map.entry("l_extendedprice", new Figures(933_900, 901, 104_949.5)),
          Map.entry("l_discount", new Figures(11, 0, 0.1)),
          Map.entry("l_tax", new Figures(9, 0, 0.08)),
          Map.entry("l_shipdate", days(2_526, "1992-01-02", "1998-12-01")),
          Map.entry("l_commitdate", days(2_466, "1992-01-31", "1998-10-31")),
          Map.entry("l_receiptdate", days(2_554, "1992-01-04", "1998-12-31")));

  private static final Map<String, Integer> TEXTS =
      Map.ofEntries(
          Map.entry("r_name", 5),
          Map.entry("r_comment", 5),
          Map.entry("n_name", 25),
          Map.entry("n_comment", 25),
          Map.entry("c_mktsegment", 5),
          Map.entry("p_mfgr", 5),
          Map.entry("p_brand", 25),
          Map.entry("p_type", 150),
          Map.entry("p_container", 40),
          Map.entry("o_orderstatus", 3),
          Map.entry("o_orderpriority", 5),
          Map.entry("o_clerk", 1000),
          Map.entry("l_returnflag", 3),
          Map.entry("l_linestatus", 2),
          Map.entry("l_shipinstruct", 4),
          Map.entry("l_shipmode", 7));

  static TableStatistics of(TpchTable table) {
    double rows = ROWS.getOrDefault(table, 1.0);
    List<ColumnStatistics> columns =
        table.columns().stream().map(column -> of(column, rows)).toList();
    return new TableStatistics(rows, columns);
  }

  private static ColumnStatistics of(DatasetColumn column, double rows) {
    Figures figures = NUMBERS.get(column.name());
    if (figures != null) {
      return new ColumnStatistics(0, figures.distinct, figures.min, figures.max, -1);
    }
    Integer distinct = TEXTS.get(column.name());
    return new ColumnStatistics(
        0, distinct == null ? rows * 0.9 : distinct, null, null, column.length() / 2.0);
  }
}
