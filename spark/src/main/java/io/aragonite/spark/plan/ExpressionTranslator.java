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
import org.apache.spark.sql.catalyst.expressions.CaseWhen;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.Concat;
import org.apache.spark.sql.catalyst.expressions.Contains;
import org.apache.spark.sql.catalyst.expressions.DateAdd;
import org.apache.spark.sql.catalyst.expressions.DateSub;
import org.apache.spark.sql.catalyst.expressions.DayOfMonth;
import org.apache.spark.sql.catalyst.expressions.Divide;
import org.apache.spark.sql.catalyst.expressions.EndsWith;
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
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.KnownFloatingPointNormalized;
import org.apache.spark.sql.catalyst.expressions.KnownNotNull;
import org.apache.spark.sql.catalyst.expressions.Length;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Like;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.MakeDecimal;
import org.apache.spark.sql.catalyst.expressions.Month;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.Remainder;
import org.apache.spark.sql.catalyst.expressions.Round;
import org.apache.spark.sql.catalyst.expressions.ShiftRight;
import org.apache.spark.sql.catalyst.expressions.Sqrt;
import org.apache.spark.sql.catalyst.expressions.StartsWith;
import org.apache.spark.sql.catalyst.expressions.Substring;
import org.apache.spark.sql.catalyst.expressions.Subtract;
import org.apache.spark.sql.catalyst.expressions.UnaryMinus;
import org.apache.spark.sql.catalyst.expressions.UnscaledValue;
import org.apache.spark.sql.catalyst.expressions.VirtualColumn;
import org.apache.spark.sql.catalyst.expressions.Year;
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
  private static final char ESCAPE = '\\';
  private static final long MILLIS_PER_DAY = 86_400_000;

  /** Days within which a moment of ours stands for each of Spark's dates that queries have. */
  private static final long MOST_DAYS = 100_000_000;

  /** Spark's remainder of decimals fails where the whole quotient has more. */
  private static final int REMAINDER_DIGITS = 38;

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
      case Concat concat -> texts(Op.CONCAT, ScalaValues.list(concat.children()), concat, type);
      case Length length -> texts(Op.CHAR_LENGTH, List.of(length.child()), length, type);
      case Round round -> round(round, type);
      case UnscaledValue units -> DecimalTranslator.unscaled(translate(units.child()), type);
      case MakeDecimal made when !made.nullOnOverflow() ->
          DecimalTranslator.ofUnscaled(translate(made.child()), type);
      case GetStructField field when field.child() instanceof ScalarSubquery ->
          subqueries.parameter(field, type);
      case BitwiseAnd and ->
          Expr.call(Op.BIT_AND, type, translate(and.left()), translate(and.right()));
      case ShiftRight shift -> groupingBit(shift, type);
      case Add add -> arithmetic(Op.PLUS, add, type);
      case Subtract subtract -> arithmetic(Op.MINUS, subtract, type);
      case Multiply multiply -> arithmetic(Op.TIMES, multiply, type);
      case Divide divide -> arithmetic(Op.DIVIDE, divide, type);
      case Remainder remainder -> arithmetic(Op.MOD, remainder, type);
      case UnaryMinus minus when type.kind().isFloat() || minus.failOnError() ->
          Expr.call(Op.NEGATE, numeric(type), translate(minus.child()));
      case Abs abs when type.kind().isFloat() || abs.failOnError() ->
          Expr.call(Op.ABS, numeric(type), translate(abs.child()));
      case Sqrt root -> Expr.call(Op.SQRT, type, translate(root.child()));
      case Cast cast -> cast(cast, type);
      case Year year -> part("YEAR", year.child(), type);
      case Month month -> part("MONTH", month.child(), type);
      case DayOfMonth day -> part("DAY", day.child(), type);
      case DateAdd later -> days(later.startDate(), later.days(), 1, type);
      case DateSub earlier -> days(earlier.startDate(), earlier.days(), -1, type);
      case Substring substring -> substring(substring, type);
      case Like like -> like(like, type);
      case StartsWith starts -> pattern(starts.left(), starts.right(), "", "%", type);
      case EndsWith ends -> pattern(ends.left(), ends.right(), "%", "", type);
      case Contains contains -> pattern(contains.left(), contains.right(), "%", "%", type);
      default ->
          throw new UntranslatableException(
              "expression " + expression.prettyName() + " in " + expression.sql());
    };
  }

  private static Expr constant(@Nullable Object value, DataType type) {
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

  /** A function of texts that is null where one of them is. */
  private Expr texts(
      Op op, List<Expression> children, Expression call, DataType type)
      throws UntranslatableException {
    List<Expr> args = translate(children);
    if (!args.stream().allMatch(arg -> arg.type().kind() == TypeKind.VARCHAR)) {
      throw new UntranslatableException("other values than texts in " + call.sql());
    }
    return new Expr.Call(op, args, type);
  }

  /** Half up. */
  private Expr round(Round round, DataType type) throws UntranslatableException {
    Expr value = translate(round.child());
    if (!(round.scale() instanceof Literal literal
        && literal.value() instanceof Integer digits
        && digits >= 0)) {
      throw new UntranslatableException("rounding in " + round.sql());
    }
    TypeKind kind = value.type().kind();
    if (kind == TypeKind.FLOAT64 && digits <= DecimalTranslator.FLOAT_PLACES) {
      return DecimalTranslator.halfUp(value, digits);
    } else if (kind == TypeKind.DECIMAL) {
      return DecimalTranslator.halfUp(value, type);
    } else if (kind.isInteger()) {
      return value;
    }
    throw new UntranslatableException("rounding in " + round.sql());
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

  private Expr part(String unit, Expression date, DataType type) throws UntranslatableException {
    Expr child = translate(date);
    if (child.type().kind() != TypeKind.DATE) {
      throw new UntranslatableException(unit + " of " + child.type());
    }
    DataType wide = DataType.INT64.withNullable(type.nullable());
    Expr extracted =
        Expr.call(Op.EXTRACT, wide, Expr.literal(unit, DataType.VARCHAR), child);
    return Expr.call(Op.CAST, type, extracted);
  }

  /** A date so many days later, a constant. */
  private Expr days(Expression date, Expression days, int sign, DataType type)
      throws UntranslatableException {
    if (!(days instanceof Literal literal && literal.value() instanceof Number number)) {
      throw new UntranslatableException("days that are no constant: " + days.sql());
    }
    if (Math.abs(number.longValue()) > MOST_DAYS) {
      throw new UntranslatableException("so many days that dates wrap: " + days.sql());
    }
    long millis = sign * number.longValue() * MILLIS_PER_DAY;
    Expr interval = Expr.literal(millis, DataType.of(TypeKind.INTERVAL_DAY, false));
    return Expr.call(Op.DATETIME_PLUS, type, translate(date), interval);
  }

  private Expr substring(Substring call, DataType type) throws UntranslatableException {
    Expr text = translate(call.str());
    boolean simple =
        type.kind() == TypeKind.VARCHAR
            && call.pos() instanceof Literal from
            && from.value() instanceof Integer first
            && first > 0
            && call.len() instanceof Literal length
            && length.value() instanceof Integer count
            && count >= 0;
    if (!simple) {
      throw new UntranslatableException("positions in " + call.sql());
    }
    return Expr.call(
        Op.SUBSTRING, type, text, integer(call.pos()), integer(call.len()));
  }

  private static Expr integer(Expression literal) {
    return Expr.literal(ScalaValues.literal(((Literal) literal).value()), DataType.INT32);
  }

  private Expr like(Like like, DataType type) throws UntranslatableException {
    String text = constantText(like.right());
    if (text == null || text.indexOf(like.escapeChar()) >= 0) {
      throw new UntranslatableException("pattern of " + like.sql());
    }
    return Expr.call(
        Op.LIKE, type, translate(like.left()), Expr.literal(text, DataType.VARCHAR));
  }

  private Expr pattern(
      Expression value, Expression part, String before, String behind, DataType type)
      throws UntranslatableException {
    String text = constantText(part);
    Expr translated = translate(value);
    if (text == null || translated.type().kind() != TypeKind.VARCHAR) {
      throw new UntranslatableException("text that is no constant: " + part.sql());
    }
    StringBuilder escaped = new StringBuilder(before);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%' || c == '_' || c == ESCAPE) {
        escaped.append(ESCAPE);
      }
      escaped.append(c);
    }
    return Expr.call(
        Op.LIKE,
        type,
        translated,
        Expr.literal(escaped.append(behind).toString(), DataType.VARCHAR),
        Expr.literal(String.valueOf(ESCAPE), DataType.VARCHAR));
  }

  private static @Nullable String constantText(Expression expression) {
    return expression instanceof Literal literal && literal.value() instanceof UTF8String text
        ? text.toString()
        : null;
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
