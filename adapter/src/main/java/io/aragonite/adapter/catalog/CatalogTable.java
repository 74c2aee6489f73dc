package io.aragonite.adapter.catalog;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.ForeignKeyHint;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedValue;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.TableCatalog;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.adapter.table.TableSubsets;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.table.ValueDistribution;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.GpuTable;
import io.aragonite.rules.function.IntervalFunctions;
import io.aragonite.rules.function.NestedDecoder;
import io.aragonite.rules.metadata.ColumnStatistics;
import io.aragonite.rules.metadata.Histogram;
import io.aragonite.rules.metadata.KeySketch;
import io.aragonite.rules.metadata.Partitions;
import io.aragonite.rules.metadata.RowSample;
import io.aragonite.rules.metadata.TableStatistics;
import io.aragonite.rules.runtime.EngineProvider;
import io.aragonite.rules.translate.AragoniteTypeSystem;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelReferentialConstraint;
import org.apache.calcite.rel.RelReferentialConstraintImpl;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.type.BasicSqlType;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.mapping.IntPair;
import org.jspecify.annotations.Nullable;

/** A file's table as Calcite and the planner see it. */
public final class CatalogTable extends AbstractTable implements GpuTable {
  private final CachedTable data;
  private final TableCatalog.Names others;
  private final EngineProvider engines;
  private final TableSubsets subsets;
  private final @Nullable String part;
  private final TableRules rules;

  /**
   * @param others the tables that foreign keys refer to
   */
  public CatalogTable(
      CachedTable data, TableCatalog.Names others, TableSubsets subsets, EngineProvider engines) {
    this(data, others, subsets, engines, null, TableRules.NONE);
  }

  /** A table of a connection's own. */
  CatalogTable(CachedTable data, TableRules rules, TableSubsets subsets, EngineProvider engines) {
    this(data, name -> null, subsets, engines, null, rules);
  }

  /** A table of files that a statement names. */
  CatalogTable(CachedTable data, TableSubsets subsets, EngineProvider engines) {
    this(data, name -> null, subsets, engines, null, TableRules.NONE);
  }

  private CatalogTable(
      CachedTable data,
      TableCatalog.Names others,
      TableSubsets subsets,
      EngineProvider engines,
      @Nullable String part,
      TableRules rules) {
    this.data = data;
    this.others = others;
    this.subsets = subsets;
    this.engines = engines;
    this.part = part;
    this.rules = rules;
  }

  @Override
  public @Nullable Partitions partitions() {
    return part != null ? null : data.partitions();
  }

  @Override
  public @Nullable BitSet matchingFiles(Expr condition) {
    return part != null ? null : data.matchingFiles(condition);
  }

  @Override
  public CatalogTable someFiles(BitSet chosen) {
    CachedTable some = part != null ? data : subsets.subset(data, chosen);
    return some.equals(data)
        ? this
        : new CatalogTable(
            some,
            others,
            subsets,
            engines,
            "files %s of %,d".formatted(chosen, data.fileCount()),
            rules);
  }

  @Override
  public @Nullable String part() {
    return part;
  }

  @Override
  public RelDataType getRowType(RelDataTypeFactory factory) {
    RelDataTypeFactory.Builder row = factory.builder();
    List<String> names = data.columnNames();
    List<DataType> types = data.columnTypes();
    List<FileColumn> columns = data.file().columns();
    for (int i = 0; i < names.size(); i++) {
      row.add(names.get(i), sqlType(columns.get(i), types.get(i), factory));
    }
    return row.build();
  }

  private static RelDataType sqlType(FileColumn column, DataType type, RelDataTypeFactory factory) {
    NestedType nested = column.nested();
    if (nested == null && !column.uuid()) {
      return sqlType(type, factory);
    }
    RelDataType sqlType =
        nested == null ? factory.createSqlType(SqlTypeName.UUID) : sqlType(nested, factory);
    return factory.createTypeWithNullability(sqlType, type.nullable());
  }

