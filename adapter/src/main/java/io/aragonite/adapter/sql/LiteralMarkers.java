package io.aragonite.adapter.sql;

import io.aragonite.adapter.parameter.ParameterValue;
import io.aragonite.adapter.parameter.TypedMarker;
import io.aragonite.adapter.sql.StatementShape.ShapeLiteral;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDateLiteral;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUnknownLiteral;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.util.NlsString;
import org.jspecify.annotations.Nullable;

/**
 * Puts parameters in the place of a parsed query's literals where the value of one does not change
 * what the query means: in WHERE, beside a column as the other operand of a comparison, as a bound
 * of BETWEEN or in a list behind IN. All else of the query, and where it stands, stays.
 */
public final class LiteralMarkers {
  private final StatementShape shape;
  private final long wanted;

  /** The numbers of literals by where they begin. */
  private final Map<SqlParserPos, Integer> begins = new HashMap<>();

  /** The numbers of literals by their last characters. */
  private final Map<SqlParserPos, Integer> ends = new HashMap<>();

  /** What becomes a parameter, by the numbers of literals. */
  private final Map<Integer, Replaced> found = new TreeMap<>();

  private long repeated;

  /**
   * The parameters of a query.
   *
   * @param literals the numbers of those that have become one, as bits
   * @param negated those of them with a minus before them
   */
  public record Marked(long literals, long negated) {
    public static final Marked NONE = new Marked(0, 0);

    /** The values that a statement of the shape gives the parameters. */
    public List<ParameterValue> values(StatementShape shape) {
      List<ParameterValue> values = new ArrayList<>();
      for (int i = 0; i < shape.literals().size(); i++) {
        if ((literals >>> i & 1) != 0) {
          values.add(value(shape.literals().get(i), (negated >>> i & 1) != 0));
        }
      }
      return values;
    }
  }

  private record Replaced(Consumer<SqlNode> place, SqlParserPos at, boolean negated) {}

  private LiteralMarkers(StatementShape shape, long wanted) {
    this.shape = shape;
    this.wanted = wanted;
    for (int i = 0; i < shape.literals().size(); i++) {
      ShapeLiteral literal = shape.literals().get(i);
      begins.put(position(shape.sql(), literal.node()), i);
      ends.put(position(shape.sql(), literal.end() - 1), i);
    }
  }

  /**
   * Changes a query in place.
   *
   * @param query as the parser has made it of the shape's text, not validated
   * @param wanted numbers of literals that may become parameters, as bits
   */
  public static Marked apply(SqlNode query, StatementShape shape, long wanted) {
    LiteralMarkers markers = new LiteralMarkers(shape, wanted);
    query.accept(markers.new Queries());
    return markers.replace();
  }

  private static ParameterValue value(ShapeLiteral literal, boolean negated) {
    return ParameterValue.ofLiteral(
        literal.value() instanceof Long number && negated ? (Long) (-number) : literal.value());
  }

  private Marked replace() {
    long literals = 0;
    long negated = 0;
    int parameter = 0;
    for (Map.Entry<Integer, Replaced> entry : found.entrySet()) {
      int number = entry.getKey();
      if ((repeated >>> number & 1) != 0) {
        continue;
      }
      Replaced one = entry.getValue();
      ParameterValue value = value(shape.literals().get(number), one.negated);
      one.place.accept(TypedMarker.of(parameter++, value.type(), one.at));
      literals |= 1L << number;
      negated |= one.negated ? 1L << number : 0;
    }
    return new Marked(literals, negated);
  }

  /** Where the parser says that a place is; a tab is one column. */
  private static SqlParserPos position(String sql, int at) {
    int line = 1;
    int column = 1;
    for (int i = 0; i < at; i++) {
      char c = sql.charAt(i);
      boolean ends = c == '\n' || c == '\r' && !sql.startsWith("\n", i + 1);
      line += ends ? 1 : 0;
      column = ends ? 1 : column + 1;
    }
    return new SqlParserPos(line, column);
  }

