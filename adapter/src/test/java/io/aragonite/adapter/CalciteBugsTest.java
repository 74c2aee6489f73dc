package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.apache.calcite.DataContexts;
import org.apache.calcite.plan.RelOptPredicateList;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.rules.CoreRules;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCallBinding;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexExecutorImpl;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSimplify;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.tools.Frameworks;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.util.Holder;
import org.apache.calcite.util.ImmutableBitSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is wrong in Calcite alone, and which class of ours works around it. A test here fails when
 * Calcite is fixed: then that class, or its part for this, can go.
 */
class CalciteBugsTest {
  private static Connection connection;

  /**
   * A statement that Calcite does not answer rightly.
   *
   * @param issue Calcite's number of it, empty if none is known
   * @param ours the class that works around it, under io.aragonite
   * @param answer the right rows, in order of their texts
   */
  private record Bug(String issue, String ours, String sql, String... answer) {
    @Override
    public String toString() {
      return ours + " " + issue + ": " + sql;
    }
  }

  @BeforeAll
  static void open() throws SQLException {
    connection = DriverManager.getConnection("jdbc:calcite:");
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  static Stream<Bug> bugs() {
    return Stream.of(
            inAggregatesAndJoins(),
            inValidator(),
            inConverter(),
            inGroupColumns(),
            inSubqueries(),
            inRulesAndTypes())
        .flatMap(List::stream);
  }

  private static List<Bug> inAggregatesAndJoins() {
    return List.of(
        new Bug(
            "",
            "adapter.sql.function.AggregateWrappers",
            "select regr_syy(x, x) filter (where x < 3) from (values 1, 2, 8) t(x)",
            "0.5"),
        new Bug(
            "",
            "rules.program.AsofJoins",
            "select l.x, r.y from (values (1, 5), (1, 8)) l(k, x) left asof join (values (1, 3),"
                + " (1, 4), (1, 7)) r(k, y) match_condition l.x >= r.y on l.k = r.k",
            "5,4",
            "8,7"));
  }

  private static List<Bug> inValidator() {
    return List.of(
        new Bug(
            "",
            "adapter.sql.QueryValidator",
            "select sum(x) over (w rows between 1 preceding and current row)"
                + " from (values 1, 2, 3) t(x) window w as (order by x)",
            "1",
            "3",
            "5"),
        new Bug(
            "",
            "adapter.sql.QueryValidator",
            "select sum(x) over (order by x rows between current row and current row exclude"
                + " current row) from (values 1, 2) t(x)",
            "null",
            "null"),
        new Bug(
            "CALCITE-6473", // with which the refusal came
            "adapter.sql.QueryValidator",
            "select count(*) from (values 1, 2) t(x) having count(*) >"
                + " (select row_number() over (order by y) from (values 1) u(y))",
            "2"),
        new Bug(
            "",
            "adapter.sql.StoppableConverter", // and QueryValidator.validateValues
            "select x from (values 1, 2) t(x) where exists (values (x), (5))",
            "1",
            "2"),
        new Bug(
            "",
            "adapter.sql.OuterReferences",
            "select (select a + sum(b) from (values 1) u(b)) from (values 1) t(a)",
            "2"),
        new Bug(
            "CALCITE-6104",
            "adapter.sql.OuterAggregates",
            "select (select sum(a) from (values 1) v(q)) from (values 1, 2) t(a)",
            "3"),
        new Bug(
            "",
            "adapter.sql.RecursiveNames",
            "with recursive \"r\"(s) as (select 1 from (values 1) t(x) union all"
                + " select s + 1 from r where s < 3) select * from r",
            "1",
            "2",
            "3"),
        new Bug(
            "",
            "adapter.sql.RecursiveNames",
            "with recursive r(s) as (select 'a' from (values 1) t(x) union all"
                + " select s || 'b' from r where char_length(s) < 3) select * from r",
            "a",
            "ab",
            "abb"));
  }

  private static List<Bug> inConverter() {
    return List.of(
        new Bug(
            "",
            "adapter.sql.LateralCondition",
            "select a, b from (values 1) t(a) join lateral"
                + " (select a + 1 as b from (values 1) z(zz)) s"
                + " on b = (select max(c) from (values 2) u(c) where c > a)",
            "1,2"),
        new Bug(
            "",
            "adapter.sql.StoppableConverter",
            "select a from (values 1, 2) t(a) group by a"
                + " having exists (select 1 from (values 1) u(c) where c = a)"
                + " and exists (select 1 from (values 1) v(d) where d = a)",
            "1"),
        new Bug(
            "",
            "adapter.sql.Convertlets",
            "select timestampdiff(microsecond, timestamp '2020-01-01 00:00:00',"
                + " timestamp '2020-01-01 00:00:00.5') from (values 1) t(x)",
            "500000"),
        new Bug(
            "CALCITE-7405",
            "adapter.statement.PreparingStatement",
            "select (select max(k) from (values 1, 2, 3) v(k) where k = y), z from"
                + " (select z, x + 1 as y from (select b as x,"
                + " (select max(c) from (values 1, 2) u(c) where c = a) as z"
                + " from (values (1, 2)) t(a, b)) s) r",
            "3,1"));
  }

  private static List<Bug> inGroupColumns() {
    return List.of(
        new Bug(
            "",
            "adapter.sql.GroupColumns",
            "select b, (select count(*) from (values (1, 2)) u(p, q) where p = a and q = b)"
                + " from (values (1, 2)) t(a, b) group by b, a",
            "2,1"),
        new Bug(
            "",
            "adapter.sql.GroupColumns",
            "select (select max(p) from (values 1) u(p) where a is not null), count(*)"
                + " from (values 1) t(a) group by rollup(a)",
            "1,1",
            "null,1"));
  }

  private static List<Bug> inSubqueries() {
    return List.of(
        new Bug(
            "",
            "rules.program.subquery.SubqueryRemoval",
            "select a from (values 1, cast(null as integer)) t(a)"
                + " where a in (select b from (values 1) u(b) where b > 5) or a is null",
            "null"),
        new Bug(
            "CALCITE-4686",
            "rules.program.subquery.JoinSubqueries",
            "select a, b from (values 1, 2) t(a) left join (values 1, 2) s(b) on a = b"
                + " and exists (select 1 from (values 1) u(c) where c = t.a + s.b - 1)",
            "1,1",
            "2,null"),
        new Bug(
            "CALCITE-7278",
            "rules.program.subquery.JoinSubqueries",
            "select a, b from (values 1, 2) t(a) full join (values 1, 3) s(b) on exists"
                + " (select 1 from (values 1) u(c) where c = t.a and c = s.b)",
            "1,1",
            "2,null",
            "null,3"),
        new Bug(
            "CALCITE-7584",
            "rules.program.subquery.Unnesting",
            "select x, r from (values 0, 1) t(x), lateral"
                + " (select count(*) over () as r from (values 1, 2) u(y) where y > x) v",
            "0,2",
            "0,2",
            "1,1"),
        new Bug(
            "CALCITE-7587",
            "rules.program.subquery.Unnesting",
            "select x, (select max(r) from (select row_number() over (order by y) as r"
                + " from (values 1, 2, 3) u(y) where y > x) v) from (values 0, 1, 5) t(x)",
            "0,3",
            "1,2",
            "5,null"));
  }

  private static List<Bug> inRulesAndTypes() {
    return List.of(
        new Bug(
            "CALCITE-7779",
            "rules.program.LogicalPhase",
            "select * from (select a, b, count(*) from (values (0, 1, 2)) t(x, a, b)"
                + " group by grouping sets ((a), (a, b))) where b = 2",
            "1,2,1"),
        new Bug(
            "",
            "rules.program.GrandTotalRewrite",
            "select a, count(*) from (values 1) t(a) where a > 5 group by rollup(a)",
            "null,0"),
        new Bug(
            "",
            "rules.program.DoubleArgumentCasts",
            "select covar_pop(x, x) from (values 1, 2) t(x)",
            "0.25"));
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void isStillThere(Bug bug) throws ClassNotFoundException {
    assertNotNull(Class.forName("io.aragonite." + bug.ours));
    assertNotEquals(
        List.of(bug.answer),
        answer(bug.sql),
        "Calcite answers rightly now; see what of " + bug.ours + " can go");
  }

  /** Rows in order of their texts; the class of the error if there is one. */
  private static List<String> answer(String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> answer = new ArrayList<>();
      while (rows.next()) {
        StringJoiner row = new StringJoiner(",");
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.add(String.valueOf(rows.getObject(i)));
        }
        answer.add(row.toString());
      }
      Collections.sort(answer);
      return answer;
    } catch (SQLException | AssertionError e) {
      return List.of(e.getClass().getName());
    }
  }

