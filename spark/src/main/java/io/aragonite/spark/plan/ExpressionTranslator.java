package io.aragonite.spark.plan;

import static org.apache.spark.sql.catalyst.expressions.EvalMode.ANSI;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.spark.column.SparkTypes;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Abs;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BinaryArithmetic;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.BitwiseAnd;
import org.apache.spark.sql.catalyst.expressions.BitwiseNot;
import org.apache.spark.sql.catalyst.expressions.BitwiseOr;
import org.apache.spark.sql.catalyst.expressions.BitwiseXor;
import org.apache.spark.sql.catalyst.expressions.CaseWhen;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.Divide;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.IsNaN;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.KnownFloatingPointNormalized;
import org.apache.spark.sql.catalyst.expressions.KnownNotNull;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.MakeDecimal;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.Remainder;
import org.apache.spark.sql.catalyst.expressions.Round;
import org.apache.spark.sql.catalyst.expressions.ShiftRight;
import org.apache.spark.sql.catalyst.expressions.Sqrt;
import org.apache.spark.sql.catalyst.expressions.Subtract;
import org.apache.spark.sql.catalyst.expressions.UnaryMinus;
import org.apache.spark.sql.catalyst.expressions.UnscaledValue;
import org.apache.spark.sql.catalyst.expressions.VirtualColumn;
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero;
import org.apache.spark.sql.execution.ScalarSubquery;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Spark's expressions as ours, where ours mean the same to the last bit, errors included; what does
 * not is refused with its reason.
 */
final class ExpressionTranslator {
  /** Spark's remainder of decimals fails where the whole quotient has more. */
  private static final int REMAINDER_DIGITS = 38;

  /** Digits of decimals whose sign Spark changes without a loss. */
  private static final int SIGNED_DIGITS = 34;

  private final Map<ExprId, Expr> attributes;
  private final SubqueryValues subqueries;

  private ExpressionTranslator(Map<ExprId, Expr> attributes, SubqueryValues subqueries) {
    this.attributes = attributes;
    this.subqueries = subqueries;
  }

