package io.aragonite.spark.jdbc;

import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCScanBuilder;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTable;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Spark's catalog of JDBC tables, whose scans know the types of what Spark would push. */
public final class AragoniteCatalog extends JDBCTableCatalog {
  @Override
  public Table loadTable(Identifier name) {
    Table untyped = super.loadTable(name);
    return untyped instanceof JDBCTable table ? new TypedTable(table) : untyped;
  }

  private static final class TypedTable extends JDBCTable {
    private static final long serialVersionUID = 1;

    TypedTable(JDBCTable table) {
      super(table.ident(), table.schema(), table.jdbcOptions(), table.additionalMetrics());
    }

    @Override
    public JDBCScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      return new TypedScanBuilder(super.newScanBuilder(options));
    }
  }
}
