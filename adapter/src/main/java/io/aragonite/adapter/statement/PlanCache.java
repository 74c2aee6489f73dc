package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.CatalogTable;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.parameter.ParameterType;
import io.aragonite.adapter.parameter.ParameterValue;
import io.aragonite.rules.metadata.CardinalityProvider;
import io.aragonite.rules.runtime.GpuQuery;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.schema.Table;
import org.jspecify.annotations.Nullable;

/**
 * Plans of a connection's statements by their text. A plan is used again only while every table
 * that it reads is still the same object under its name, and nothing better is known of them that
 * pays, and never if it depends on the moment (functions such as CURRENT_DATE may have been folded
 * into constants). Safe for several threads.
 */
final class PlanCache {
  private static final int CAPACITY = 100;

  /** About a hundred times what planning a small query takes. */
  private static final long SLOW_NANOS = 100_000_000;

  /**
   * What a plan was made for.
   *
   * @param sql the text
   * @param schemaPath where unqualified names are looked up
   * @param zone of the connection, which is in expressions of instants
   * @param maxRows rows at most, negative for all
   * @param types of the parameters, null if they have no values
   * @param cardinalities what the planner took in place of estimates, null for nothing
   * @param described whether it is no plan but a description of one whose parameters have no values
   * @param shared whether the parameters are literals of queries that share the plan
   */
  record PlanKey(
      String sql,
      List<String> schemaPath,
      String zone,
      long maxRows,
      @Nullable List<ParameterType> types,
      @Nullable CardinalityProvider cardinalities,
      boolean described,
      boolean shared) {
    /** The same for a description. */
    PlanKey ofDescription() {
      return new PlanKey(sql, schemaPath, zone, maxRows, types, cardinalities, true, false);
    }

    /**
     * The same for queries that differ in literals.
     *
     * @param text the query with signs for the literals
     * @param values of the literals
     */
    PlanKey shared(String text, List<ParameterValue> values) {
      List<ParameterType> types = values.stream().map(ParameterValue::type).toList();
      return new PlanKey(text, schemaPath, zone, maxRows, types, cardinalities, false, true);
    }
  }

  /**
   * A plan.
   *
   * @param tables that it reads, by their paths
   * @param refinements of these tables' figures when it was made
   * @param nanos that planning took
   * @param ranges the values of parameters that the plan is for; none: all
   */
  record CachedPlan(
      ExecutionSignature<?> signature,
      Map<List<String>, Table> tables,
      int refinements,
      long nanos,
      List<ParameterRange> ranges) {
    /**
     * Whether its runs take so long that a plan for the values of each is worth the time that
     * planning takes.
     */
    boolean isSlow() {
      PreparedPlan plan = signature.plan();
      GpuQuery query = plan == null ? null : plan.query();
      return query != null && query.meanRunNanos() > SLOW_NANOS;
    }

    /**
     * Whether it is to be used again. Where more is known of the tables by now, it is until its
     * runs have taken as long as planning did: a second run does not wait for a plan, and what runs
     * long or often gets a better one (the rule of ski rental).
     */
    boolean serves() {
      PreparedPlan plan = signature.plan();
      GpuQuery query = plan == null ? null : plan.query();
      return refinements == PlanCache.refinements(tables.values())
          || query != null && query.runNanos() < nanos;
    }
  }

  /** How often figures of tables have become better than those that plans were made with. */
  static int refinements(Collection<Table> tables) {
    return tables.stream()
        .mapToInt(
            table -> table instanceof CatalogTable own ? own.data().statistics().refinements() : 0)
        .sum();
  }

  private final Map<PlanKey, CachedPlan> entries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<PlanKey, CachedPlan> eldest) {
          return size() > CAPACITY;
        }
      };

  /** Looking for tables may open files, which other statements do not wait for. */
  @Nullable CachedPlan get(PlanKey key, CalciteSchema root) {
    CachedPlan entry = known(key);
    if (entry == null) {
      return null;
    }
    if (hasItsTables(entry, root) && entry.serves()) {
      return entry;
    }
    forget(key, entry);
    return null;
  }

  private synchronized @Nullable CachedPlan known(PlanKey key) {
    return entries.get(key);
  }

  private synchronized void forget(PlanKey key, CachedPlan entry) {
    entries.remove(key, entry); // another thread may have a better one by now
  }

  @SuppressWarnings("ReferenceEquality") // another object under the name is another table
  private static boolean hasItsTables(CachedPlan entry, CalciteSchema root) {
    return entry.tables().entrySet().stream()
        .allMatch(table -> find(root, table.getKey()) == table.getValue());
  }

  synchronized void put(PlanKey key, CachedPlan entry) {
    entries.put(key, entry);
  }

  synchronized void clear() {
    entries.clear();
  }

  /** The table of a full path, null if there is none. */
  static @Nullable Table find(CalciteSchema root, List<String> path) {
    CalciteSchema schema = root;
    for (String name : path.subList(0, path.size() - 1)) {
      schema = schema == null ? null : schema.getSubSchema(name, true);
    }
    CalciteSchema.TableEntry entry =
        schema == null ? null : schema.getTable(path.get(path.size() - 1), true);
    return entry == null ? null : entry.getTable();
  }
}
