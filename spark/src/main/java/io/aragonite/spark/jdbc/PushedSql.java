package io.aragonite.spark.jdbc;

import java.util.Set;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.util.V2ExpressionSQLBuilder;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;

/**
 * Spark's expressions as Aragonite's SQL. What may have another value than in Spark is refused, so
 * Spark evaluates it: its expressions come here without their types.
 */
final class PushedSql extends V2ExpressionSQLBuilder {
  /** Functions that both give the same values for all types. */
  static final Set<String> FUNCTIONS = Set.of("COALESCE");

  private static final Set<String> AGGREGATES = Set.of("COUNT", "MIN", "MAX", "SUM");

  private final AragoniteDialect dialect;

  PushedSql(AragoniteDialect dialect) {
    this.dialect = dialect;
  }

  @Override
  protected String visitLiteral(Literal<?> literal) {
    return literal.value() == null
        ? "CAST(NULL AS " + dialect.typeName(literal.dataType()) + ")"
        : SqlLiterals.of(literal.value(), literal.dataType());
  }

  @Override
  protected String visitNamedReference(NamedReference column) {
    String[] names = column.fieldNames();
    if (names.length != 1) {
      throw refused("the field " + column.describe());
    }
    return dialect.quoteIdentifier(names[0]);
  }

  @Override
  protected String visitBinaryComparison(String name, String left, String right) {
    return name.equals("<=>")
        ? "(" + left + " IS NOT DISTINCT FROM " + right + ")"
        : super.visitBinaryComparison(name, left, right);
  }

  /** Integers and decimals have other types of results, and so other overflows. */
  @Override
  protected String visitBinaryArithmetic(String name, String left, String right) {
    throw refused(name);
  }

  @Override
  protected String visitUnaryArithmetic(String name, String operand) {
    throw refused(name);
  }

  @Override
  protected String visitCast(String operand, DataType from, DataType to) {
    if (bytes(from) > 0 && bytes(from) <= bytes(to)) {
      return "CAST(" + operand + " AS " + dialect.typeName(to) + ")";
    }
    throw refused("CAST(" + from.sql() + " AS " + to.sql() + ")");
  }

  /** Of an integer's type; 0 of others. */
  private static int bytes(DataType type) {
    return switch (type) {
      case ByteType t -> Byte.BYTES;
      case ShortType t -> Short.BYTES;
      case IntegerType t -> Integer.BYTES;
      case LongType t -> Long.BYTES;
      default -> 0;
    };
  }

  @Override
  protected String visitSQLFunction(String name, String[] operands) {
    if (FUNCTIONS.contains(name)) {
      return super.visitSQLFunction(name, operands);
    }
    throw refused(name);
  }

  @Override
  protected String visitAggregateFunction(String name, boolean distinct, String[] operands) {
    if (AGGREGATES.contains(name)) {
      return super.visitAggregateFunction(name, distinct, operands);
    }
    throw refused(name);
  }

  @Override
  protected String visitInverseDistributionFunction(
      String name, boolean distinct, String[] operands, String[] order) {
    throw refused(name);
  }

  @Override
  protected String visitOverlay(String[] operands) {
    throw refused("OVERLAY");
  }

  @Override
  protected String visitTrim(String direction, String[] operands) {
    throw refused("TRIM");
  }

  /** A day's fields are the same; those of an instant are of a session's time zone. */
  @Override
  protected String visitExtract(String field, String source) {
    throw refused("EXTRACT");
  }

  @Override
  protected String visitUnexpectedExpr(Expression expression) {
    throw refused(expression.describe());
  }

  static UnsupportedOperationException refused(String what) {
    return new UnsupportedOperationException(what + " stays with Spark");
  }
}
