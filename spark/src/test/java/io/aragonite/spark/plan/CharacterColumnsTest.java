package io.aragonite.spark.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which columns of inputs come to functions that count characters. */
class CharacterColumnsTest {
  private static final DataType TEXT = DataType.VARCHAR;
  private static final List<DataType> TYPES = List.of(DataType.INT32, TEXT, TEXT);

  private static PhysicalPlan input(int number) {
    return new PhysicalPlan.BatchInput(new Expr.Parameter(number, DataType.INT64), TYPES);
  }

  private static Expr text(int column) {
    return Expr.ref(column, TEXT);
  }

  private static Expr length(Expr text) {
    return Expr.call(Op.CHAR_LENGTH, DataType.INT32, text);
  }

  private static Expr positive(Expr number) {
    return Expr.call(Op.GT, DataType.BOOLEAN, number, Expr.literal(0L, DataType.INT32));
  }

  private static Expr like(String pattern) {
    Expr escape = Expr.literal("\\", TEXT);
    return Expr.call(Op.LIKE, DataType.BOOLEAN, text(1), Expr.literal(pattern, TEXT), escape);
  }

  private static Expr trim(Op op, Expr characters) {
    return Expr.call(op, TEXT, characters, text(1));
  }

  private static List<Integer> of(Expr value) {
    PhysicalPlan plan = new PhysicalPlan.Project(input(0), List.of(value, text(2)));
    return CharacterFunctions.columns(plan, 1).getFirst();
  }

  @Test
  void thoseThatAFunctionHas() {
    assertEquals(List.of(), of(text(1)));
    assertEquals(List.of(1), of(length(text(1))));
    assertEquals(List.of(1, 2), of(length(Expr.call(Op.CONCAT, TEXT, text(1), text(2)))));
    // The other column only decides which texts are counted.
    Expr either = Expr.call(Op.CASE, TEXT, like("a%"), text(2), Expr.literal("", TEXT));
    assertEquals(List.of(2), of(length(either)));
    assertEquals(List.of(1), of(positive(length(text(1)))));
  }

  @Test
  void patternsThatCountAndPatternsThatDoNot() {
    for (String pattern : List.of("", "a%", "%\\_%", "\\%\\_\\\\", "ü%")) {
      assertEquals(List.of(), of(like(pattern)), pattern);
    }
    for (String pattern : List.of("_", "%\\__", "a\\\\_", "\uFFFD", "\\\uFFFD")) {
      assertEquals(List.of(1), of(like(pattern)), pattern);
    }
    Expr unescaped = Expr.call(Op.LIKE, DataType.BOOLEAN, text(1), Expr.literal("\\_", TEXT));
    assertEquals(List.of(1), of(unescaped));
    assertEquals(List.of(1, 2), of(Expr.call(Op.LIKE, DataType.BOOLEAN, text(1), text(2))));
  }

  @Test
  void trimmedBytesAndTrimmedCharacters() {
    for (Op op : List.of(Op.TRIM_BOTH, Op.TRIM_LEADING, Op.TRIM_TRAILING)) {
      assertEquals(List.of(), of(trim(op, TextTranslator.BLANK)));
      assertEquals(List.of(1), of(trim(op, Expr.literal("ü", TEXT))));
      List<Integer> expected = op == Op.TRIM_LEADING ? List.of() : List.of(1);
      assertEquals(expected, of(trim(op, Expr.literal("xy", TEXT))));
    }
  }

  @Test
  void throughOperators() {
    List<DataType> both = List.of(DataType.INT32, TEXT, TEXT, DataType.INT32, TEXT, TEXT);
    PhysicalPlan join =
        new PhysicalPlan.Join(
            input(0),
            input(1),
            JoinType.INNER,
            List.of(new PhysicalPlan.JoinKey(0, 0, false)),
            positive(length(text(4))),
            JoinAlgorithm.NON_PARTITIONED_HASH,
            false,
            both);
    PhysicalPlan groups =
        new PhysicalPlan.Aggregate(
            join,
            List.of(5, 0),
            List.of(List.of(0, 1)),
            List.of(AggregateCall.of(AggregateFunction.MAX, TEXT, 2)),
            false,
            List.of(TEXT, DataType.INT32, TEXT));
    assertEquals(List.of(List.of(), List.of(1)), CharacterFunctions.columns(groups, 2));
    PhysicalPlan counted = new PhysicalPlan.Filter(groups, positive(length(text(2))));
    assertEquals(List.of(List.of(2), List.of(1)), CharacterFunctions.columns(counted, 2));
    PhysicalPlan keys = new PhysicalPlan.Project(counted, List.of(length(text(0))));
    assertEquals(List.of(List.of(2), List.of(1, 2)), CharacterFunctions.columns(keys, 2));
    PhysicalPlan union =
        new PhysicalPlan.SetOperation(
            PhysicalPlan.SetOperation.SetOperationKind.UNION,
            true,
            List.of(input(0), input(1)),
            TYPES);
    PhysicalPlan ofAll = new PhysicalPlan.Project(union, List.of(length(text(1))));
    assertEquals(
        List.of(List.of(0, 1, 2), List.of(0, 1, 2)), CharacterFunctions.columns(ofAll, 2));
  }
}
