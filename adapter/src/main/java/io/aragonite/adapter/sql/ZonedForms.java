package io.aragonite.adapter.sql;

import io.aragonite.adapter.parameter.TypedMarker;
import io.aragonite.adapter.sql.function.MomentCast;
import io.aragonite.adapter.sql.function.StructPack;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.ZoneFunctions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlInOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/**
 * Expressions over instants, TIMESTAMP WITH TIME ZONE, as PostgreSQL has them: what depends on a
 * time zone is written over AT TIME ZONE of the connection's. Days, months and years are added to
 * the local time, shorter units to the instant.
 */
final class ZonedForms {
  private static final String UTC = "UTC";
  private static final Set<SqlKind> COMPARISONS =
      Set.of(
          SqlKind.EQUALS,
          SqlKind.NOT_EQUALS,
          SqlKind.LESS_THAN,
          SqlKind.LESS_THAN_OR_EQUAL,
          SqlKind.GREATER_THAN,
          SqlKind.GREATER_THAN_OR_EQUAL,
          SqlKind.IS_DISTINCT_FROM,
          SqlKind.IS_NOT_DISTINCT_FROM,
          SqlKind.BETWEEN,
          SqlKind.IN,
          SqlKind.NOT_IN);

  /** Units that begin at the same instants in all zones. */
  private static final Set<TimeUnitRange> FRACTIONS =
      Set.of(
          TimeUnitRange.SECOND,
          TimeUnitRange.MILLISECOND,
          TimeUnitRange.MICROSECOND,
          TimeUnitRange.NANOSECOND);

  static final int MICROS = 6;
  private static final int NANOS = 9;

  /** A text with more than microseconds. */
  private static final Pattern FINE = Pattern.compile("\\.\\d{7}");

  /** Functions of values of one type. */
  private static final Set<String> OF_ONE_TYPE = Set.of("GREATEST", "LEAST", "IFNULL", "NVL");

  /** Functions of what clocks show. */
  private static final Set<String> OF_LOCAL_TIME = Set.of("LAST_DAY", "TO_CHAR");

  /** Functions that compare a value with those of a list, or put it beside them. */
  private static final Set<SqlOperator> OF_LISTS =
      Set.of(
          SqlLibraryOperators.ARRAY_CONTAINS,
          SqlLibraryOperators.ARRAY_POSITION,
          SqlLibraryOperators.ARRAY_APPEND,
          SqlLibraryOperators.ARRAY_PREPEND);

  private static final Map<SqlOperator, SqlOperator> TRIED =
      Map.of(
          ZoneFunctions.INSTANT_OF_TEXT, ZoneFunctions.TRY_INSTANT_OF_TEXT,
          ZoneFunctions.FINE_INSTANT_OF_TEXT, ZoneFunctions.TRY_FINE_INSTANT_OF_TEXT);

  private final SqlValidator validator;
  private final String zone;

  /** Casts that leave an instant as it is; once their type is known their operator is CAST. */
  private final Set<SqlNode> castMoments = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * @param zone of the connection
   */
  ZonedForms(SqlValidator validator, String zone) {
    this.validator = validator;
    this.zone = zone;
  }

  /** Rewrites a call, before its type is derived. */
  void apply(SqlCall call, SqlValidatorScope scope) {
    Function<SqlNode, RelDataType> types = node -> validator.deriveType(scope, node);
    SqlKind kind = call.getKind();
    if (COMPARISONS.contains(kind)) {
      compare(call, types);
      return;
    }
    switch (kind) {
      case CAST, SAFE_CAST -> cast(call, types);
      case EXTRACT -> extract(call, types);
      case FLOOR, CEIL -> truncate(call, types);
      case PLUS, MINUS -> add(call, types);
      case TIMESTAMP_ADD, TIMESTAMP_DIFF -> difference(call, types);
      case ROW,
          ARRAY_VALUE_CONSTRUCTOR,
          MAP_VALUE_CONSTRUCTOR,
          MULTISET_VALUE_CONSTRUCTOR,
          ARRAY_AGG,
          COLLECT ->
          refuseParts(call, types);
      default -> {
        String name = call.getOperator().getName().toUpperCase(Locale.ROOT);
        if (OF_ONE_TYPE.contains(name)) {
          localsToInstants(call, types);
        }
        if (StructPack.is(call) || OF_LISTS.contains(call.getOperator())) {
          refuseParts(call, types);
        }
        if (OF_LOCAL_TIME.contains(name)
            && call.operandCount() > 0
            && isInstant(types.apply(call.operand(0)))) {
          call.setOperand(0, at(call.operand(0), zone));
        }
      }
    }
  }

