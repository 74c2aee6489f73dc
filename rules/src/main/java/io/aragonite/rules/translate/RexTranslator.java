package io.aragonite.rules.translate;

import com.google.common.collect.Range;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.CodePointFunctions;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUnknownAs;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.Sarg;
import org.jspecify.annotations.Nullable;

/**
 * Turns Calcite's expressions into the engine's. What has no {@link Op} becomes a host function;
 * what cannot even be that is {@link Untranslatable}.
 */
public final class RexTranslator {
  private static final int MIN_IN_LIST = 3;

  private final RexBuilder rexBuilder;
  private final RuntimeValues runtimeValues;
  private final HostFunctions hostFunctions;
  private final TimestampDifferences differences = new TimestampDifferences(this);
  private final TimeTranslator times = new TimeTranslator(this, differences);
  private final FunctionTranslator functions = new FunctionTranslator(this, differences);

  /**
   * @param runtimeValues where parameters and session functions of the query are collected
   */
  public RexTranslator(RexBuilder rexBuilder, RuntimeValues runtimeValues) {
    this.rexBuilder = rexBuilder;
    this.runtimeValues = runtimeValues;
    this.hostFunctions = new HostFunctions(rexBuilder, runtimeValues.hostContext(), this);
  }

  /**
   * The engine's form of an expression over a row; references are to columns of that row.
   *
   * @throws Untranslatable with the reason
   */
  public Expr translate(RexNode node) {
    return switch (node) {
      case RexInputRef ref -> Expr.ref(ref.getIndex(), TypeMapping.of(ref.getType()));
      case RexLiteral literal -> literal(literal);
      case RexDynamicParam parameter -> runtimeValues.add(parameter, rexBuilder);
      case RexOver over -> throw Untranslatable.window(over);
      case RexSubQuery subQuery -> throw Untranslatable.subQuery(subQuery);
      case RexCall call -> call(call);
      case RexFieldAccess access -> fieldAccess(access);
      case RexCorrelVariable variable ->
          throw new Untranslatable("it uses a whole row of an outer query, " + variable.getName());
      default -> throw Untranslatable.expression(node);
    };
  }

  /** The operands, one by one. */
  List<Expr> translateAll(List<RexNode> nodes) {
    List<Expr> result = new ArrayList<>(nodes.size());
    for (RexNode node : nodes) {
      result.add(translate(node));
    }
    return result;
  }

  private Expr fieldAccess(RexFieldAccess access) {
    RexNode base = access.getReferenceExpr();
    if (base instanceof RexCorrelVariable variable) {
      throw Untranslatable.outer(access, variable);
    }
    String name = access.getField().getName();
    return new Expr.HostFunctionCall(
        "field " + name,
        new StructField(access.getField().getIndex(), name, access.getType()),
        List.of(translate(base)),
        RexUtil.isDeterministic(base),
        TypeMapping.of(access.getType()));
  }

  private Expr call(RexCall call) {
    Expr result = builtIn(call);
    if (result != null) {
      return result;
    }
    if (isSessionFunction(call)) {
      return runtimeValues.add(call, rexBuilder);
    }
    Expr nested = NestedFunctions.translate(call, this);
    return nested != null ? nested : hostFunctions.translate(call);
  }

  /** Whether a call has one value for a whole execution. Calcite counts RAND as dynamic too. */
  private static boolean isSessionFunction(RexCall call) {
    SqlOperator operator = call.getOperator();
    return operator.isDynamicFunction()
        && !operator.getName().startsWith("RAND")
        && call.getOperands().stream().allMatch(RexLiteral.class::isInstance);
  }

  /** The translation if it has no host function at its top, null otherwise and for literals. */
  @Nullable Expr tryBuiltIn(RexNode node) {
    return switch (node) {
      case RexInputRef ref -> translate(ref);
      case RexDynamicParam parameter -> translate(parameter);
      case RexCall call when isSessionFunction(call) -> translate(call);
      case RexCall call -> builtIn(call);
      default -> null;
    };
  }

