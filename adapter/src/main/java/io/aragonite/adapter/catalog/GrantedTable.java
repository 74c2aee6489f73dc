package io.aragonite.adapter.catalog;

import io.aragonite.adapter.catalog.ConnectionAccess.RowCondition;
import io.aragonite.adapter.catalog.ConnectionAccess.TableGrant;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.rules.GpuTable;
import io.aragonite.rules.function.NestedDecoder;
import io.aragonite.rules.metadata.ColumnStatistics;
import io.aragonite.rules.metadata.TableData;
import io.aragonite.rules.metadata.TableStatistics;
import io.aragonite.rules.metadata.TableView;
import io.aragonite.rules.runtime.EngineProvider;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelReferentialConstraint;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * The columns and rows of a table that a user may read. It is a table for the planner, not a view:
 * what is hidden is within the scan, so that nothing of a statement is computed of it.
 */
public final class GrantedTable extends AbstractTable implements GpuTable {
  private final CatalogTable whole;
  private final TableView view;

  private GrantedTable(CatalogTable whole, TableView view) {
    this.whole = whole;
    this.view = view;
  }

  /**
   * @return null if the table has not the columns that the grant is about
   */
  static @Nullable GrantedTable of(CatalogTable whole, TableGrant grant) {
    List<String> names = whole.data().columnNames();
    List<Integer> columns = new ArrayList<>();
    for (String name : grant.columns() == null ? names : grant.columns()) {
      int place = names.indexOf(name);
      if (place < 0) {
        return null;
      }
      columns.add(place);
    }
    RowCondition rows = grant.rows();
    if (rows == null) {
      return new GrantedTable(whole, new TableView(columns, List.of(), null));
    }
    boolean same = rows.names().equals(names) && rows.types().equals(whole.data().columnTypes());
    return same
        ? new GrantedTable(whole, new TableView(columns, rows.read(), rows.condition()))
        : null;
  }

  /** Whether a plan reads a table of which some rows are hidden. */
  public static boolean isPartlyHidden(RelNode plan) {
    HiddenRowFinder finder = new HiddenRowFinder();
    plan.accept(finder);
    return finder.found;
  }

  private static final class HiddenRowFinder extends RelHomogeneousShuttle {
    private boolean found;

    private final RexShuttle subQueries =
        new RexShuttle() {
          @Override
          public RexNode visitSubQuery(RexSubQuery subQuery) {
            subQuery.rel.accept(HiddenRowFinder.this);
            return super.visitSubQuery(subQuery);
          }
        };

    @Override
    public RelNode visit(TableScan scan) {
      TableData table = scan.getTable().unwrap(TableData.class);
      TableView seen = table == null ? null : table.view();
      found |= seen != null && seen.condition() != null;
      return scan;
    }

    @Override
    public RelNode visit(RelNode other) {
      if (other instanceof TableScan scan) {
        return visit(scan);
      }
      other.accept(subQueries);
      return super.visit(other);
    }
  }

  @Override
  public TableView view() {
    return view;
  }

  @Override
  public RelDataType getRowType(RelDataTypeFactory factory) {
    List<RelDataTypeField> fields = whole.getRowType(factory).getFieldList();
    RelDataTypeFactory.Builder row = factory.builder();
    view.columns().forEach(place -> row.add(fields.get(place)));
    return row.build();
  }

  @Override
  public CachedTable data() {
    return whole.data();
  }

  @Override
  public EngineProvider engines() {
    return whole.engines();
  }

  @Override
  public @Nullable NestedDecoder decoder(int column) {
    return whole.decoder(view.columns().get(column));
  }

  @Override
  public TableStatistics statistics() {
    TableStatistics all = whole.statistics();
    List<Integer> columns = view.columns();
    return new TableStatistics(
        all.rows(),
        new AbstractList<>() {
          @Override
          public ColumnStatistics get(int index) {
            return all.column(columns.get(index));
          }

          @Override
          public int size() {
            return columns.size();
          }
        },
        all.doubt());
  }

  @Override
  public Statistic getStatistic() {
    Statistic all = whole.getStatistic();
    List<ImmutableBitSet> keys = new ArrayList<>();
    for (ImmutableBitSet key : Objects.requireNonNull(all.getKeys())) {
      List<Integer> places = key.asList().stream().map(view.columns()::indexOf).toList();
      if (!places.contains(-1)) {
        keys.add(ImmutableBitSet.of(places));
      }
    }
    return new Statistic() {
      @Override
      public @Nullable Double getRowCount() {
        return all.getRowCount();
      }

      @Override
      public boolean isKey(ImmutableBitSet columns) {
        return keys.stream().anyMatch(columns::contains);
      }

      @Override
      public List<ImmutableBitSet> getKeys() {
        return keys;
      }

      @Override
      public List<RelCollation> getCollations() {
        return List.of();
      }

      @Override
      public List<RelReferentialConstraint> getReferentialConstraints() {
        return List.of();
      }
    };
  }
}