  /** Local times beside instants become these. */
  private void localsToInstants(SqlCall call, Function<SqlNode, RelDataType> types) {
    List<SqlNode> values = call.getOperandList();
    if (values.stream().anyMatch(value -> isValue(value) && isInstant(types.apply(value)))) {
      for (int i = 0; i < values.size(); i++) {
        SqlTypeName type = types.apply(values.get(i)).getSqlTypeName();
        if (type == SqlTypeName.DATE || type == SqlTypeName.TIMESTAMP) {
          call.setOperand(i, at(values.get(i), zone));
        }
      }
    }
  }

  /** What reads values within others knows of no instants. */
  private static void refuseParts(SqlCall call, Function<SqlNode, RelDataType> types) {
    for (SqlNode part : call.getOperandList()) {
      if (part != null && isValue(part) && isInstant(types.apply(part))) {
        throw new AragoniteException(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "A TIMESTAMP WITH TIME ZONE is not possible in a list, map or row; cast it to VARCHAR,"
                + " or write AT TIME ZONE.");
      }
    }
  }

  static boolean isInstant(RelDataType type) {
    return type.getSqlTypeName() == SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE;
  }

  private static SqlNode at(SqlNode value, String zone) {
    SqlParserPos at = value.getParserPosition();
    return ZoneFunctions.AT_TIME_ZONE.createCall(at, value, SqlLiteral.createCharString(zone, at));
  }

  /** A local time or a text as an instant; null for all else. */
  private @Nullable SqlNode instant(SqlNode value, RelDataType type, int digits) {
    SqlParserPos at = value.getParserPosition();
    if (SqlTypeUtil.isCharacter(type) || value instanceof SqlDynamicParam) {
      return (digits > MICROS ? ZoneFunctions.FINE_INSTANT_OF_TEXT : ZoneFunctions.INSTANT_OF_TEXT)
          .createCall(at, value, SqlLiteral.createCharString(zone, at));
    }
    if (moment(value) instanceof SqlNode moment) {
      return moment;
    }
    boolean local =
        type.getSqlTypeName() == SqlTypeName.TIMESTAMP || type.getSqlTypeName() == SqlTypeName.DATE;
    return local ? at(value, zone) : null;
  }

  /** A parameter that is known as an instant, or the beginning of a unit that it is in. */
  private @Nullable SqlNode moment(SqlNode value) {
    if (value instanceof SqlCall call) {
      boolean floor = call.getKind() == SqlKind.FLOOR && call.operandCount() == 2;
      if (floor || castMoments.contains(call)) {
        SqlNode inner = moment(call.operand(0));
        return inner == null || !floor
            ? inner
            : call.getOperator().createCall(call.getParserPosition(), inner, call.operand(1));
      }
    }
    return TypedMarker.instant(value);
  }

  /**
   * A long list of literals as one of UTC's times, which is a relation of constants: the instant is
   * compared by UTC's clocks.
   *
   * @return whether all elements are such
   */
  private boolean constants(SqlCall in, Function<SqlNode, RelDataType> types) {
    if (!(in.getOperator() instanceof SqlInOperator)
        || !(in.operand(1) instanceof SqlNodeList list)
        || list.size() < LiteralLists.LONG
        || !isValue(in.operand(0))
        || !isInstant(types.apply(in.operand(0)))) {
      return false;
    }
    int digits = types.apply(in.operand(0)).getPrecision();
    List<SqlNode> made = new ArrayList<>();
    for (SqlNode node : list) {
      if (!(node instanceof SqlLiteral literal)) {
        return false;
      }
      TimestampString moment =
          literal.getValue() == null ? null : ConstantInstants.utc(literal, NANOS, zone);
      if (literal.getValue() != null && (moment == null || !moment.round(digits).equals(moment))) {
        return false;
      }
      made.add(
          moment == null
              ? literal
              : SqlLiteral.createTimestamp(
                  SqlTypeName.TIMESTAMP, moment, digits, literal.getParserPosition()));
    }
    for (int i = 0; i < made.size(); i++) {
      list.set(i, made.get(i));
    }
    in.setOperand(0, at(in.operand(0), UTC));
    return true;
  }