  /** Over the columns of a plan node, in their order. */
  static ExpressionTranslator over(List<Attribute> columns, SubqueryValues subqueries)
      throws UntranslatableException {
    Map<ExprId, Expr> attributes = new HashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      Attribute column = columns.get(i);
      attributes.putIfAbsent(column.exprId(), Expr.ref(i, type(column)));
    }
    return new ExpressionTranslator(attributes, subqueries);
  }

  /** Over attributes that stand for expressions. */
  static ExpressionTranslator over(Map<ExprId, Expr> attributes, SubqueryValues subqueries) {
    return new ExpressionTranslator(attributes, subqueries);
  }

  /** The same beside columns of another input, which begin at a place. */
  ExpressionTranslator beside(ExpressionTranslator right, int from) {
    Map<ExprId, Expr> both = new HashMap<>(attributes);
    right.attributes.forEach(
        (id, expression) -> {
          if (expression instanceof Expr.InputRef ref) {
            both.putIfAbsent(id, Expr.ref(from + ref.index(), ref.type()));
          }
        });
    return new ExpressionTranslator(both, subqueries);
  }

  /** The engine's type of an expression's values. */
  static DataType type(Expression expression) throws UntranslatableException {
    DataType type = SparkTypes.of(expression.dataType(), expression.nullable());
    if (type == null) {
      throw new UntranslatableException("type " + expression.dataType().catalogString());
    }
    return type;
  }

  List<Expr> translate(List<? extends Expression> expressions) throws UntranslatableException {
    List<Expr> translated = new ArrayList<>();
    for (Expression expression : expressions) {
      translated.add(translate(expression));
    }
    return translated;
  }

  Expr translate(Expression expression) throws UntranslatableException {
    DataType type = type(expression);
    return switch (expression) {
      case Attribute attribute -> attribute(attribute);
      case Literal literal -> constant(literal.value(), type);
      case Alias alias -> translate(alias.child());
      case ScalarSubquery subquery -> subqueries.parameter(subquery, type);
      case KnownFloatingPointNormalized known -> translate(known.child());
      case KnownNotNull known -> translate(known.child());
      case NormalizeNaNAndZero normalized -> normalized(translate(normalized.child()));
      case EqualNullSafe comparison -> comparison(Op.IS_NOT_DISTINCT_FROM, comparison, type);
      case EqualTo comparison -> comparison(Op.EQ, comparison, type);
      case LessThan comparison -> comparison(Op.LT, comparison, type);
      case LessThanOrEqual comparison -> comparison(Op.LE, comparison, type);
      case GreaterThan comparison -> comparison(Op.GT, comparison, type);
      case GreaterThanOrEqual comparison -> comparison(Op.GE, comparison, type);
      case And and -> connected(Op.AND, and.left(), and.right(), type);
      case Or or -> connected(Op.OR, or.left(), or.right(), type);
      case Not not -> Expr.call(Op.NOT, type, translate(not.child()));
      case IsNull test -> Expr.call(Op.IS_NULL, type, translate(test.child()));
      case IsNotNull test -> Expr.call(Op.IS_NOT_NULL, type, translate(test.child()));
      case In in -> inList(in, type);
      case InSet in -> inSet(in, type);
      default -> value(expression, type);
    };
  }

  private Expr value(Expression expression, DataType type) throws UntranslatableException {
    return switch (expression) {
      case CaseWhen cases -> cases(cases, type);
      case If choice ->
          Expr.call(
              Op.CASE,
              type,
              translate(choice.predicate()),
              translate(choice.trueValue()),
              translate(choice.falseValue()));
      case Coalesce coalesce ->
          new Expr.Call(Op.COALESCE, translate(ScalaValues.list(coalesce.children())), type);
      case Round round -> DecimalTranslator.rounded(translate(round.child()), round, type);
      case UnscaledValue units -> DecimalTranslator.unscaled(translate(units.child()), type);
      case MakeDecimal made when !made.nullOnOverflow() ->
          DecimalTranslator.ofUnscaled(translate(made.child()), type);
      case GetStructField field when field.child() instanceof ScalarSubquery ->
          subqueries.parameter(field, type);
      case BitwiseAnd and -> bits(Op.BIT_AND, and, type);
      case BitwiseOr or -> bits(Op.BIT_OR, or, type);
      case BitwiseXor xor -> bits(Op.BIT_XOR, xor, type);
      case BitwiseNot not -> Expr.call(Op.BIT_NOT, type, translate(not.child()));
      case ShiftRight shift -> groupingBit(shift, type);
      case Add add -> arithmetic(Op.PLUS, add, type);
      case Subtract subtract -> arithmetic(Op.MINUS, subtract, type);
      case Multiply multiply -> arithmetic(Op.TIMES, multiply, type);
      case Divide divide -> arithmetic(Op.DIVIDE, divide, type);
      case Remainder remainder -> arithmetic(Op.MOD, remainder, type);
      case UnaryMinus minus when type.kind().isFloat() || minus.failOnError() ->
          Expr.call(Op.NEGATE, signed(type), translate(minus.child()));
      case Abs abs when type.kind().isFloat() || abs.failOnError() ->
          Expr.call(Op.ABS, signed(type), translate(abs.child()));
      case Sqrt root -> Expr.call(Op.SQRT, type, translate(root.child()));
      case Cast cast -> cast(cast, type);
      case IsNaN test -> isNaN(translate(test.child()), type);
      default -> named(expression, type);
    };
  }

  /** A function of texts, or of dates. */
  private Expr named(Expression expression, DataType type) throws UntranslatableException {
    Expr text = new TextTranslator(this).translate(expression, type);
    Expr translated = text == null ? new DateTranslator(this).translate(expression, type) : text;
    if (translated == null) {
      throw new UntranslatableException(
          "expression " + expression.prettyName() + " in " + expression.sql());
    }
    return translated;
  }

  /** Never null. */
  private static Expr isNaN(Expr value, DataType type) {
    DataType never = value.type().withNullable(false);
    Expr zero = Expr.literal(0.0, never);
    Expr known = Expr.call(Op.COALESCE, never, value, zero);
    return Expr.call(Op.EQ, type, known, Expr.literal(Double.NaN, never));
  }

  private static Expr constant(@Nullable Object value, DataType type)
      throws UntranslatableException {
    if (value instanceof UTF8String text && !text.isValid()) {
      throw new UntranslatableException("a constant that is not valid UTF-8");
    }
    Object literal = ScalaValues.literal(value);
    return Expr.literal(
        literal instanceof BigDecimal number ? number.setScale(type.scale()) : literal, type);
  }

  private Expr attribute(Attribute attribute) throws UntranslatableException {
    Expr known = attributes.get(attribute.exprId());
    if (known == null) {
      throw new UntranslatableException("column " + attribute.sql() + " is none of the input's");
    }
    return known;
  }

  /** One NaN, and 0.0 in place of -0.0. */
  private static Expr normalized(Expr value) {
    return Expr.call(Op.PLUS, value.type(), value, Expr.literal(0.0, value.type()));
  }

  private static DataType numeric(DataType type) throws UntranslatableException {
    if (!type.kind().isNumeric()) {
      throw new UntranslatableException("arithmetic of " + type);
    }
    return type;
  }

  /** Spark rounds decimals to 34 digits when it changes their sign. */
  private static DataType signed(DataType type) throws UntranslatableException {
    if (type.kind() == TypeKind.DECIMAL && type.precision() > SIGNED_DIGITS) {
      throw new UntranslatableException("the other sign of a decimal of more than 34 digits");
    }
    return numeric(type);
  }

  private Expr comparison(Op op, BinaryComparison comparison, DataType type)
      throws UntranslatableException {
    Expr left = translate(comparison.left());
    Expr right = translate(comparison.right());
    if (left.type().kind() != right.type().kind()) {
      throw new UntranslatableException("comparison of different types in " + comparison.sql());
    }
    return op == Op.IS_NOT_DISTINCT_FROM
        ? Expr.call(op, type, left, right)
        : strict(op, type, left, right);
  }

  /**
   * A call that is null where a side is. Spark does not evaluate the other side then; the engine
   * does, so a side that can raise an error is guarded.
   */
  private static Expr strict(Op op, DataType type, Expr left, Expr right) {
    // Of a quotient Spark evaluates the divisor first.
    boolean rightFirst = op == Op.DIVIDE || op == Op.MOD;
    Expr first = rightFirst ? right : left;
    Expr second = rightFirst ? left : right;
    Expr call = Expr.call(op, type, left, right);
    if (!first.type().nullable() || !raises(second)) {
      return call;
    }
    Expr none = Expr.call(Op.IS_NULL, DataType.BOOLEAN, first);
    return Expr.call(Op.CASE, type, none, Expr.literal(null, type), call);
  }

  /**
   * AND or OR. Spark does not evaluate the right side where the left one decides; the engine may,
   * so a right side that can raise an error is guarded.
   */
  private Expr connected(Op op, Expression leftSide, Expression rightSide, DataType type)
      throws UntranslatableException {
    Expr left = translate(leftSide);
    Expr right = translate(rightSide);
    Expr both = Expr.call(op, type, left, right);
    if (!raises(right)) {
      return both;
    }
    boolean deciding = op == Op.OR;
    Expr decided = Expr.call(deciding ? Op.IS_TRUE : Op.IS_FALSE, DataType.BOOLEAN, left);
    return Expr.call(Op.CASE, type, decided, Expr.literal(deciding, DataType.BOOLEAN), both);
  }

  /** A filter's condition: of its conjuncts, each is evaluated where those before are true. */
  Expr predicate(Expression condition) throws UntranslatableException {
    if (!(condition instanceof And and)) {
      return translate(condition);
    }
    Expr left = predicate(and.left());
    Expr right = predicate(and.right());
    DataType type = DataType.BOOLEAN.withNullable(true);
    return raises(right)
        ? Expr.call(
            Op.CASE,
            type,
            Expr.call(Op.IS_TRUE, DataType.BOOLEAN, left),
            right,
            Expr.literal(false, DataType.BOOLEAN))
        : Expr.call(Op.AND, type, left, right);
  }

  /** Whether evaluating it can be an error. */
  static boolean raises(Expr expression) {
    if (expression instanceof Expr.HostFunctionCall host) {
      return host.args().stream().anyMatch(ExpressionTranslator::raises);
    }
    if (!(expression instanceof Expr.Call call)) {
      return false;
    }
    boolean exact = !call.type().kind().isFloat();
    boolean itself =
        switch (call.op()) {
          case PLUS, MINUS, TIMES, NEGATE, ABS, CAST -> exact;
          case DIVIDE, MOD -> true;
          default -> false;
        };
    return itself || call.args().stream().anyMatch(ExpressionTranslator::raises);
  }

  private Expr inList(In in, DataType type) throws UntranslatableException {
    List<Expr> args = new ArrayList<>();
    args.add(translate(in.value()));
    for (Expression item : ScalaValues.<Expression>list(in.list())) {
      if (!(item instanceof Literal)) {
        throw new UntranslatableException("IN over " + item.sql());
      }
      args.add(translate(item));
    }
    return new Expr.Call(Op.IN_LIST, args, type);
  }

  private Expr inSet(InSet in, DataType type) throws UntranslatableException {
    Expr value = translate(in.child());
    List<Expr> args = new ArrayList<>();
    args.add(value);
    for (Object item : CollectionConverters.asJava(in.hset())) {
      args.add(constant(item, value.type().withNullable(item == null)));
    }
    return new Expr.Call(Op.IN_LIST, args, type);
  }

  private Expr cases(CaseWhen cases, DataType type) throws UntranslatableException {
    List<Expr> args = new ArrayList<>();
    for (Tuple2<Expression, Expression> branch :
        ScalaValues.<Tuple2<Expression, Expression>>list(cases.branches())) {
      args.add(translate(branch._1()));
      args.add(translate(branch._2()));
    }
    args.add(
        cases.elseValue().isEmpty()
            ? Expr.literal(null, type.withNullable(true))
            : translate(cases.elseValue().get()));
    return new Expr.Call(Op.CASE, args, type);
  }

  private Expr arithmetic(Op op, BinaryArithmetic call, DataType type)
      throws UntranslatableException {
    Expr left = translate(call.left());
    Expr right = translate(call.right());
    numeric(left.type());
    numeric(right.type());
    boolean floats = type.kind().isFloat();
    if (floats && op == Op.DIVIDE) {
      return quotient(left, right, call.evalMode().equals(ANSI()), type);
    }
    if (floats && op == Op.MOD) {
      throw new UntranslatableException("remainder of floats in " + call.sql());
    }
    if (op == Op.MOD && !(call.right() instanceof Literal && !isZero(right))) {
      throw new UntranslatableException("remainder by what may be zero in " + call.sql());
    }
    if (op == Op.MOD && type.kind() == TypeKind.DECIMAL && digits(left, right) > REMAINDER_DIGITS) {
      throw new UntranslatableException("remainder of decimals of many digits in " + call.sql());
    }
    if (!floats && !call.evalMode().equals(ANSI())) {
      throw new UntranslatableException(
          "exact arithmetic without ANSI mode (spark.sql.ansi.enabled) in " + call.sql());
    }
    return strict(op, type, left, right);
  }

  /** Of the whole quotient, which Spark's remainder computes. */
  private static int digits(Expr left, Expr right) {
    return left.type().precision() - left.type().scale() + right.type().scale();
  }

  /** Of floats: by zero an error in ANSI mode, else null, where Java has an infinity. */
  private static Expr quotient(Expr left, Expr right, boolean ansi, DataType type) {
    DataType nullable = type.withNullable(true);
    Expr divided = strict(Op.DIVIDE, nullable, left, right);
    DataType other = right.type();
    Expr zero = Expr.call(Op.EQ, DataType.BOOLEAN.withNullable(other.nullable()), right,
        Expr.literal(0.0, other.withNullable(false)));
    if (!ansi) {
      return Expr.call(Op.CASE, nullable, zero, Expr.literal(null, nullable), divided);
    }
    Expr one = Expr.literal(1L, DataType.INT64);
    Expr divisor =
        Expr.call(Op.CASE, DataType.INT64, zero, Expr.literal(0L, DataType.INT64), one);
    Expr error = Expr.call(Op.DIVIDE, DataType.INT64, one, divisor);
    return Expr.call(
        Op.CASE,
        nullable,
        Expr.call(Op.IS_NULL, DataType.BOOLEAN, left),
        Expr.literal(null, nullable),
        zero,
        Expr.call(Op.CAST, type.withNullable(false), error),
        divided);
  }

  private Expr bits(Op op, BinaryArithmetic call, DataType type) throws UntranslatableException {
    return Expr.call(op, type, translate(call.left()), translate(call.right()));
  }

  /** What GROUPING is made of: a shift of the number of a grouping set, which is not negative. */
  private Expr groupingBit(ShiftRight shift, DataType type) throws UntranslatableException {
    boolean known =
        shift.left() instanceof Attribute attribute
            && attribute.name().equals(VirtualColumn.groupingIdName())
            && shift.right() instanceof Literal literal
            && literal.value() instanceof Integer;
    if (!known || type.kind() != TypeKind.INT64) {
      throw new UntranslatableException("shift in " + shift.sql());
    }
    int bits = (Integer) ((Literal) shift.right()).value();
    return Expr.call(
        Op.DIVIDE, type, translate(shift.left()), Expr.literal(1L << bits, DataType.INT64));
  }

  private static boolean isZero(Expr literal) {
    return literal instanceof Expr.Literal constant
        && switch (constant.value()) {
          case Long number -> number == 0;
          case BigDecimal number -> number.signum() == 0;
          case null, default -> true;
        };
  }

  private Expr cast(Cast cast, DataType type) throws UntranslatableException {
    Expr child = translate(cast.child());
    DataType from = child.type();
    if (from.sameAs(type)) {
      return child;
    }
    TypeKind kind = from.kind();
    boolean widening =
        kind.isInteger() && type.kind().isInteger() && kind.compareTo(type.kind()) < 0;
    boolean exactInteger = kind.isInteger() && type.kind() == TypeKind.DECIMAL;
    boolean decimals = kind == TypeKind.DECIMAL && type.kind() == TypeKind.DECIMAL;
    boolean fits =
        widening
            || kind.isInteger() && type.kind() == TypeKind.FLOAT64
            || kind == TypeKind.FLOAT32 && type.kind() == TypeKind.FLOAT64
            || kind == TypeKind.DECIMAL && type.kind() == TypeKind.FLOAT64
            || kind == TypeKind.NULL
            || exactInteger && type.precision() - type.scale() >= integerDigits(kind)
            || decimals && DecimalTranslator.holds(from, type);
    boolean checked =
        (exactInteger || decimals || kind.isInteger() && type.kind().isInteger())
            && cast.evalMode().equals(ANSI());
    boolean ansi = cast.evalMode().equals(ANSI());
    if (ansi && kind == TypeKind.FLOAT64 && type.kind() == TypeKind.DECIMAL) {
      return DecimalTranslator.ofFloat(child, type);
    }
    if (ansi && kind == TypeKind.DECIMAL && type.kind().isInteger()) {
      return DecimalTranslator.towardsZero(child, type);
    }
    if (!fits && !checked) {
      throw new UntranslatableException("cast of " + from + " to " + type + " in " + cast.sql());
    }
    if (decimals && type.scale() < from.scale()) {
      return DecimalTranslator.halfUp(child, type);
    }
    return Expr.call(Op.CAST, type, child);
  }

  private static int integerDigits(TypeKind kind) {
    return switch (kind) {
      case INT8 -> 3;
      case INT16 -> 5;
      case INT32 -> 10;
      default -> 19;
    };
  }

  /** A value of which evaluation is an error, with {@code type}. */
  static Expr overflow(DataType type) {
    DataType most = DataType.decimal(DataType.MAX_DECIMAL_PRECISION, 0, false);
    BigDecimal largest =
        BigDecimal.TEN.pow(DataType.MAX_DECIMAL_PRECISION).subtract(BigDecimal.ONE);
    Expr sum = Expr.call(Op.PLUS, most, Expr.literal(largest, most), Expr.literal(largest, most));
    return Expr.call(Op.CAST, type, sum);
  }
}
