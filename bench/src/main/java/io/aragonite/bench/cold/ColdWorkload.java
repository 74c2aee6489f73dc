package io.aragonite.bench.cold;

import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.DatasetColumn;
import io.aragonite.tpcds.TpcdsData;
import io.aragonite.tpcds.TpcdsQuery;
import io.aragonite.tpcds.TpcdsTable;
import io.aragonite.tpch.TpchData;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tables and the queries over them. */
public enum ColdWorkload {
  TPCH("TPC-H"),
  TPCDS("TPC-DS");

  private final String title;

  ColdWorkload(String title) {
    this.title = title;
  }

  /** As people write it. */
  String title() {
    return title;
  }

  /** How many queries there are; some of TPC-DS have two statements. */
  public int count() {
    return this == TPCH ? TpchQuery.COUNT : TpcdsQuery.COUNT;
  }

  /**
   * The tables at a scale.
   *
   * @throws IllegalArgumentException if the scale is out of range
   */
  public Dataset dataset(double scale) {
    return this == TPCH ? new TpchData(scale) : new TpcdsData(scale);
  }

  /** The columns by the tables' names. */
  Map<String, List<DatasetColumn>> columns() {
    Map<String, List<DatasetColumn>> columns = new LinkedHashMap<>();
    if (this == TPCH) {
      List.of(TpchTable.values())
          .forEach(table -> columns.put(table.tableName(), table.columns()));
    } else {
      TpcdsTable.all().forEach(table -> columns.put(table.tableName(), table.columns()));
    }
    return columns;
  }

  /**
   * Whether CSV files have their types declared. In TPC-DS postal codes look like numbers, and some
   * columns are empty.
   */
  boolean declaresTypes() {
    return this == TPCDS;
  }

  /** The statements of all queries, in order. */
  public List<ColdQuery> queries(double scale) {
    return this == TPCH
        ? TpchQuery.all().stream().map(query -> tpch(query, scale)).toList()
        : TpcdsQuery.all().stream().map(ColdWorkload::tpcds).toList();
  }

  private static ColdQuery tpch(TpchQuery query, double scale) {
    return new ColdQuery(
        query.number(),
        query.toString(),
        query.sql(scale),
        query.sql(scale),
        Long.MAX_VALUE,
        labels -> query.orderBy(),
        () -> query.answer(scale));
  }

  private static ColdQuery tpcds(TpcdsQuery query) {
    return new ColdQuery(
        query.number(),
        query.name(),
        query.sql(),
        query.unlimited(),
        query.limit(),
        query::sortedOn,
        Optional::empty);
  }
}
