package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.FormatFunctions;
import io.aragonite.rules.function.IntegerFunctions;
import io.aragonite.rules.function.IntervalFunctions;
import io.aragonite.rules.function.ZoneFunctions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Functions that are several of the engine's operations, or one whose operands need care: rounding,
 * bits, arithmetic of intervals, padding, prefixes, the last day of a month.
 */
final class FunctionTranslator {
  private static final int MAX_EXTREMES = 16;
  private static final long DAY = 86_400_000L;

  /** Instants as texts and of texts, in a zone. */
  private static final Map<SqlOperator, Op> ZONED =
      Map.of(
          ZoneFunctions.INSTANT_TEXT, Op.INSTANT_TEXT,
          ZoneFunctions.INSTANT_OF_TEXT, Op.INSTANT_OF_TEXT,
          ZoneFunctions.FINE_INSTANT_OF_TEXT, Op.INSTANT_OF_TEXT,
          ZoneFunctions.TRY_INSTANT_OF_TEXT, Op.TRY_INSTANT_OF_TEXT,
          ZoneFunctions.TRY_FINE_INSTANT_OF_TEXT, Op.TRY_INSTANT_OF_TEXT);

  private final RexTranslator translator;
  private final TimestampDifferences differences;
  private final Map<SqlOperator, BiFunction<RexCall, List<Expr>, @Nullable Expr>> functions;

  FunctionTranslator(RexTranslator translator, TimestampDifferences differences) {
    this.translator = translator;
    this.differences = differences;
    this.functions =
        Map.ofEntries(
            Map.entry(SqlStdOperatorTable.ROUND, (call, args) -> rounded(Op.ROUND, call, args)),
            Map.entry(
                SqlStdOperatorTable.TRUNCATE, (call, args) -> rounded(Op.TRUNCATE, call, args)),
            Map.entry(SqlStdOperatorTable.BITAND, (call, args) -> bits(Op.BIT_AND, call, args)),
            Map.entry(
                SqlStdOperatorTable.BITAND_OPERATOR, (call, args) -> bits(Op.BIT_AND, call, args)),
            Map.entry(SqlStdOperatorTable.BITOR, (call, args) -> bits(Op.BIT_OR, call, args)),
            Map.entry(SqlStdOperatorTable.BITXOR, (call, args) -> bits(Op.BIT_XOR, call, args)),
            Map.entry(
                SqlStdOperatorTable.BITXOR_OPERATOR, (call, args) -> bits(Op.BIT_XOR, call, args)),
            Map.entry(SqlStdOperatorTable.BITNOT, (call, args) -> bits(Op.BIT_NOT, call, args)),
            Map.entry(SqlStdOperatorTable.BITCOUNT, FunctionTranslator::bitCount),
            Map.entry(IntegerFunctions.GCD, (call, args) -> ofIntegers(Op.GCD, call, args)),
            Map.entry(IntegerFunctions.LCM, (call, args) -> ofIntegers(Op.LCM, call, args)),
            Map.entry(
                ZoneFunctions.INSTANT_FLOOR,
                (call, args) -> roundedInstant(Op.INSTANT_FLOOR, call, args)),
            Map.entry(
                ZoneFunctions.INSTANT_CEIL,
                (call, args) -> roundedInstant(Op.INSTANT_CEIL, call, args)),
            Map.entry(ZoneFunctions.AT_TIME_ZONE, FunctionTranslator::atTimeZone),
            Map.entry(IntervalFunctions.INTERVAL_TEXT, FunctionTranslator::textOfInterval),
            Map.entry(IntervalFunctions.MONTHS_TEXT, FunctionTranslator::textOfInterval),
            Map.entry(SqlStdOperatorTable.LAST_DAY, FunctionTranslator::lastDay),
            Map.entry(SqlLibraryOperators.LPAD, (call, args) -> text(Op.LPAD, call, args)),
            Map.entry(SqlLibraryOperators.RPAD, (call, args) -> text(Op.RPAD, call, args)),
            Map.entry(SqlLibraryOperators.CHR, (call, args) -> text(Op.CHR, call, args)),
            Map.entry(SqlLibraryOperators.SPACE, FunctionTranslator::space),
            Map.entry(FormatFunctions.FORMAT_VALUE, FunctionTranslator::formatted),
            Map.entry(SqlLibraryOperators.BIT_LENGTH, FunctionTranslator::bitLength),
            Map.entry(SqlLibraryOperators.STARTS_WITH, FunctionTranslator::startsWith),
            Map.entry(SqlLibraryOperators.STARTSWITH, FunctionTranslator::startsWith),
            Map.entry(SqlLibraryOperators.ENDS_WITH, FunctionTranslator::endsWith),
            Map.entry(SqlLibraryOperators.ENDSWITH, FunctionTranslator::endsWith),
            Map.entry(
                SqlLibraryOperators.CONCAT_FUNCTION, (call, args) -> text(Op.CONCAT, call, args)),
            Map.entry(
                SqlLibraryOperators.CONCAT_FUNCTION_WITH_NULL,
                FunctionTranslator::concatWithoutNulls),
            Map.entry(
                SqlLibraryOperators.GREATEST_PG,
                (call, args) -> extremeWithoutNulls(Op.GREATEST, call, args)),
            Map.entry(
                SqlLibraryOperators.LEAST_PG,
                (call, args) -> extremeWithoutNulls(Op.LEAST, call, args)));
  }