  /** Finds the conditions of queries and of those within them. */
  private final class Queries extends SqlBasicVisitor<@Nullable Void> {
    @Override
    public @Nullable Void visit(SqlCall call) {
      if (call instanceof SqlSelect select && select.getWhere() != null) {
        condition(select.getWhere());
      }
      return super.visit(call);
    }
  }

  private void condition(SqlNode node) {
    if (!(node instanceof SqlCall call)) {
      return;
    }
    switch (call.getKind()) {
      case AND, OR, NOT -> call.getOperandList().forEach(this::condition);
      case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL ->
          comparison(call);
      case BETWEEN -> between(call);
      case IN, NOT_IN -> in(call);
      default -> {}
    }
  }

  private void comparison(SqlCall call) {
    if (call.operandCount() != 2) {
      return;
    }
    for (int i = 0; i < 2; i++) {
      if (call.operand(1 - i) instanceof SqlIdentifier) {
        literal(call, i);
      }
    }
  }

  private void between(SqlCall call) {
    if (call.getOperator() instanceof SqlBetweenOperator operator
        && operator.flag == SqlBetweenOperator.Flag.ASYMMETRIC
        && call.operand(SqlBetweenOperator.VALUE_OPERAND) instanceof SqlIdentifier) {
      literal(call, SqlBetweenOperator.LOWER_OPERAND);
      literal(call, SqlBetweenOperator.UPPER_OPERAND);
    }
  }

  /** A long list becomes a relation of constants. */
  private void in(SqlCall call) {
    if (call.operand(0) instanceof SqlIdentifier
        && call.operand(1) instanceof SqlNodeList list
        && list.size() < LiteralLists.LONG) {
      for (int i = 0; i < list.size(); i++) {
        int place = i;
        literal(list.get(i), marker -> list.set(place, marker));
      }
    }
  }

  private void literal(SqlCall call, int operand) {
    literal(call.operand(operand), marker -> call.setOperand(operand, marker));
  }

  private void literal(SqlNode node, Consumer<SqlNode> place) {
    boolean prefixed = node.getKind() == SqlKind.MINUS_PREFIX;
    if (!((prefixed ? ((SqlCall) node).operand(0) : node) instanceof SqlLiteral literal)) {
      return;
    }
    // The parser has the sign in some literals, which begin there.
    boolean signed = literal instanceof SqlNumericLiteral number && isNegative(number);
    Integer number = signed ? endsAt(literal) : beginsAt(literal);
    if (number != null
        && !(prefixed && signed)
        && (wanted >>> number & 1) != 0
        && isValue(literal, shape.literals().get(number).value(), prefixed || signed)
        && found.put(number, new Replaced(place, node.getParserPosition(), prefixed || signed))
            != null) {
      repeated |= 1L << number;
    }
  }

  private @Nullable Integer beginsAt(SqlLiteral literal) {
    SqlParserPos at = literal.getParserPosition();
    return begins.get(new SqlParserPos(at.getLineNum(), at.getColumnNum()));
  }

  private @Nullable Integer endsAt(SqlLiteral literal) {
    SqlParserPos at = literal.getParserPosition();
    return ends.get(new SqlParserPos(at.getEndLineNum(), at.getEndColumnNum()));
  }

  private static boolean isNegative(SqlNumericLiteral number) {
    BigDecimal value = number.getValueAs(BigDecimal.class);
    return value != null && value.signum() < 0;
  }

  /** Whether the parser has read the same value. */
  private static boolean isValue(SqlLiteral literal, Object value, boolean negated) {
    return switch (literal) {
      case SqlNumericLiteral number ->
          value instanceof Long whole
              && number.isInteger()
              && number.getValueAs(BigDecimal.class) instanceof BigDecimal read
              && BigDecimal.valueOf(whole).equals(read.abs());
      case SqlCharStringLiteral text ->
          !negated
              && text.getValue() instanceof NlsString read
              && read.getCharsetName() == null
              && value.equals(read.getValue());
      case SqlUnknownLiteral unknown ->
          !negated
              && unknown.tag.equalsIgnoreCase("DATE")
              && !(value instanceof String)
              && value.toString().equals(unknown.getValue());
      case SqlDateLiteral date -> !negated && value.toString().equals(date.toFormattedString());
      default -> false;
    };
  }
}
