package io.aragonite.spark.flight;

import java.util.Set;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTable;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table that JDBC describes, and of which rows come from a Flight SQL server. */
public final class FlightTable implements SupportsRead, SupportsWrite {
  private final JDBCTable table;
  private final FlightServer server;

  public FlightTable(JDBCTable table, FlightServer server) {
    this.table = table;
    this.server = server;
  }

  @Override
  public String name() {
    return table.name();
  }

  @Override
  public Column[] columns() {
    return table.columns();
  }

  @Override
  public Set<TableCapability> capabilities() {
    return table.capabilities();
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return new FlightScanBuilder(table.newScanBuilder(options), server);
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return table.newWriteBuilder(info);
  }
}