  /** Null if the call is none of these functions, or one over types that the engine leaves out. */
  @Nullable Expr translate(RexCall call) {
    if (call.getKind() == SqlKind.REINTERPRET) {
      return reinterpret(call);
    }
    Op ofTexts = ZONED.get(call.getOperator());
    if (ofTexts != null) {
      return zoned(ofTexts, call, translator.translateAll(call.getOperands()));
    }
    BiFunction<RexCall, List<Expr>, @Nullable Expr> function = functions.get(call.getOperator());
    return function == null
        ? null
        : function.apply(call, translator.translateAll(call.getOperands()));
  }

  private static DataType typeOf(RexNode node) {
    return TypeMapping.of(node.getType());
  }

  private static Expr textOfInterval(RexCall call, List<Expr> args) {
    return Expr.call(Op.CAST, typeOf(call), args.getFirst());
  }

  /** A number is taken as a whole or a floating one, all else as its text. */
  private static Expr formatted(RexCall call, List<Expr> args) {
    DataType from = args.get(0).type();
    boolean text = !from.kind().isNumeric();
    DataType to =
        text ? DataType.VARCHAR : from.kind().isInteger() ? DataType.INT64 : DataType.FLOAT64;
    Expr value = CastTranslation.cast(args.get(0), to);
    boolean digits =
        call.getOperands().get(1) instanceof RexLiteral literal
            && "d".equals(literal.getValueAs(String.class));
    return digits
        ? CastTranslation.cast(value, typeOf(call))
        : Expr.call(Op.FORMAT, typeOf(call), value, args.get(1));
  }

  private static @Nullable Expr rounded(Op op, RexCall call, List<Expr> args) {
    DataType type = typeOf(call);
    DataType from = args.get(0).type();
    boolean digits = args.size() < 2 || args.get(1).type().kind().isInteger();
    if (!digits || !from.kind().isNumeric() || from.kind().isFloat() != type.kind().isFloat()) {
      return null;
    }
    return new Expr.Call(op, args, type);
  }

  private static @Nullable Expr bits(Op op, RexCall call, List<Expr> args) {
    DataType type = typeOf(call);
    List<Expr> same = new ArrayList<>();
    for (Expr arg : args) {
      if (!type.kind().isInteger() || !arg.type().kind().isInteger()) {
        return null;
      }
      same.add(CastTranslation.cast(arg, type));
    }
    return new Expr.Call(op, same, type);
  }

