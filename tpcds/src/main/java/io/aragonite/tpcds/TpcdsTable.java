package io.aragonite.tpcds;

import io.aragonite.dataset.DatasetColumn;
import io.aragonite.dataset.DatasetColumn.ColumnKind;
import io.aragonite.dataset.DatasetForeignKey;
import io.aragonite.dataset.DatasetSchema;
import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import io.trino.tpcds.column.ColumnType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One of the 24 tables of TPC-DS (specification, clause 2) with its types and keys, which follow
 * from the names of the generator's columns.
 *
 * @param generated the generator's table
 * @param primaryKey names of columns
 */
public record TpcdsTable(
    Table generated,
    List<DatasetColumn> columns,
    List<String> primaryKey,
    List<DatasetForeignKey> foreignKeys) {

  /** Which table the columns refer to whose names end so, and its key. */
  private static final Map<String, String> REFERENCES =
      Map.ofEntries(
          Map.entry("_date_sk", "date_dim(d_date_sk)"),
          Map.entry("_time_sk", "time_dim(t_time_sk)"),
          Map.entry("_customer_sk", "customer(c_customer_sk)"),
          Map.entry("_cdemo_sk", "customer_demographics(cd_demo_sk)"),
          Map.entry("_hdemo_sk", "household_demographics(hd_demo_sk)"),
          Map.entry("_addr_sk", "customer_address(ca_address_sk)"),
          Map.entry("_income_band_sk", "income_band(ib_income_band_sk)"),
          Map.entry("_item_sk", "item(i_item_sk)"),
          Map.entry("_store_sk", "store(s_store_sk)"),
          Map.entry("_call_center_sk", "call_center(cc_call_center_sk)"),
          Map.entry("_catalog_page_sk", "catalog_page(cp_catalog_page_sk)"),
          Map.entry("_web_page_sk", "web_page(wp_web_page_sk)"),
          Map.entry("_web_site_sk", "web_site(web_site_sk)"),
          Map.entry("_promo_sk", "promotion(p_promo_sk)"),
          Map.entry("_reason_sk", "reason(r_reason_sk)"),
          Map.entry("_ship_mode_sk", "ship_mode(sm_ship_mode_sk)"),
          Map.entry("_warehouse_sk", "warehouse(w_warehouse_sk)"));

  /** Copies the lists. */
  public TpcdsTable {
    columns = List.copyOf(columns);
    primaryKey = List.copyOf(primaryKey);
    foreignKeys = List.copyOf(foreignKeys);
  }

  /** All of them, in the order of their names. */
  public static List<TpcdsTable> all() {
    return Table.getBaseTables().stream()
        .filter(table -> table != Table.DBGEN_VERSION) // about a run, and in no query
        .map(TpcdsTable::of)
        .toList();
  }

  private static TpcdsTable of(Table table) {
    List<String> names = Stream.of(table.getColumns()).map(Column::getName).toList();
    List<String> key = primaryKey(table, names);
    List<DatasetColumn> columns = new ArrayList<>();
    for (Column column : table.getColumns()) {
      String name = column.getName();
      // the key that the business knows a row of a dimension by
      boolean known = name.equals(names.get(1)) && name.endsWith("_id");
      columns.add(column(name, column.getType(), !known && !key.contains(name)));
    }
    return new TpcdsTable(table, columns, key, foreignKeys(table, names, key));
  }

  private static List<String> primaryKey(Table table, List<String> names) {
    return switch (table) {
      case STORE_SALES -> List.of("ss_item_sk", "ss_ticket_number");
      case STORE_RETURNS -> List.of("sr_item_sk", "sr_ticket_number");
      case CATALOG_SALES -> List.of("cs_item_sk", "cs_order_number");
      case CATALOG_RETURNS -> List.of("cr_item_sk", "cr_order_number");
      case WEB_SALES -> List.of("ws_item_sk", "ws_order_number");
      case WEB_RETURNS -> List.of("wr_item_sk", "wr_order_number");
      case INVENTORY -> List.of("inv_date_sk", "inv_item_sk", "inv_warehouse_sk");
      default -> List.of(names.getFirst());
    };
  }

  private static List<DatasetForeignKey> foreignKeys(
      Table table, List<String> names, List<String> key) {
    List<DatasetForeignKey> keys = new ArrayList<>();
    for (String name : names) {
      if (key.size() == 1 && key.contains(name)) {
        continue;
      }
      REFERENCES.forEach((end, target) -> {
        if (name.endsWith(end)) {
          keys.add(DatasetForeignKey.parse(name + "->" + target));
        }
      });
    }
    String sales = sales(table);
    if (sales != null) {
      keys.add(DatasetForeignKey.parse(String.join(",", key) + "->" + sales));
    }
    return keys;
  }

  private static @Nullable String sales(Table table) {
    return switch (table) {
      case STORE_RETURNS -> "store_sales(ss_item_sk,ss_ticket_number)";
      case CATALOG_RETURNS -> "catalog_sales(cs_item_sk,cs_order_number)";
      case WEB_RETURNS -> "web_sales(ws_item_sk,ws_order_number)";
      default -> null;
    };
  }

  /** Numbers of rows have 32 bits at every scale, but those of tickets and orders. */
  private static DatasetColumn column(String name, ColumnType type, boolean nullable) {
    ColumnKind kind =
        switch (type.getBase()) {
          case IDENTIFIER -> name.endsWith("_sk") ? ColumnKind.INTEGER : ColumnKind.BIGINT;
          case INTEGER -> ColumnKind.INTEGER;
          case DECIMAL -> ColumnKind.DECIMAL;
          case DATE -> ColumnKind.DATE;
          case CHAR -> ColumnKind.CHAR;
          case VARCHAR -> ColumnKind.VARCHAR;
          case TIME -> throw new IllegalArgumentException(name + " is a time");
        };
    return new DatasetColumn(
        name, kind, type.getPrecision().orElse(0), type.getScale().orElse(0), nullable);
  }

  /** The name in SQL, lower case. */
  public String tableName() {
    return generated.getName();
  }

  /** The Arrow schema, keys in its metadata. */
  public Schema schema() {
    return DatasetSchema.of(columns, primaryKey, foreignKeys);
  }
}
