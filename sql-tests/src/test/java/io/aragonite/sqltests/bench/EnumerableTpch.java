package io.aragonite.sqltests.bench;

import io.aragonite.dataset.DatasetColumn;
import io.aragonite.tpch.TpchTable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.calcite.DataContext;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Linq4j;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.schema.ScannableTable;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.Statistics;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * The TPC-H tables as Java objects in stock Calcite: its own planner, rules and Enumerable engine.
 * They have row counts and keys, which is what Calcite's statistics have room for.
 */
public final class EnumerableTpch {
  private EnumerableTpch() {}

  /**
   * Loads the files that {@code TpchData} made; about 5 GB of heap for each unit of scale.
   *
   * @return a connection whose default schema has the tables
   */
  public static Connection open(Path directory) throws SQLException, IOException {
    Properties properties = new Properties();
    properties.setProperty("caseSensitive", "false");
    properties.setProperty("typeSystem", WideDecimals.class.getName());
    Connection connection = DriverManager.getConnection("jdbc:calcite:", properties);
    SchemaPlus root = connection.unwrap(CalciteConnection.class).getRootSchema();
    for (TpchTable table : TpchTable.values()) {
      root.add(table.tableName(), new HeapTable(table, read(directory, table)));
    }
    return connection;
  }

  /** Stock Calcite ends decimals at 19 digits and gives averages the scale of their argument. */
  public static final class WideDecimals extends RelDataTypeSystemImpl {
    private static final int DIGITS = 38;
    private static final int AVERAGE_SCALE = 6;

    @Override
    public int getMaxPrecision(SqlTypeName type) {
      return type == SqlTypeName.DECIMAL ? DIGITS : super.getMaxPrecision(type);
    }

    @Override
    public int getMaxScale(SqlTypeName type) {
      return type == SqlTypeName.DECIMAL ? DIGITS : super.getMaxScale(type);
    }

    @Override
    public RelDataType deriveAvgAggType(RelDataTypeFactory types, RelDataType argument) {
      return argument.getSqlTypeName() == SqlTypeName.DECIMAL
          ? types.createTypeWithNullability(
              types.createSqlType(SqlTypeName.DECIMAL, DIGITS, argument.getScale() + AVERAGE_SCALE),
              argument.isNullable())
          : super.deriveAvgAggType(types, argument);
    }
  }

  private static List<Object[]> read(Path directory, TpchTable table) throws IOException {
    List<Object[]> rows = new ArrayList<>();
    try (FileChannel file = FileChannel.open(directory.resolve(table.fileName()));
        BufferAllocator allocator = new RootAllocator();
        ArrowFileReader reader = new ArrowFileReader(file, allocator)) {
      while (reader.loadNextBatch()) {
        List<FieldVector> columns = reader.getVectorSchemaRoot().getFieldVectors();
        for (int i = 0; i < reader.getVectorSchemaRoot().getRowCount(); i++) {
          Object[] row = new Object[columns.size()];
          for (int column = 0; column < row.length; column++) {
            Object value = columns.get(column).getObject(i);
            boolean plain = value instanceof Number; // dates too: Calcite has them as days
            row[column] = plain ? value : value.toString();
          }
          rows.add(row);
        }
      }
    }
    return rows;
  }

  private static final class HeapTable extends AbstractTable implements ScannableTable {
    private final TpchTable table;
    private final List<Object[]> rows;

    HeapTable(TpchTable table, List<Object[]> rows) {
      this.table = table;
      this.rows = rows;
    }

    @Override
    public RelDataType getRowType(RelDataTypeFactory types) {
      RelDataTypeFactory.Builder builder = types.builder();
      for (DatasetColumn column : table.columns()) {
        RelDataType type =
            switch (column.kind()) {
              case BIGINT -> types.createSqlType(SqlTypeName.BIGINT);
              case INTEGER -> types.createSqlType(SqlTypeName.INTEGER);
              case DATE -> types.createSqlType(SqlTypeName.DATE);
              case DECIMAL -> types.createSqlType(SqlTypeName.DECIMAL, 15, 2);
              case CHAR, VARCHAR -> types.createSqlType(SqlTypeName.VARCHAR, column.length());
            };
        builder.add(column.name(), type);
      }
      return builder.build();
    }

    @Override
    public Statistic getStatistic() {
      List<String> names = table.columns().stream().map(DatasetColumn::name).toList();
      return Statistics.of(
          rows.size(),
          List.of(ImmutableBitSet.of(table.primaryKey().stream().map(names::indexOf).toList())));
    }

    @Override
    public Enumerable<Object[]> scan(DataContext context) {
      AtomicBoolean cancelled = DataContext.Variable.CANCEL_FLAG.get(context);
      return Linq4j.asEnumerable(rows)
          .where(row -> {
            if (cancelled.get()) {
              throw new CancellationException("gave up");
            }
            return true;
          });
    }
  }
}