  /** Of the operand's own bits: those that widening sets by its sign do not count. */
  private static @Nullable Expr bitCount(RexCall call, List<Expr> args) {
    Expr number = args.getFirst();
    int bits =
        switch (number.type().kind()) {
          case INT8 -> Byte.SIZE;
          case INT16 -> Short.SIZE;
          case INT32 -> Integer.SIZE;
          case INT64 -> Long.SIZE;
          default -> 0;
        };
    if (bits == 0) {
      return null;
    }
    DataType type = DataType.INT64.withNullable(number.type().nullable());
    Expr wide = CastTranslation.cast(number, type);
    Expr own =
        bits == Long.SIZE
            ? wide
            : Expr.call(Op.BIT_AND, type, wide, Expr.literal((1L << bits) - 1, DataType.INT64));
    return Expr.call(Op.BIT_COUNT, typeOf(call), own);
  }

  private static Expr ofIntegers(Op op, RexCall call, List<Expr> args) {
    return new Expr.Call(
        op,
        args.stream()
            .map(arg ->
                CastTranslation.cast(arg, DataType.INT64.withNullable(arg.type().nullable())))
            .toList(),
        typeOf(call));
  }

  // Texts

  private static boolean areTexts(List<Expr> args) {
    return args.stream().allMatch(arg -> arg.type().kind().isText());
  }

  private static @Nullable Expr text(Op op, RexCall call, List<Expr> args) {
    for (Expr arg : args) {
      if (!arg.type().kind().isText() && !arg.type().kind().isInteger()) {
        return null;
      }
    }
    return new Expr.Call(op, args, typeOf(call));
  }

  private static @Nullable Expr space(RexCall call, List<Expr> args) {
    return args.get(0).type().kind().isInteger()
        ? Expr.call(Op.REPEAT, typeOf(call), Expr.literal(" ", DataType.VARCHAR), args.get(0))
        : null;
  }

  private static @Nullable Expr bitLength(RexCall call, List<Expr> args) {
    DataType type = typeOf(call);
    return args.get(0).type().kind().isVariable()
        ? Expr.call(
            Op.TIMES,
            type,
            Expr.call(Op.OCTET_LENGTH, type, args.get(0)),
            Expr.literal(8L, type.withNullable(false)))
        : null;
  }

  private static @Nullable Expr startsWith(RexCall call, List<Expr> args) {
    return areTexts(args) ? partEquals(Op.LEFT, call, args) : null;
  }

  private static @Nullable Expr endsWith(RexCall call, List<Expr> args) {
    return areTexts(args) ? partEquals(Op.RIGHT, call, args) : null;
  }

  private static Expr partEquals(Op part, RexCall call, List<Expr> args) {
    DataType length = DataType.INT32.withNullable(args.get(1).type().nullable());
    DataType text = DataType.VARCHAR.withNullable(typeOf(call).nullable());
    return Expr.call(
        Op.EQ,
        typeOf(call),
        Expr.call(part, text, args.get(0), Expr.call(Op.CHAR_LENGTH, length, args.get(1))),
        args.get(1));
  }

  private static @Nullable Expr concatWithoutNulls(RexCall call, List<Expr> args) {
    if (!areTexts(args)) {
      return null;
    }
    Expr empty = Expr.literal("", DataType.VARCHAR);
    List<Expr> parts = new ArrayList<>();
    for (Expr arg : args) {
      parts.add(arg.type().nullable() ? Expr.call(Op.COALESCE, DataType.VARCHAR, arg, empty) : arg);
    }
    return new Expr.Call(Op.CONCAT, parts, typeOf(call));
  }

  /** The extreme of those that are not null: halves, so that the expression does not explode. */
  private static @Nullable Expr extremeWithoutNulls(Op op, RexCall call, List<Expr> args) {
    DataType type = typeOf(call);
    if (type.kind() == TypeKind.OPAQUE || args.size() > MAX_EXTREMES) {
      return null;
    }
    List<Expr> level = args.stream().map(arg -> CastTranslation.cast(arg, type)).toList();
    while (level.size() > 1) {
      List<Expr> next = new ArrayList<>();
      for (int i = 0; i < level.size(); i += 2) {
        next.add(
            i + 1 == level.size()
                ? level.get(i)
                : extreme(op, type, level.get(i), level.get(i + 1)));
      }
      level = next;
    }
    return level.get(0);
  }

