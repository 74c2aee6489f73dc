package io.aragonite.spark.jdbc;

import io.aragonite.spark.flight.FlightServer;
import io.aragonite.spark.flight.FlightTable;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCScanBuilder;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTable;
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/**
 * Spark's catalog of JDBC tables, whose scans know the types of what Spark would push. With the
 * option {@code flight} rows come as columns from a Flight SQL server, in place of JDBC.
 */
public final class AragoniteCatalog extends JDBCTableCatalog {
  private @Nullable FlightServer flight;

  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    flight = FlightServer.of(options);
    // What Spark does not know goes to the driver.
    Map<String, String> known = new HashMap<>(options.asCaseSensitiveMap());
    known.keySet().removeIf(FlightServer.OPTION::equalsIgnoreCase);
    try {
      super.initialize(name, new CaseInsensitiveStringMap(known));
    } catch (LinkageError e) {
      throw DriverLibraries.missing(name, options.getOrDefault("driver", ""), e);
    }
  }

  @Override
  public Table loadTable(Identifier name) {
    Table untyped = super.loadTable(name);
    if (!(untyped instanceof JDBCTable table)) {
      return untyped;
    }
    TypedTable typed = new TypedTable(table);
    return flight == null ? typed : new FlightTable(typed, flight);
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