  /**
   * A number is no date (Utf8TypeFactory) and no truth value (QueryValidator): both are refused.
   */
  @Test
  void numbersAreTakenForDatesAndTruthValues() {
    assertTrue(
        answer("select case when x > 1 then date '2020-01-01' else 1 end from (values 1) t(x)")
            .contains("1970-01-02"));
    assertTrue(answer("select x from (values 1) t(x) where (x = 1) = 1").contains("1"));
  }

  private static RelBuilder builder() {
    SchemaPlus root = Frameworks.createRootSchema(true);
    return RelBuilder.create(Frameworks.newConfigBuilder().defaultSchema(root).build());
  }

  private static RelNode apply(RelOptRule rule, RelNode rel) {
    HepPlanner planner = new HepPlanner(HepProgram.builder().addRuleInstance(rule).build());
    planner.setRoot(rel);
    return planner.findBestExp();
  }

  /** A null quotient is taken for a literal (Convertlets). */
  @Test
  void nullQuotientsAreTakenForLiterals() {
    RexBuilder rexes = builder().getRexBuilder();
    RelDataType number = rexes.getTypeFactory().createSqlType(SqlTypeName.INTEGER);
    RexNode two = rexes.makeLiteral(2, number);
    RexNode quotient =
        rexes.makeCall(SqlStdOperatorTable.DIVIDE, rexes.makeNullLiteral(number), two);
    RexCall product = (RexCall) rexes.makeCall(SqlStdOperatorTable.MULTIPLY, quotient, two);
    assertThrows(
        AssertionError.class,
        () ->
            product
                .getOperator()
                .getMonotonicity(
                    RexCallBinding.create(rexes.getTypeFactory(), product, List.of())));
  }

