package io.aragonite.tpch;

import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.DatasetColumn;
import io.aragonite.dataset.DatasetColumn.ColumnKind;
import io.aragonite.dataset.DatasetForeignKey;
import io.aragonite.dataset.DatasetSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.pojo.Schema;

/** The eight tables of TPC-H (specification 3.0.1, clause 1.4), with their types and keys. */
public enum TpchTable {
  /** Five regions. */
  REGION("r_regionkey", "", "r_regionkey BIGINT; r_name CHAR(25); r_comment VARCHAR(152)"),

  /** 25 nations. */
  NATION(
      "n_nationkey",
      "n_regionkey->region(r_regionkey)",
      "n_nationkey BIGINT; n_name CHAR(25); n_regionkey BIGINT; n_comment VARCHAR(152)"),

  /** 10,000 rows for each unit of scale. */
  SUPPLIER(
      "s_suppkey",
      "s_nationkey->nation(n_nationkey)",
      "s_suppkey BIGINT; s_name CHAR(25); s_address VARCHAR(40); s_nationkey BIGINT;"
          + " s_phone CHAR(15); s_acctbal DECIMAL; s_comment VARCHAR(101)"),

  /** 150,000 rows for each unit of scale. */
  CUSTOMER(
      "c_custkey",
      "c_nationkey->nation(n_nationkey)",
      "c_custkey BIGINT; c_name VARCHAR(25); c_address VARCHAR(40); c_nationkey BIGINT;"
          + " c_phone CHAR(15); c_acctbal DECIMAL; c_mktsegment CHAR(10); c_comment VARCHAR(117)"),

  /** 200,000 rows for each unit of scale. */
  PART(
      "p_partkey",
      "",
      "p_partkey BIGINT; p_name VARCHAR(55); p_mfgr CHAR(25); p_brand CHAR(10);"
          + " p_type VARCHAR(25); p_size INTEGER; p_container CHAR(10); p_retailprice DECIMAL;"
          + " p_comment VARCHAR(23)"),

  /** Four rows for each part. */
  PARTSUPP(
      "ps_partkey,ps_suppkey",
      "ps_partkey->part(p_partkey);ps_suppkey->supplier(s_suppkey)",
      "ps_partkey BIGINT; ps_suppkey BIGINT; ps_availqty INTEGER; ps_supplycost DECIMAL;"
          + " ps_comment VARCHAR(199)"),

  /** 1,500,000 rows for each unit of scale. */
  ORDERS(
      "o_orderkey",
      "o_custkey->customer(c_custkey)",
      "o_orderkey BIGINT; o_custkey BIGINT; o_orderstatus CHAR(1); o_totalprice DECIMAL;"
          + " o_orderdate DATE; o_orderpriority CHAR(15); o_clerk CHAR(15);"
          + " o_shippriority INTEGER; o_comment VARCHAR(79)"),

  /** One to seven rows for each order. */
  LINEITEM(
      "l_orderkey,l_linenumber",
      "l_orderkey->orders(o_orderkey);l_partkey->part(p_partkey);l_suppkey->supplier(s_suppkey);"
          + "l_partkey,l_suppkey->partsupp(ps_partkey,ps_suppkey)",
      "l_orderkey BIGINT; l_partkey BIGINT; l_suppkey BIGINT; l_linenumber INTEGER;"
          + " l_quantity DECIMAL; l_extendedprice DECIMAL; l_discount DECIMAL; l_tax DECIMAL;"
          + " l_returnflag CHAR(1); l_linestatus CHAR(1); l_shipdate DATE; l_commitdate DATE;"
          + " l_receiptdate DATE; l_shipinstruct CHAR(25); l_shipmode CHAR(10);"
          + " l_comment VARCHAR(44)");

  /** Key of the schema metadata that holds the number of rows of the whole table. */
  public static final String ROW_COUNT = "aragonite.rowCount";

  private final List<String> primaryKey;
  private final List<DatasetForeignKey> foreignKeys;
  private final List<DatasetColumn> columns;

  TpchTable(String primaryKey, String foreignKeys, String columns) {
    this.primaryKey = List.of(primaryKey.split(","));
    this.foreignKeys =
        Stream.of(foreignKeys.split(";"))
            .filter(text -> !text.isEmpty())
            .map(DatasetForeignKey::parse)
            .toList();
    this.columns = Stream.of(columns.split("; ")).map(TpchTable::column).toList();
  }

  /** Reads {@code "l_comment VARCHAR(44)"}; a DECIMAL is one of 15 digits, two after the point. */
  private static DatasetColumn column(String declaration) {
    int space = declaration.indexOf(' ');
    int open = declaration.indexOf('(');
    String name = declaration.substring(0, space);
    if (open < 0) {
      ColumnKind kind = ColumnKind.valueOf(declaration.substring(space + 1));
      boolean decimal = kind == ColumnKind.DECIMAL;
      return new DatasetColumn(name, kind, decimal ? 15 : 0, decimal ? 2 : 0, false);
    }
    ColumnKind kind = ColumnKind.valueOf(declaration.substring(space + 1, open));
    int length = Integer.parseInt(declaration.substring(open + 1, declaration.length() - 1));
    return new DatasetColumn(name, kind, length, 0, false);
  }

  /** The name in SQL, lower case. */
  public String tableName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The name of the table's file in a directory of {@link TpchData}. */
  public String fileName() {
    return Dataset.fileName(tableName());
  }

  /** The columns in the order of the specification. */
  public List<DatasetColumn> columns() {
    return columns;
  }

  /** The primary key of the specification; see {@link #primaryKey(TpchScale)} for small scales. */
  public List<String> primaryKey() {
    return primaryKey;
  }

  /** The primary key as far as the data of this scale has it; empty if it does not hold there. */
  public List<String> primaryKey(TpchScale scale) {
    return this == PARTSUPP && !scale.partSuppKeysAreUnique() ? List.of() : primaryKey;
  }

  /** The foreign keys of the specification. */
  public List<DatasetForeignKey> foreignKeys() {
    return foreignKeys;
  }

  /** The foreign keys that refer to a key which holds in the data of this scale. */
  public List<DatasetForeignKey> foreignKeys(TpchScale scale) {
    return foreignKeys.stream()
        .filter(key -> !key.target().equals("partsupp") || scale.partSuppKeysAreUnique())
        .toList();
  }

  /**
   * The Arrow schema of the files at this scale, keys in its metadata.
   *
   * @param rows the rows of the whole table, put into the metadata
   */
  public Schema schema(TpchScale scale, long rows) {
    Schema schema = DatasetSchema.of(columns, primaryKey(scale), foreignKeys(scale));
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put(ROW_COUNT, Long.toString(rows));
    metadata.putAll(schema.getCustomMetadata());
    return new Schema(schema.getFields(), metadata);
  }
}