  private static RelDataType sqlType(NestedType type, RelDataTypeFactory factory) {
    RelDataType sqlType =
        switch (type) {
          case NestedType.Scalar scalar -> sqlType(scalar.type(), factory);
          case NestedType.Listed list ->
              factory.createArrayType(sqlType(list.element(), factory), -1);
          case NestedType.Mapped map ->
              factory.createMapType(sqlType(map.key(), factory), sqlType(map.value(), factory));
          case NestedType.Struct struct -> {
            RelDataTypeFactory.Builder fields = factory.builder();
            struct
                .fields()
                .forEach(field -> fields.add(field.name(), sqlType(field.type(), factory)));
            yield fields.build();
          }
        };
    return factory.createTypeWithNullability(sqlType, type.nullable());
  }

  private static RelDataType sqlType(DataType type, RelDataTypeFactory factory) {
    RelDataType sqlType =
        switch (type.kind()) {
          case NULL -> factory.createSqlType(SqlTypeName.NULL);
          case BOOLEAN -> factory.createSqlType(SqlTypeName.BOOLEAN);
          case INT8 -> factory.createSqlType(SqlTypeName.TINYINT);
          case INT16 -> factory.createSqlType(SqlTypeName.SMALLINT);
          case INT32 -> factory.createSqlType(SqlTypeName.INTEGER);
          case INT64 -> factory.createSqlType(SqlTypeName.BIGINT);
          case FLOAT32 -> factory.createSqlType(SqlTypeName.REAL);
          case FLOAT64 -> factory.createSqlType(SqlTypeName.DOUBLE);
          case DECIMAL ->
              factory.createSqlType(SqlTypeName.DECIMAL, type.precision(), type.scale());
          case DATE -> factory.createSqlType(SqlTypeName.DATE);
          case TIME -> factory.createSqlType(SqlTypeName.TIME, type.precision());
          // Another driver's type system may have fewer digits, but the values have them all.
          case TIMESTAMP ->
              new BasicSqlType(
                  AragoniteTypeSystem.INSTANCE, SqlTypeName.TIMESTAMP, type.precision());
          case INSTANT ->
              new BasicSqlType(
                  AragoniteTypeSystem.INSTANCE,
                  SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE,
                  type.precision());
          case CHAR -> variable(SqlTypeName.CHAR, type, factory);
          case VARCHAR -> variable(SqlTypeName.VARCHAR, type, factory);
          case BINARY -> variable(SqlTypeName.VARBINARY, type, factory);
          case INTERVAL_MONTH -> factory.createSqlIntervalType(IntervalFunctions.YEAR_MONTH);
          case INTERVAL_DAY -> factory.createSqlIntervalType(IntervalFunctions.DAY_TIME);
          case OPAQUE -> throw new IllegalArgumentException("no file has columns of type " + type);
        };
    return factory.createTypeWithNullability(sqlType, type.nullable());
  }

  private static RelDataType variable(SqlTypeName name, DataType type, RelDataTypeFactory factory) {
    return type.precision() < 0
        ? factory.createSqlType(name == SqlTypeName.CHAR ? SqlTypeName.VARCHAR : name)
        : factory.createSqlType(name, type.precision());
  }

  /** What holds of its rows, if statements of the connection have made it. */
  public TableRules rules() {
    return rules;
  }

  @Override
  public CachedTable data() {
    return data;
  }

  @Override
  public @Nullable NestedDecoder decoder(int column) {
    FileColumn stored = data.file().columns().get(column);
    NestedType nested = stored.nested();
    return nested == null ? null : new NestedValue(nested, stored.name());
  }

  @Override
  public EngineProvider engines() {
    return engines;
  }

  /**
   * Figures of a column are found when they are asked for, which may load that of a small table.
   */
  @Override
  public TableStatistics statistics() {
    return new TableStatistics(data.rows(), new Columns(data), data.statistics().doubt());
  }

  @Override
  public @Nullable KeySketch keySketch(List<Integer> columns) {
    boolean readable =
        columns.stream().allMatch(column -> data.file().columns().get(column).type() != null);
    return readable ? data.statistics().plannedSketch(columns) : null;
  }