  /**
   * Filler writes COALESCE, not CASE: what is simplified as a condition, where null is as good as
   * false, is negated later. No issue is known.
   */
  @Test
  void negatedCasesForgetNulls() {
    RexBuilder rexes = builder().getRexBuilder();
    RelDataType truth = rexes.getTypeFactory().createSqlType(SqlTypeName.BOOLEAN);
    RexNode mark =
        rexes.makeInputRef(rexes.getTypeFactory().createTypeWithNullability(truth, true), 0);
    RexNode no = rexes.makeLiteral(false);
    RexNode given = rexes.makeCall(SqlStdOperatorTable.IS_NOT_NULL, mark);
    RexNode filled = rexes.makeCall(truth, SqlStdOperatorTable.CASE, List.of(given, mark, no));
    RexNode both =
        rexes.makeCall(SqlStdOperatorTable.CASE, filled, rexes.makeInputRef(truth, 1), no);
    RexNode negated = rexes.makeCall(SqlStdOperatorTable.NOT, both);
    RexNode simple = simplify(rexes).simplifyFilterPredicates(List.of(negated));
    assertTrue(String.valueOf(simple).contains("NOT(CAST($0):BOOLEAN NOT NULL)"), "" + simple);
  }

  private static RexSimplify simplify(RexBuilder rexes) {
    return new RexSimplify(rexes, RelOptPredicateList.EMPTY, RexUtil.EXECUTOR);
  }

  /** Simplification makes types of calls agree with their operands. No issue is known. */
  @Test
  void typesOfCallsAreAsserted() {
    RexBuilder rexes = builder().getRexBuilder();
    RelDataType number = rexes.getTypeFactory().createSqlType(SqlTypeName.INTEGER);
    RexNode column =
        rexes.makeInputRef(rexes.getTypeFactory().createTypeWithNullability(number, true), 0);
    RexNode more =
        rexes.makeCall(
            rexes.getTypeFactory().createSqlType(SqlTypeName.BOOLEAN),
            SqlStdOperatorTable.GREATER_THAN,
            List.of(column, rexes.makeExactLiteral(BigDecimal.ONE)));
    RexNode unknown = rexes.makeCall(SqlStdOperatorTable.IS_NULL, more);
    assertThrows(
        AssertionError.class, () -> simplify(rexes).simplifyFilterPredicates(List.of(unknown)));
  }