  private void compare(SqlCall call, Function<SqlNode, RelDataType> types) {
    if (constants(call, types)) {
      return;
    }
    int digits = -1;
    for (SqlNode operand : call.getOperandList()) {
      if (isValue(operand) && isInstant(types.apply(operand))) {
        digits = Math.max(digits, types.apply(operand).getPrecision());
      }
    }
    if (digits < 0) {
      return;
    }
    for (int i = 0; i < call.operandCount(); i++) {
      SqlNode operand = call.operand(i);
      if (operand instanceof SqlNodeList list) {
        for (int j = 0; j < list.size(); j++) {
          list.set(j, compared(list.get(j), types, digits));
        }
      } else {
        call.setOperand(i, compared(operand, types, digits));
      }
    }
  }

  private SqlNode compared(SqlNode operand, Function<SqlNode, RelDataType> types, int digits) {
    if (!isValue(operand)) {
      return operand;
    }
    boolean fine = operand instanceof SqlLiteral && FINE.matcher(operand.toString()).find();
    SqlNode instant = instant(operand, types.apply(operand), fine ? 9 : digits);
    return instant == null ? operand : instant;
  }

  /** Whether a node is no list, row or query with columns of its own. */
  private static boolean isValue(SqlNode node) {
    return !(node instanceof SqlNodeList)
        && !node.getKind().belongsTo(SqlKind.QUERY)
        && node.getKind() != SqlKind.ROW;
  }

  private void cast(SqlCall call, Function<SqlNode, RelDataType> types) {
    if (!(call.operand(1) instanceof SqlDataTypeSpec spec) || !isValue(call.operand(0))) {
      return;
    }
    if (MomentCast.isUnlessInstant(call)) {
      castMoments.add(call);
    }
    RelDataType from = types.apply(call.operand(0));
    RelDataType to = spec.deriveType(validator);
    SqlNode value = call.operand(0);
    if ((MomentCast.isOfUtc(call)
            || MomentCast.isUnlessInstant(call) && from.getSqlTypeName() == SqlTypeName.TIME)
        && Durations.sinceEpoch(value, from) instanceof SqlNode later) {
      call.setOperand(0, later);
    } else if (MomentCast.isOfUtc(call) && moment(value) instanceof SqlNode moment) {
      call.setOperand(0, at(moment, UTC));
    } else if (isInstant(to) && !isInstant(from)) {
      SqlNode instant = instant(value, from, to.getPrecision());
      if (instant instanceof SqlBasicCall made
          && call.getKind() == SqlKind.SAFE_CAST
          && TRIED.get(made.getOperator()) instanceof SqlOperator tried) {
        made.setOperator(tried);
      }
      call.setOperand(0, instant == null ? value : instant);
    } else if (isInstant(from)) {
      SqlParserPos at = value.getParserPosition();
      switch (to.getSqlTypeName()) {
        case TIMESTAMP, DATE, TIME -> {
          if (MomentCast.isUnlessInstant(call)) {
            call.setOperand(1, spec(from, at));
          } else {
            call.setOperand(0, at(value, MomentCast.isOfUtc(call) ? UTC : zone));
          }
        }
        case CHAR, VARCHAR ->
            call.setOperand(
                0,
                ZoneFunctions.INSTANT_TEXT.createCall(
                    at, value, SqlLiteral.createCharString(zone, at)));
        default -> {}
      }
    }
  }

  private static SqlDataTypeSpec spec(RelDataType type, SqlParserPos at) {
    return new SqlDataTypeSpec(
        new SqlBasicTypeNameSpec(type.getSqlTypeName(), type.getPrecision(), at), at);
  }

  private void extract(SqlCall call, Function<SqlNode, RelDataType> types) {
    SqlNode value = call.operand(1);
    RelDataType type = types.apply(value);
    boolean epoch =
        call.operand(0) instanceof SqlIntervalQualifier unit && unit.getUnit() == TimeUnit.EPOCH;
    if (isInstant(type)) {
      call.setOperand(1, at(value, epoch ? UTC : zone));
    } else if (epoch && Durations.sinceEpoch(value, type) instanceof SqlNode later) {
      call.setOperand(1, later);
    }
  }