  @Override
  public RowSample sample() {
    return data.statistics().sample();
  }

  @Override
  public void expect(Set<Integer> columns, Set<Integer> tried) {
    // Of several files a filter may leave some out, which are not opened then.
    if (data.fileCount() == 1) {
      data.statistics().expect(columns, tried);
    }
  }

  private static final class Columns extends AbstractList<ColumnStatistics> {
    private final CachedTable data;

    Columns(CachedTable data) {
      this.data = data;
    }

    @Override
    public ColumnStatistics get(int index) {
      DataType type = data.columnTypes().get(index);
      if (data.file().columns().get(index).type() == null) {
        return ColumnStatistics.UNKNOWN;
      }
      var known = data.statistics().planned(index);
      Double min = null;
      Double max = null;
      // Division rounds as reading a literal of so many digits does, so that both are equal.
      double unit = Math.pow(10, type.scale());
      if (known.range() != null) {
        min = known.range().min() / unit;
        max = known.range().max() / unit;
      }
      return new ColumnStatistics(
          known.nulls(),
          known.distinct(),
          min,
          max,
          known.averageWidth(),
          histogram(known.distribution(), unit));
    }

    /** The figures of stored values in the planner's units; of texts frequent values only. */
    private static Histogram histogram(ValueDistribution spread, double unit) {
      if (spread.sampled() == 0) {
        return Histogram.NONE;
      }
      Map<Object, Double> frequent = new HashMap<>();
      boolean texts = false;
      for (int i = 0; i < spread.frequent().size(); i++) {
        Object value = spread.frequent().get(i);
        texts |= value instanceof String;
        frequent.put(value instanceof Double number ? number / unit : value, spread.shares()[i]);
      }
      double[] bounds =
          texts
              ? new double[0]
              : Arrays.stream(spread.bounds()).map(bound -> bound / unit).toArray();
      return new Histogram(bounds, frequent, true);
    }

    @Override
    public int size() {
      return data.columnTypes().size();
    }
  }

  @Override
  public Statistic getStatistic() {
    return new Keys();
  }

  /** Keys by column position. */
  private final class Keys implements Statistic {
    @Override
    public Double getRowCount() {
      return (double) data.rows();
    }

    @Override
    public boolean isKey(ImmutableBitSet columns) {
      return getKeys().stream().anyMatch(columns::contains);
    }

    @Override
    public List<ImmutableBitSet> getKeys() {
      List<Integer> key = positions(data, data.file().primaryKey());
      if (key != null && !key.isEmpty()) {
        return List.of(ImmutableBitSet.of(key));
      }
      return rules.keys().stream()
          .map(TableRules.KeyRule::columns)
          .filter(columns ->
              columns.stream().noneMatch(column -> data.columnTypes().get(column).nullable()))
          .map(ImmutableBitSet::of)
          .toList();
    }

    @Override
    public List<RelCollation> getCollations() {
      return List.of();
    }

    @Override
    public List<RelReferentialConstraint> getReferentialConstraints() {
      List<RelReferentialConstraint> constraints = new ArrayList<>();
      for (ForeignKeyHint key : data.file().foreignKeys()) {
        CachedTable target = others.table(key.table());
        List<Integer> from = positions(data, key.columns());
        List<Integer> to = target == null ? null : positions(target, key.references());
        if (from != null && to != null && from.size() == to.size()) {
          constraints.add(
              RelReferentialConstraintImpl.of(
                  List.of(data.name()), List.of(key.table()), IntPair.zip(from, to)));
        }
      }
      return constraints;
    }
  }

  private static @Nullable List<Integer> positions(CachedTable table, List<String> names) {
    List<String> columns = table.columnNames();
    List<Integer> positions = new ArrayList<>();
    for (String name : names) {
      int position = columns.indexOf(name);
      if (position < 0) {
        return null;
      }
      positions.add(position);
    }
    return positions;
  }
}