  /** StoppableMetadataQuery knows no predicates of an INTERSECT. No issue is known. */
  @Test
  void predicatesOfIntersectionsAreRun() {
    RelBuilder types = unsimplified();
    types.values(new String[] {"x"}, 1, 3);
    types.filter(types.greaterThan(types.field(0), types.literal(1)));
    types.values(new String[] {"y"}, 1.5, 3.5);
    types.filter(types.greaterThan(types.field(0), types.literal(1.2)));
    RelNode ofTwoTypes = types.intersect(false).build();
    assertThrows(AssertionError.class, () -> predicates(ofTwoTypes));

    RelBuilder rows = unsimplified();
    Holder<RexCorrelVariable> outer = Holder.empty();
    rows.values(new String[] {"o"}, 1, 3).variable(outer::set);
    rows.values(new String[] {"x"}, 1, 3);
    rows.filter(
        rows.or(
            rows.equals(rows.field(0), rows.literal(1)),
            rows.equals(rows.field(outer.get(), "o"), rows.literal(3))));
    rows.values(new String[] {"y"}, 1, 3);
    rows.filter(rows.equals(rows.field(0), rows.literal(3)));
    RelNode ofAnOuterRow = rows.intersect(false).build();
    assertThrows(RuntimeException.class, () -> predicates(ofAnOuterRow));
  }

  private static RelBuilder unsimplified() {
    RelBuilder builder = builder().transform(config -> config.withSimplify(false));
    builder.getCluster().getPlanner().setExecutor(new RexExecutorImpl(DataContexts.EMPTY));
    return builder;
  }

  private static RelOptPredicateList predicates(RelNode rel) {
    return rel.getCluster().getMetadataQuery().getPulledUpPredicates(rel);
  }

  /** LogicalPhase keeps the rule from groupings with the empty set, which have a row of no rows. */
  @Test
  void filtersWithoutColumnsPassGrandTotals() {
    RelBuilder builder = builder();
    builder.values(new String[] {"x"}, 1, 2);
    ImmutableBitSet key = ImmutableBitSet.of(0);
    builder.aggregate(
        builder.groupKey(key, List.of(key, ImmutableBitSet.of())), builder.countStar("c"));
    builder.filter(builder.lessThan(builder.call(SqlStdOperatorTable.RAND), builder.literal(0.5)));
    RelNode rel = builder.build();
    assertTrue(rel instanceof Filter);
    assertTrue(apply(CoreRules.FILTER_AGGREGATE_TRANSPOSE, rel) instanceof Aggregate);
  }

  /** LogicalPhase keeps the rule from groupings without keys, which have a row of no rows. */
  @Test
  void joinsWithGrandTotalsBecomeSemiJoins() {
    RelBuilder builder = builder();
    builder.values(new String[] {"x"}, 1, 2);
    builder.values(new String[] {"y"}, 1, 2);
    builder.aggregate(builder.groupKey(), builder.countStar("c"));
    builder.join(JoinRelType.INNER, builder.literal(true));
    builder.project(builder.field("x"));
    RelNode rel = builder.build();
    String plan = apply(CoreRules.PROJECT_TO_SEMI_JOIN, rel).explain();
    assertTrue(plan.contains("joinType=[semi]"), plan);
    assertFalse(plan.contains("Aggregate"), plan);
  }

  /** ConcurrentStatements puts another map in the place of this one. */
  @Test
  void statementsOfConnectionsAreInMapsForOneThread() throws ReflectiveOperationException {
    Field server = connection.getClass().getSuperclass().getDeclaredField("server");
    server.setAccessible(true);
    Object value = server.get(connection);
    Field statements = value.getClass().getDeclaredField("statementMap");
    statements.setAccessible(true);
    assertFalse(statements.get(value) instanceof ConcurrentMap);
  }

  /** StoppableHepPlanner has none, since each costs a walk over the plan per transformation. */
  @Test
  void rulePlannersAlwaysListen() {
    assertNotNull(new HepPlanner(HepProgram.builder().build()).getListener());
  }
}
