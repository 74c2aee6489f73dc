package io.aragonite.rules.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.util.List;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.DateString;
import org.junit.jupiter.api.Test;

class RexTranslatorTest {
  private final RelDataTypeFactory types = new JavaTypeFactoryImpl(AragoniteTypeSystem.INSTANCE);
  private final RexBuilder rex = new RexBuilder(types);
  private final RuntimeValues runtimeValues = new RuntimeValues();
  private final RexTranslator translator = new RexTranslator(rex, runtimeValues);

  private RexNode column(int index, SqlTypeName type, int... precision) {
    RelDataType relType =
        switch (precision.length) {
          case 0 -> types.createSqlType(type);
          case 1 -> types.createSqlType(type, precision[0]);
          default -> types.createSqlType(type, precision[0], precision[1]);
        };
    return rex.makeInputRef(types.createTypeWithNullability(relType, true), index);
  }

  private Expr.Call translate(SqlOperator operator, RexNode... operands) {
    return (Expr.Call) translator.translate(rex.makeCall(operator, operands));
  }

  private RexNode number(long value) {
    return rex.makeExactLiteral(BigDecimal.valueOf(value));
  }

  @Test
  void integersOfDifferentWidthsCompareInTheWider() {
    Expr.Call call =
        translate(
            SqlStdOperatorTable.LESS_THAN,
            column(0, SqlTypeName.INTEGER),
            column(1, SqlTypeName.BIGINT));
    assertEquals(Op.LT, call.op());
    assertEquals(TypeKind.INT64, call.args().get(0).type().kind());
    assertEquals(TypeKind.INT64, call.args().get(1).type().kind());
  }

  @Test
  void integersCompareWithDecimalsAsDecimals() {
    Expr.Call call =
        translate(SqlStdOperatorTable.EQUALS, column(0, SqlTypeName.DECIMAL, 9, 2), number(24));
    assertEquals(new BigDecimal("24"), ((Expr.Literal) call.args().get(1)).value());
    assertEquals(TypeKind.DECIMAL, call.args().get(1).type().kind());
  }

  @Test
  void aConstantBesideACharLosesItsPadding() {
    Expr.Call call =
        translate(
            SqlStdOperatorTable.EQUALS, column(0, SqlTypeName.CHAR, 5), rex.makeLiteral("ab   "));
    assertEquals(Expr.InputRef.class, call.args().get(0).getClass());
    assertEquals("ab", ((Expr.Literal) call.args().get(1)).value());
  }

  @Test
  void aCastToALongerTextIsNoWorkInAComparison() {
    RexNode text = column(0, SqlTypeName.VARCHAR, 5);
    RexNode longer = rex.makeCast(types.createSqlType(SqlTypeName.VARCHAR, 9), text);
    Expr.Call call =
        translate(SqlStdOperatorTable.EQUALS, longer, column(1, SqlTypeName.VARCHAR, 9));
    assertEquals(Expr.InputRef.class, call.args().get(0).getClass());
  }

  @Test
  void searchOfPointsIsAnInList() {
    RexNode node =
        rex.makeIn(column(0, SqlTypeName.INTEGER), List.of(number(1), number(5), number(9)));
    Expr.Call call = (Expr.Call) translator.translate(node);
    assertEquals(Op.IN_LIST, call.op());
    assertEquals(4, call.args().size());
    assertEquals(true, Interpreter.evaluate(call, c -> 5L));
    assertEquals(false, Interpreter.evaluate(call, c -> 6L));
    assertEquals(null, Interpreter.evaluate(call, c -> null));
  }

  @Test
  void searchOfARangeIsComparisons() {
    Expr expr =
        translator.translate(rex.makeBetween(column(0, SqlTypeName.INTEGER), number(3), number(7)));
    assertEquals(true, Interpreter.evaluate(expr, c -> 3L));
    assertEquals(false, Interpreter.evaluate(expr, c -> 8L));
  }

  @Test
  void branchesOfACaseHaveItsType() {
    Expr.Call call =
        translate(
            SqlStdOperatorTable.CASE,
            column(0, SqlTypeName.BOOLEAN),
            column(1, SqlTypeName.INTEGER),
            column(2, SqlTypeName.DECIMAL, 5, 2));
    assertEquals(call.type().kind(), call.args().get(1).type().kind());
    assertEquals(call.type().scale(), call.args().get(1).type().scale());
    assertEquals(call.type().scale(), call.args().get(2).type().scale());
  }

  @Test
  void operandsOfIntegerArithmeticHaveTheKindOfTheResult() {
    Expr.Call call =
        translate(
            SqlStdOperatorTable.PLUS,
            column(0, SqlTypeName.SMALLINT),
            column(1, SqlTypeName.BIGINT));
    call.args().forEach(arg -> assertEquals(call.type().kind(), arg.type().kind()));
  }