  private @Nullable Expr builtIn(RexCall call) {
    SqlOperator operator = call.getOperator();
    Op op = OperatorTable.logic(operator);
    if (op != null) {
      return new Expr.Call(op, translateAll(call.getOperands()), typeOf(call));
    }
    op = OperatorTable.comparison(operator);
    if (op != null) {
      return comparison(op, call);
    }
    op = OperatorTable.arithmetic(operator);
    if (op != null) {
      return arithmetic(op, call);
    }
    op = OperatorTable.floatFunction(operator);
    if (op != null) {
      return floatFunction(op, call);
    }
    op = OperatorTable.textFunction(operator);
    if (op != null) {
      return textFunction(op, call);
    }
    if (operator.equals(SqlStdOperatorTable.DATETIME_PLUS)) {
      return times.datetimePlus(call);
    }
    if (operator.equals(SqlStdOperatorTable.MINUS_DATE)) {
      return times.datetimeMinus(call);
    }
    Expr function = functions.translate(call);
    return function != null ? function : byKind(call);
  }

  private @Nullable Expr byKind(RexCall call) {
    List<RexNode> operands = call.getOperands();
    return switch (call.getKind()) {
      case SEARCH -> search(call);
      case CASE -> caseOf(call);
      case COALESCE -> withResultType(Op.COALESCE, translateAll(operands), typeOf(call));
      case CAST, SAFE_CAST -> cast(call);
      case EXTRACT -> times.extract(call);
      case FLOOR -> floorOrCeil(Op.FLOOR, Op.FLOOR_TIME, call);
      case CEIL -> floorOrCeil(Op.CEIL, Op.CEIL_TIME, call);
      case TRIM -> trim(call);
      case GREATEST -> strictExtreme(Op.GREATEST, SqlLibraryOperators.GREATEST, call);
      case LEAST -> strictExtreme(Op.LEAST, SqlLibraryOperators.LEAST, call);
      case PLUS_PREFIX -> translate(operands.get(0));
      default -> null;
    };
  }

  private static DataType typeOf(RexNode node) {
    return TypeMapping.of(node.getType());
  }

  private Expr literal(RexLiteral literal) {
    Expr result = LiteralTranslator.tryLiteral(literal);
    if (result == null) {
      // A literal of a type that only the host knows.
      return hostFunctions.translate(literal);
    }
    return result;
  }

  // Comparisons and SEARCH

  private @Nullable Expr comparison(Op op, RexCall call) {
    RexNode left = call.getOperands().get(0);
    RexNode right = call.getOperands().get(1);
    List<Expr> args = differences.comparable(left, right);
    if (args == null) {
      args =
          CastTranslation.comparable(
              beside(right, translate(left)), beside(left, translate(right)));
    }
    return args == null ? null : new Expr.Call(op, args, typeOf(call));
  }

  /**
   * A literal beside a CHAR loses the blanks at its end: Calcite's own builder fills literals up
   * that have been compared with one, and no value of a CHAR has padding.
   */
  private static Expr beside(RexNode value, Expr expr) {
    boolean fixed = value.getType().getSqlTypeName() == SqlTypeName.CHAR;
    return fixed
            && !(value instanceof RexLiteral)
            && expr instanceof Expr.Literal literal
            && literal.type().kind() == TypeKind.CHAR
            && literal.value() instanceof String text
        ? Expr.literal(CodePointFunctions.unpadded(text), literal.type())
        : expr;
  }

  private Expr search(RexCall call) {
    RexNode operand = call.getOperands().get(0);
    Sarg<?> sarg =
        LiteralTranslator.notNull(((RexLiteral) call.getOperands().get(1)).getValueAs(Sarg.class));
    RelDataType type = call.getOperands().get(1).getType();
    boolean points = sarg.isPoints() && sarg.pointCount >= MIN_IN_LIST;
    boolean complement = sarg.isComplementedPoints();
    if (points || complement && sarg.negate().pointCount >= MIN_IN_LIST) {
      Expr list = inList(operand, points ? sarg : sarg.negate(), type);
      if (list != null) {
        Expr test = points ? list : Expr.call(Op.NOT, list.type(), list);
        return withNullAs(test, translate(operand), sarg.nullAs, typeOf(call));
      }
    }
    return translate(RexUtil.expandSearch(rexBuilder, null, call));
  }