  private static Expr extreme(Op op, DataType type, Expr a, Expr b) {
    return Expr.call(Op.COALESCE, type, Expr.call(op, type, a, b), a, b);
  }

  // Dates and intervals

  private static Expr zoned(Op op, RexCall call, List<Expr> args) {
    return Expr.call(op, typeOf(call), args.get(1), args.get(0));
  }

  private static Expr roundedInstant(Op op, RexCall call, List<Expr> args) {
    return Expr.call(op, typeOf(call), args.get(2), args.get(1), args.get(0));
  }

  private static Expr atTimeZone(RexCall call, List<Expr> args) {
    DataType type = typeOf(call);
    if (args.get(0).type().kind() == TypeKind.INSTANT) {
      return zoned(Op.LOCAL_TIME, call, args);
    }
    DataType local = DataType.timestamp(type.precision(), args.get(0).type().nullable());
    return zoned(
        Op.LOCAL_TO_INSTANT, call, List.of(CastTranslation.cast(args.get(0), local), args.get(1)));
  }

  private static @Nullable Expr lastDay(RexCall call, List<Expr> args) {
    TypeKind kind = args.get(0).type().kind();
    if (kind != TypeKind.DATE && kind != TypeKind.TIMESTAMP) {
      return null;
    }
    DataType date = DataType.of(TypeKind.DATE, args.get(0).type().nullable());
    Expr first =
        Expr.call(
            Op.FLOOR_TIME,
            date,
            Expr.literal("MONTH", DataType.VARCHAR),
            CastTranslation.cast(args.get(0), date));
    Expr next = Expr.call(Op.DATETIME_PLUS, date, first, interval(TypeKind.INTERVAL_MONTH, 1));
    return Expr.call(Op.DATETIME_PLUS, date, next, interval(TypeKind.INTERVAL_DAY, -DAY));
  }

  private static Expr interval(TypeKind kind, long value) {
    return Expr.literal(value, DataType.of(kind, false));
  }

  /**
   * An interval or timestamp as the number that it is, or the other way round. Of a difference with
   * more than milliseconds these are cut off; a call with a second operand refuses it.
   */
  private @Nullable Expr reinterpret(RexCall call) {
    RexNode operand = call.getOperands().get(0);
    DataType from = typeOf(operand);
    DataType to = typeOf(call);
    boolean known =
        (from.kind().isInteger() || from.kind().isInterval() || from.kind() == TypeKind.TIMESTAMP)
            && (to.kind().isInteger() || to.kind().isInterval() || to.kind() == TypeKind.TIMESTAMP);
    if (!known) {
      return null;
    }
    Expr millis = call.getOperands().size() == 1 ? differences.millis(operand) : null;
    return CastTranslation.cast(millis == null ? translator.translate(operand) : millis, to);
  }

  /** Sums of intervals, and intervals times or divided by integers. */
  @Nullable Expr intervalArithmetic(Op op, RexCall call) {
    DataType type = typeOf(call);
    List<Expr> args = new ArrayList<>();
    int intervals = 0;
    for (RexNode operand : call.getOperands()) {
      DataType from = typeOf(operand);
      if (from.kind().isInterval() ? from.kind() != type.kind() : !from.kind().isInteger()) {
        return null;
      }
      intervals += from.kind().isInterval() ? 1 : 0;
      args.add(CastTranslation.cast(translator.translate(operand), DataType.INT64));
    }
    boolean known =
        switch (op) {
          case PLUS, MINUS -> intervals == 2;
          case TIMES -> intervals == 1;
          case DIVIDE -> intervals == 1 && typeOf(call.getOperands().get(0)).kind().isInterval();
          case NEGATE, ABS -> true;
          default -> false;
        };
    DataType number = DataType.INT64.withNullable(type.nullable());
    return known ? CastTranslation.cast(new Expr.Call(op, args, number), type) : null;
  }
}