  /** To days and longer units the local time is rounded, to shorter ones the instant. */
  private void truncate(SqlCall call, Function<SqlNode, RelDataType> types) {
    if (call.operandCount() != 2
        || !(call instanceof SqlBasicCall basic)
        || !isInstant(types.apply(call.operand(0)))) {
      return;
    }
    TimeUnitRange unit =
        call.operand(1) instanceof SqlIntervalQualifier given && given.timeFrameName == null
            ? given.timeUnitRange
            : TimeUnitRange.DAY;
    if (unit == TimeUnitRange.HOUR || unit == TimeUnitRange.MINUTE) {
      basic.setOperator(new InstantRounding(call.getOperator(), zone));
      return;
    }
    String used = FRACTIONS.contains(unit) ? UTC : zone;
    back(
        basic,
        call.getOperator()
            .createCall(call.getParserPosition(), at(call.operand(0), used), call.operand(1)),
        used);
  }

  /** What the call was, as an instant. */
  private static void back(SqlBasicCall call, SqlNode local, String zone) {
    SqlParserPos at = call.getParserPosition();
    call.setOperator(ZoneFunctions.AT_TIME_ZONE);
    call.setOperand(0, local);
    call.setOperand(1, SqlLiteral.createCharString(zone, at));
  }

  private void add(SqlCall call, Function<SqlNode, RelDataType> types) {
    if (call.operandCount() != 2
        || !(call instanceof SqlBasicCall basic)
        || !isValue(call.operand(0))
        || !isValue(call.operand(1))) {
      return;
    }
    RelDataType left = types.apply(call.operand(0));
    RelDataType right = types.apply(call.operand(1));
    if (!isInstant(left) && !isInstant(right)) {
      return;
    }
    boolean plus = call.getOperator().equals(SqlStdOperatorTable.PLUS);
    boolean interval = SqlTypeUtil.isInterval(left) || SqlTypeUtil.isInterval(right);
    if (interval && (plus || isInstant(left))) {
      SqlNode added = call.operand(isInstant(left) ? 1 : 0);
      RelDataType addedType = isInstant(left) ? right : left;
      boolean local = Durations.isByDays(addedType) && !Durations.isZero(added);
      String used = local ? zone : UTC;
      SqlParserPos at = call.getParserPosition();
      SqlNode moved =
          call.getOperator()
              .createCall(
                  at,
                  isInstant(left) ? at(call.operand(0), used) : call.operand(0),
                  isInstant(right) ? at(call.operand(1), used) : call.operand(1));
      if (!local || !Durations.mayBeZero(added)) {
        back(basic, moved, used);
        return;
      }
      SqlNode same = at(call.operand(isInstant(left) ? 0 : 1), UTC);
      back(
          basic,
          new SqlCase(
              at,
              null,
              SqlNodeList.of(Durations.zero(added)),
              SqlNodeList.of(same),
              at(at(moved, zone), UTC)),
          UTC);
    } else if (!plus) {
      for (int i = 0; i < 2; i++) {
        SqlNode operand = call.operand(i);
        RelDataType type = i == 0 ? left : right;
        SqlNode instant = isInstant(type) ? operand : instant(operand, type, MICROS);
        call.setOperand(i, instant == null ? operand : at(instant, UTC));
      }
    }
  }

  /**
   * Of days and longer units between local times, of shorter ones between instants. What is no unit
   * of a length is left to be refused.
   */
  private void difference(SqlCall call, Function<SqlNode, RelDataType> types) {
    if (call.operandCount() != 3 || !(call.operand(0) instanceof SqlIntervalQualifier unit)) {
      return;
    }
    boolean add = call.getKind() == SqlKind.TIMESTAMP_ADD;
    boolean last = isInstant(types.apply(call.operand(2)));
    if (add) {
      if (last) {
        throw new AragoniteException(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "TIMESTAMPADD to a TIMESTAMP WITH TIME ZONE is not possible; add an INTERVAL.");
      }
      return;
    }
    if (Durations.sinceMidnight(
        call, 1, types.apply(call.operand(1)), types.apply(call.operand(2)))) {
      return;
    }
    boolean first = isInstant(types.apply(call.operand(1)));
    BigDecimal length = unit.getUnit().multiplier;
    if (!first && !last || length == null) {
      return;
    }
    // Of years and months the multiplier counts months, of other units milliseconds.
    boolean byDays = unit.isYearMonth() || length.compareTo(TimeUnit.DAY.multiplier) >= 0;
    String used = byDays ? zone : UTC;
    for (int i = 1; i < 3; i++) {
      SqlNode operand = call.operand(i);
      RelDataType type = types.apply(operand);
      SqlNode instant = isInstant(type) ? operand : instant(operand, type, MICROS);
      call.setOperand(i, instant == null ? operand : at(instant, used));
    }
  }
}
