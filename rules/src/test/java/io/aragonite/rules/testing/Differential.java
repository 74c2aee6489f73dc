package io.aragonite.rules.testing;

import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.rules.AragonitePrograms;
import io.aragonite.rules.cost.GpuCost;
import io.aragonite.rules.rel.FallbackReasons;
import io.aragonite.rules.rel.GpuRelImplementor;
import io.aragonite.rules.rel.GpuToEnumerableConverter;
import io.aragonite.rules.runtime.EngineProvider;
import io.aragonite.rules.translate.AragoniteTypeSystem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.DataContexts;
import org.apache.calcite.adapter.enumerable.EnumerableConvention;
import org.apache.calcite.adapter.enumerable.EnumerableInterpretable;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.config.Lex;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.plan.Contexts;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql2rel.SqlToRelConverter;
import org.apache.calcite.tools.FrameworkConfig;
import org.apache.calcite.tools.Frameworks;
import org.apache.calcite.tools.Planner;
import org.apache.calcite.tools.Program;
import org.apache.calcite.tools.Programs;
import org.jspecify.annotations.Nullable;

/** Runs statements without stored tables on the engine and on Calcite's Enumerable convention. */
public final class Differential implements AutoCloseable {
  private final Engine engine =
      new Engine(
          new CpuDevice(2, new MemoryBudget("memory", 1L << 28), new CpuExpressionCompiler()));

  /** The rows from the engine. */
  public List<String> ours(String sql) {
    return rows(sql, AragonitePrograms.program(), true);
  }

  /** The rows from Calcite. */
  public List<String> calcites(String sql) {
    return rows(sql, Programs.standard(), false);
  }

  private List<String> rows(String sql, Program program, boolean device) {
    FallbackReasons reasons = new FallbackReasons();
    EngineProvider provider = () -> engine;
    FrameworkConfig config =
        Frameworks.newConfigBuilder()
            .defaultSchema(Frameworks.createRootSchema(true))
            .typeSystem(AragoniteTypeSystem.INSTANCE)
            .parserConfig(SqlParser.config().withLex(Lex.JAVA))
            .sqlToRelConverterConfig(
                SqlToRelConverter.config().withExpand(false).withTrimUnusedFields(false))
            .costFactory(device ? GpuCost.FACTORY : null)
            .context(Contexts.of(reasons, provider))
            .programs(program)
            .build();
    try (Planner planner = Frameworks.getPlanner(config)) {
      RelRoot root = planner.rel(planner.validate(planner.parse(sql)));
      RelNode logical = root.project();
      RelNode plan =
          planner.transform(
              0,
              logical
                  .getTraitSet()
                  .replace(EnumerableConvention.INSTANCE)
                  .replace(root.collation)
                  .simplify(),
              logical);
      if (!device) {
        return texts(
            EnumerableInterpretable.toBindable(
                    new java.util.HashMap<>(),
                    null,
                    (EnumerableRel) plan,
                    EnumerableRel.Prefer.ARRAY)
                .bind(DataContexts.EMPTY));
      }
      if (!(plan instanceof GpuToEnumerableConverter) || !reasons.fallbacks().isEmpty()) {
        throw new IllegalStateException("not on the device: " + reasons.fallbacks());
      }
      return texts(GpuRelImplementor.query(plan.getInput(0)).rows(DataContexts.EMPTY));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Rows as text, sorted: what the order is does not matter here. */
  private static List<String> texts(Enumerable<?> rows) {
    List<String> result = new ArrayList<>();
    for (Object row : rows) {
      result.add(row instanceof @Nullable Object[] values ? text(values) : text(row));
    }
    result.sort(null);
    return result;
  }

  private static String text(@Nullable Object[] values) {
    return Arrays.stream(values).map(Differential::text).toList().toString();
  }

  private static String text(@Nullable Object value) {
    return value instanceof java.math.BigDecimal number
        ? number.stripTrailingZeros().toPlainString()
        : Objects.toString(value);
  }

  @Override
  public void close() {
    engine.close();
  }
}