  @Test
  void aDateMinusAnIntervalAddsItNegated() {
    RexNode days =
        rex.makeIntervalLiteral(
            BigDecimal.valueOf(90L * 86_400_000),
            new SqlIntervalQualifier(TimeUnit.DAY, null, SqlParserPos.ZERO));
    RexNode date = rex.makeDateLiteral(new DateString("1998-12-01"));
    RexNode node =
        rex.makeCall(date.getType(), SqlStdOperatorTable.MINUS_DATE, List.of(date, days));
    Expr.Call call = (Expr.Call) translator.translate(node);
    assertEquals(Op.DATETIME_PLUS, call.op());
    assertEquals(-90L * 86_400_000, ((Expr.Literal) call.args().get(1)).value());
    assertEquals(
        (long) new DateString("1998-09-02").getDaysSinceEpoch(),
        Interpreter.evaluate(call, c -> null));
  }

  @Test
  void extractNamesItsUnit() {
    Expr.Call call =
        translate(
            SqlStdOperatorTable.EXTRACT,
            rex.makeFlag(TimeUnitRange.YEAR),
            column(0, SqlTypeName.DATE));
    assertEquals(Op.EXTRACT, call.op());
    assertEquals("YEAR", ((Expr.Literal) call.args().get(0)).value());
  }

  @Test
  void aParameterIsCountedOnce() {
    RexNode parameter = rex.makeDynamicParam(types.createSqlType(SqlTypeName.INTEGER), 0);
    Expr first = translator.translate(parameter);
    assertEquals(Expr.Parameter.class, first.getClass());
    assertSame(first, translator.translate(parameter));
  }

  @Test
  void sessionFunctionsAreParameters() {
    Expr expr = translator.translate(rex.makeCall(SqlStdOperatorTable.CURRENT_DATE));
    assertEquals(Expr.Parameter.class, expr.getClass());
  }

  @Test
  void whatTheEngineDoesNotKnowIsAHostFunctionOverWhatItKnows() {
    RexNode text = column(3, SqlTypeName.VARCHAR, 20);
    RexNode upper = rex.makeCall(SqlStdOperatorTable.UPPER, text);
    RexNode node = rex.makeCall(SqlLibraryOperators.SOUNDEX, upper);
    Expr.HostFunctionCall call = (Expr.HostFunctionCall) translator.translate(node);
    assertEquals("SOUNDEX", call.name());
    assertEquals(Op.UPPER, ((Expr.Call) call.args().get(0)).op());
    assertEquals("R163", Interpreter.evaluate(call, c -> c == 3 ? "robert" : "?"));
    assertEquals(null, Interpreter.evaluate(call, c -> null));
  }

  @Test
  void nestedHostFunctionsAreOne() {
    RexNode text = column(0, SqlTypeName.VARCHAR, 20);
    RexNode node =
        rex.makeCall(SqlLibraryOperators.MD5, rex.makeCall(SqlLibraryOperators.SOUNDEX, text));
    Expr.HostFunctionCall call = (Expr.HostFunctionCall) translator.translate(node);
    assertEquals(List.of(Expr.InputRef.class), call.args().stream().map(Object::getClass).toList());
  }

  @Test
  void randomIsNotDeterministic() {
    Expr.HostFunctionCall call =
        (Expr.HostFunctionCall) translator.translate(rex.makeCall(SqlStdOperatorTable.RAND));
    assertFalse(call.deterministic());
  }

  @Test
  void arraysAreOpaque() {
    RexNode node = rex.makeCall(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR, number(1), number(2));
    Expr expr = translator.translate(node);
    assertEquals(TypeKind.OPAQUE, expr.type().kind());
    assertEquals(List.of(1, 2), Interpreter.evaluate(expr, c -> null));
  }

  @Test
  void correlatedVariablesAreRefusedWithAReason() {
    RelDataType row = types.builder().add("a", SqlTypeName.INTEGER).build();
    RexNode access = rex.makeFieldAccess(rex.makeCorrel(row, new CorrelationId(0)), 0);
    Untranslatable e = assertThrows(Untranslatable.class, () -> translator.translate(access));
    assertEquals("it uses column a of an outer query ($cor0)", e.reason());
  }

  @Test
  void literalsHaveTheEnginesForms() {
    assertEquals(
        Expr.literal(new BigDecimal("1.50"), DataType.decimal(5, 2, false)),
        LiteralTranslator.literal(
            (org.apache.calcite.rex.RexLiteral) rex.makeExactLiteral(new BigDecimal("1.5")),
            DataType.decimal(5, 2, false)));
    assertEquals(
        8035L,
        ((Expr.Literal) translator.translate(rex.makeDateLiteral(new DateString("1992-01-01"))))
            .value());
  }
}
