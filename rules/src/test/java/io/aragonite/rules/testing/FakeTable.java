package io.aragonite.rules.testing;

import io.aragonite.dataset.DatasetColumn;
import io.aragonite.dataset.DatasetForeignKey;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.GpuTable;
import io.aragonite.rules.metadata.TableStatistics;
import io.aragonite.rules.runtime.EngineProvider;
import io.aragonite.rules.translate.TypeMapping;
import io.aragonite.tpch.TpchTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelReferentialConstraint;
import org.apache.calcite.rel.RelReferentialConstraintImpl;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.Statistics;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.type.SqlTypeFactoryImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.IntPair;

/** A TPC-H table with statistics and keys; it cannot be scanned. */
final class FakeTable extends AbstractTable implements GpuTable, Table {
  private final TpchTable table;

  FakeTable(TpchTable table) {
    this.table = table;
  }

  @Override
  public RelDataType getRowType(RelDataTypeFactory typeFactory) {
    RelDataTypeFactory.Builder builder = typeFactory.builder();
    for (DatasetColumn column : table.columns()) {
      SqlTypeName type = SqlTypeName.valueOf(column.kind().name());
      switch (type) {
        case CHAR, VARCHAR -> builder.add(column.name(), type, column.length());
        case DECIMAL -> builder.add(column.name(), type, 15, 2);
        default -> builder.add(column.name(), type);
      }
    }
    return builder.build();
  }

  @Override
  public Statistic getStatistic() {
    List<RelReferentialConstraint> foreign = new ArrayList<>();
    for (DatasetForeignKey key : table.foreignKeys()) {
      TpchTable target = TpchTable.valueOf(key.target().toUpperCase(java.util.Locale.ROOT));
      List<IntPair> pairs = new ArrayList<>();
      for (int i = 0; i < key.columns().size(); i++) {
        pairs.add(
            IntPair.of(
                ordinal(table, key.columns().get(i)), ordinal(target, key.targetColumns().get(i))));
      }
      foreign.add(
          RelReferentialConstraintImpl.of(
              List.of(table.tableName()), List.of(target.tableName()), pairs));
    }
    int[] key = table.primaryKey().stream().mapToInt(name -> ordinal(table, name)).toArray();
    return Statistics.of(statistics().rows(), List.of(ImmutableBitSet.of(key)), foreign, List.of());
  }

  private static int ordinal(TpchTable table, String name) {
    for (int i = 0; i < table.columns().size(); i++) {
      if (table.columns().get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException(name);
  }

  @Override
  public TableStatistics statistics() {
    return TpchStatistics.of(table);
  }

  @Override
  public Table data() {
    return this;
  }

  @Override
  public EngineProvider engines() {
    return () -> {
      throw new UnsupportedOperationException("a table without data");
    };
  }

  @Override
  public String name() {
    return table.tableName();
  }

  @Override
  public List<String> columnNames() {
    return table.columns().stream().map(DatasetColumn::name).toList();
  }

  @Override
  public List<DataType> columnTypes() {
    return TypeMapping.ofRow(
        getRowType(
            new SqlTypeFactoryImpl(io.aragonite.rules.translate.AragoniteTypeSystem.INSTANCE)));
  }

  @Override
  public Pin pin(List<Integer> columns) {
    throw new UnsupportedOperationException("a table without data");
  }
}
