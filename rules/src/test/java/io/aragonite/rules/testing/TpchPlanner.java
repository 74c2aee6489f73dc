package io.aragonite.rules.testing;

import io.aragonite.rules.AragonitePrograms;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.rel.FallbackReasons;
import io.aragonite.rules.translate.AragoniteTypeSystem;
import io.aragonite.tpch.TpchTable;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.config.Lex;
import org.apache.calcite.plan.Contexts;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql2rel.SqlToRelConverter;
import org.apache.calcite.tools.FrameworkConfig;
import org.apache.calcite.tools.Frameworks;
import org.apache.calcite.tools.Planner;
import org.apache.calcite.tools.Program;

/** Plans statements over TPC-H at scale 1, as far as its statistics go. */
public final class TpchPlanner {
  private final SchemaPlus schema = Frameworks.createRootSchema(true);
  private final Program program;

  /** With the product's program. */
  public TpchPlanner() {
    this(AragonitePrograms.program());
  }

  /** With another program. */
  public TpchPlanner(Program program) {
    this.program = program;
    for (TpchTable table : TpchTable.values()) {
      schema.add(table.tableName(), new FakeTable(table));
    }
  }

  /**
   * A plan and why parts of it are not on the device.
   *
   * @param logical the query as it was converted
   * @param physical the plan in the Enumerable convention
   */
  public record PlannedQuery(RelNode logical, RelNode physical, FallbackReasons reasons) {}

  /** Plans a statement. */
  public PlannedQuery plan(String sql) {
    FallbackReasons reasons = new FallbackReasons();
    FrameworkConfig config =
        Frameworks.newConfigBuilder()
            .defaultSchema(schema)
            .typeSystem(AragoniteTypeSystem.INSTANCE)
            .parserConfig(SqlParser.config().withLex(Lex.JAVA).withCaseSensitive(false))
            .sqlToRelConverterConfig(
                SqlToRelConverter.config()
                    .withExpand(false)
                    .withTrimUnusedFields(false)
                    .withInSubQueryThreshold(Integer.MAX_VALUE))
            .costFactory(GpuCost.FACTORY)
            .context(Contexts.of(reasons))
            .programs(program)
            .build();
    try (Planner planner = Frameworks.getPlanner(config)) {
      SqlNode parsed = planner.validate(planner.parse(sql));
      RelRoot root = planner.rel(parsed);
      RelNode logical = root.project();
      RelNode physical =
          planner.transform(
              0,
              logical
                  .getTraitSet()
                  .replace(EnumerableConvention.INSTANCE)
                  .replace(root.collation)
                  .simplify(),
              logical);
      return new PlannedQuery(logical, physical, reasons);
    } catch (Exception e) {
      throw new IllegalStateException("cannot plan: " + sql, e);
    }
  }
}