  private @Nullable Expr inList(RexNode operand, Sarg<?> sarg, RelDataType type) {
    List<Expr> args = new ArrayList<>();
    args.add(translate(operand));
    for (Range<?> range : sarg.rangeSet.asRanges()) {
      RexNode point = rexBuilder.makeLiteral(range.lowerEndpoint(), type, true, true);
      args.add(beside(operand, translate(point)));
    }
    List<Expr> same = CastTranslation.comparable(args);
    if (same == null) {
      return null;
    }
    for (Expr value : same.subList(1, same.size())) {
      if (!(value instanceof Expr.Literal)) {
        return null;
      }
    }
    DataType result = DataType.BOOLEAN.withNullable(args.get(0).type().nullable());
    return new Expr.Call(Op.IN_LIST, same, result);
  }

  private static Expr withNullAs(Expr test, Expr operand, RexUnknownAs nullAs, DataType type) {
    if (!operand.type().nullable() || nullAs == RexUnknownAs.UNKNOWN) {
      return test;
    }
    DataType notNull = type.withNullable(false);
    return nullAs == RexUnknownAs.TRUE
        ? Expr.call(Op.OR, notNull, Expr.call(Op.IS_NULL, DataType.BOOLEAN, operand), test)
        : Expr.call(Op.AND, notNull, Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, operand), test);
  }

  // Numbers

  private @Nullable Expr arithmetic(Op op, RexCall call) {
    DataType type = typeOf(call);
    if (type.kind().isInterval()) {
      return functions.intervalArithmetic(op, call);
    }
    if (!type.kind().isNumeric()) {
      return null;
    }
    DataType common = computed(op, call, type);
    List<Expr> args = new ArrayList<>();
    for (RexNode operand : call.getOperands()) {
      DataType operandType = typeOf(operand);
      boolean number = operandType.kind().isNumeric() || operandType.kind() == TypeKind.NULL;
      boolean loses = operandType.kind() == TypeKind.DECIMAL && type.kind().isInteger();
      boolean rounds = operandType.kind().isFloat() && !type.kind().isFloat();
      if (!number || loses || rounds) {
        return null;
      }
      args.add(operand(translate(operand), common));
    }
    return CastTranslation.cast(new Expr.Call(op, args, common), type);
  }

  /** Calcite's remainder has the divisor's type, which the dividend may not fit. */
  private static DataType computed(Op op, RexCall call, DataType type) {
    DataType common = type;
    if (op == Op.MOD && type.kind().isInteger()) {
      for (RexNode operand : call.getOperands()) {
        DataType other = typeOf(operand);
        boolean wider = other.kind().isInteger() && other.kind().compareTo(common.kind()) > 0;
        common = wider ? other.withNullable(type.nullable()) : common;
      }
    }
    return common;
  }

  /** An operand for a result of {@code type}: of its kind, a decimal with its own scale. */
  private static Expr operand(Expr expr, DataType type) {
    if (type.kind() != TypeKind.DECIMAL) {
      return CastTranslation.cast(expr, type);
    }
    return expr.type().kind() == TypeKind.NULL
        ? CastTranslation.cast(expr, type)
        : CastTranslation.cast(expr, CastTranslation.asDecimal(expr.type()));
  }

  private @Nullable Expr floatFunction(Op op, RexCall call) {
    List<Expr> args = new ArrayList<>();
    DataType type = typeOf(call);
    for (RexNode operand : call.getOperands()) {
      DataType operandType = typeOf(operand);
      if (!operandType.kind().isNumeric() && operandType.kind() != TypeKind.NULL) {
        return null;
      }
      args.add(CastTranslation.cast(translate(operand), DataType.FLOAT64));
    }
    if (type.kind() != TypeKind.FLOAT64) {
      return null;
    }
    return new Expr.Call(op, args, type);
  }

  private @Nullable Expr floorOrCeil(Op ofNumber, Op ofTime, RexCall call) {
    List<RexNode> operands = call.getOperands();
    DataType type = typeOf(call);
    if (operands.size() == 1) {
      DataType operandType = typeOf(operands.get(0));
      if (!operandType.kind().isNumeric()
          || operandType.kind().isFloat() != type.kind().isFloat()) {
        return null;
      }
      return Expr.call(ofNumber, type, translate(operands.get(0)));
    }
    Expr unit = TimeTranslator.unit(operands.get(1));
    TypeKind kind = typeOf(operands.get(0)).kind();
    boolean time = kind == TypeKind.DATE || kind == TypeKind.TIMESTAMP || kind == TypeKind.TIME;
    if (unit == null || !time || kind != type.kind()) {
      return null;
    }
    Expr value = translate(operands.get(0));
    DataType own = value.type().withNullable(type.nullable());
    return CastTranslation.cast(Expr.call(ofTime, own, unit, value), type);
  }

  // CASE, CAST, texts

  private Expr withResultType(Op op, List<Expr> values, DataType type) {
    List<Expr> args = new ArrayList<>();
    values.forEach(value -> args.add(CastTranslation.cast(value, type)));
    return new Expr.Call(op, args, type);
  }

  private @Nullable Expr strictExtreme(Op op, SqlOperator strict, RexCall call) {
    DataType type = typeOf(call);
    if (!call.getOperator().equals(strict) || type.kind() == TypeKind.OPAQUE) {
      return null;
    }
    return withResultType(op, translateAll(call.getOperands()), type);
  }

  private Expr caseOf(RexCall call) {
    List<RexNode> operands = call.getOperands();
    DataType type = typeOf(call);
    List<Expr> args = new ArrayList<>();
    for (int i = 0; i < operands.size(); i++) {
      Expr arg = translate(operands.get(i));
      boolean condition = i % 2 == 0 && i < operands.size() - 1;
      args.add(condition ? arg : CastTranslation.cast(arg, type));
    }
    return new Expr.Call(Op.CASE, args, type);
  }

  private @Nullable Expr cast(RexCall call) {
    if (call.getOperands().size() != 1) {
      return null;
    }
    RexNode operand = call.getOperands().get(0);
    DataType from = typeOf(operand);
    DataType to = typeOf(call);
    if (CastSupport.differInNullsAlone(operand.getType(), call.getType())) {
      return translate(operand);
    }
    boolean safe = call.getKind() == SqlKind.SAFE_CAST;
    if (call.getType().getSqlTypeName() == SqlTypeName.UUID
        && SqlTypeUtil.inCharFamily(operand.getType())) {
      Op op = safe ? Op.TRY_UUID_OF_TEXT : Op.UUID_OF_TEXT;
      return Expr.call(op, to.withNullable(safe || to.nullable()), translate(operand));
    }
    if (!CastSupport.isBuiltIn(operand.getType(), call.getType())) {
      return null;
    }
    Expr arg = translate(operand);
    if (call.getType().getSqlTypeName() == SqlTypeName.BINARY
        && to.precision() >= 0
        && SqlTypeUtil.isBinary(operand.getType())
        && (operand.getType().getSqlTypeName() == SqlTypeName.VARBINARY || !from.sameAs(to))) {
      return CastTranslation.cast(translate(padded(operand, to.precision())), to);
    }
    if (from.sameAs(to)) {
      return arg;
    }
    if (to.kind().isText() && isMomentOfWholeSeconds(operand.getType())) {
      Expr second = Expr.literal("SECOND", DataType.VARCHAR);
      arg = Expr.call(Op.FLOOR_TIME, from, second, arg);
    }
    if (!rounds()) {
      Expr cut = cut(arg, to);
      if (cut == null) {
        return null;
      }
      arg = cut;
    }
    return safe
        ? Expr.call(Op.TRY_CAST, to.withNullable(true), arg)
        : CastTranslation.cast(arg, to);
  }

  /** As many bytes as a BINARY has, zeros behind those that a value has. */
  private RexNode padded(RexNode bytes, int length) {
    RexNode zeros = rexBuilder.makeBinaryLiteral(new ByteString(new byte[length]));
    return rexBuilder.makeCall(
        SqlStdOperatorTable.SUBSTRING,
        rexBuilder.makeCall(SqlStdOperatorTable.CONCAT, bytes, zeros),
        rexBuilder.makeExactLiteral(BigDecimal.ONE),
        rexBuilder.makeExactLiteral(BigDecimal.valueOf(length)));
  }

  /** A type system may have times without a fraction, whose values have one all the same. */
  private static boolean isMomentOfWholeSeconds(RelDataType type) {
    return switch (type.getSqlTypeName()) {
      case TIME, TIMESTAMP -> type.getPrecision() == 0;
      default -> false;
    };
  }

  /** Whether casts round as the engine's do; Calcite's default loses digits towards zero. */
  private boolean rounds() {
    return rexBuilder.getTypeFactory().getTypeSystem().roundingMode() == RoundingMode.HALF_UP;
  }

  /** The operand of a cast without digits that the target has not; null if Calcite cuts them. */
  private static @Nullable Expr cut(Expr arg, DataType to) {
    boolean decimal = to.kind() == TypeKind.DECIMAL;
    DataType from = arg.type();
    if (!decimal && !to.kind().isInteger()) {
      return arg;
    }
    if (decimal && (from.kind().isFloat() || from.kind().isText())) {
      return null;
    }
    if (from.kind().isFloat()) {
      return towardsZero(arg);
    }
    int scale = decimal ? to.scale() : 0;
    if (from.kind() != TypeKind.DECIMAL || from.scale() <= scale) {
      return arg;
    }
    int digits = Math.max(1, from.precision() - from.scale() + scale);
    DataType type = DataType.decimal(digits, scale, from.nullable());
    return Expr.call(Op.TRUNCATE, type, arg, Expr.literal((long) scale, DataType.INT32));
  }

  private static Expr towardsZero(Expr number) {
    DataType type = number.type();
    Expr negative =
        Expr.call(
            Op.LT,
            DataType.BOOLEAN.withNullable(type.nullable()),
            number,
            Expr.literal(0.0, type.withNullable(false)));
    return Expr.call(
        Op.CASE,
        type,
        negative,
        Expr.call(Op.CEIL, type, number),
        Expr.call(Op.FLOOR, type, number));
  }

  private @Nullable Expr textFunction(Op op, RexCall call) {
    List<Expr> args = new ArrayList<>();
    for (RexNode given : call.getOperands()) {
      RexNode operand = op == Op.OCTET_LENGTH ? textOf(given) : given;
      TypeKind kind = typeOf(operand).kind();
      if (kind == TypeKind.NULL) {
        return Expr.literal(null, typeOf(call).withNullable(true)); // they all are strict
      }
      if (!kind.isVariable() && !kind.isInteger()) {
        return null;
      }
      args.add(translate(operand));
    }
    TypeKind first = args.get(0).type().kind();
    boolean bytesToo = op == Op.SUBSTRING || op == Op.CONCAT || op == Op.OCTET_LENGTH;
    if (first == TypeKind.BINARY && !bytesToo) {
      return null;
    }
    if (op == Op.POSITION && args.size() > 3) {
      return null;
    }
    return new Expr.Call(op, args, typeOf(call));
  }

  /** The text that Calcite casts to bytes to count these. */
  private static RexNode textOf(RexNode node) {
    return node.isA(SqlKind.CAST)
            && typeOf(node).kind() == TypeKind.BINARY
            && typeOf(((RexCall) node).getOperands().get(0)).kind().isText()
            && typeOf(node).precision() < 0
        ? ((RexCall) node).getOperands().get(0)
        : node;
  }

  private @Nullable Expr trim(RexCall call) {
    List<RexNode> operands = call.getOperands();
    if (operands.size() != 3
        || !(operands.get(0) instanceof RexLiteral flag)
        || !typeOf(operands.get(2)).kind().isText()) {
      return null;
    }
    Op op =
        switch (LiteralTranslator.notNull(flag.getValueAs(SqlTrimFunction.Flag.class))) {
          case BOTH -> Op.TRIM_BOTH;
          case LEADING -> Op.TRIM_LEADING;
          case TRAILING -> Op.TRIM_TRAILING;
        };
    return Expr.call(op, typeOf(call), translate(operands.get(1)), translate(operands.get(2)));
  }
}
