package io.aragonite.rules.function;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.schema.impl.AggregateFunctionImpl;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlUserDefinedAggFunction;
import org.apache.calcite.util.Optionality;
import org.jspecify.annotations.Nullable;

/**
 * MIN and MAX for Calcite's code. Its own pass over NaN, which is greater than all other numbers,
 * as in FloatComparisons, and compare texts by UTF-16 units, not by code points, and halves of
 * UUIDs as numbers with signs.
 */
public final class HostExtremes {
  private static final SqlAggFunction MIN = function("DOUBLE_MIN", Least.class);
  private static final SqlAggFunction MAX = function("DOUBLE_MAX", Greatest.class);
  private static final SqlAggFunction REAL_MIN = function("REAL_MIN", LeastReal.class);
  private static final SqlAggFunction REAL_MAX = function("REAL_MAX", GreatestReal.class);
  private static final SqlAggFunction TEXT_MIN = function("TEXT_MIN", LeastText.class);
  private static final SqlAggFunction TEXT_MAX = function("TEXT_MAX", GreatestText.class);

  private static final SqlAggFunction UUID_MIN = function("UUID_MIN", LeastUuid.class);
  private static final SqlAggFunction UUID_MAX = function("UUID_MAX", GreatestUuid.class);

  private HostExtremes() {}

  private static SqlAggFunction function(String name, Class<?> implementation) {
    return new SqlUserDefinedAggFunction(
        new SqlIdentifier(name, SqlParserPos.ZERO),
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.ARG0_NULLABLE_IF_EMPTY,
        null,
        OperandTypes.operandMetadata(
            List.of(SqlTypeFamily.ANY),
            types -> List.of(types.createSqlType(SqlTypeName.ANY)),
            i -> "x",
            i -> false),
        Objects.requireNonNull(AggregateFunctionImpl.create(implementation)),
        false,
        false,
        Optionality.FORBIDDEN);
  }

  /** The aggregate with these functions. */
  static RelNode of(Aggregate aggregate) {
    RelNode input = aggregate.getInput();
    List<AggregateCall> calls = aggregate.getAggCallList().stream().map(HostExtremes::of).toList();
    return calls.equals(aggregate.getAggCallList())
        ? aggregate
        : aggregate.copy(
            aggregate.getTraitSet(),
            input,
            aggregate.getGroupSet(),
            aggregate.getGroupSets(),
            calls);
  }

  private static AggregateCall of(AggregateCall call) {
    SqlAggFunction function = of(call.getAggregation(), call.getType().getSqlTypeName());
    return function.equals(call.getAggregation()) ? call : by(function, call);
  }

  /** The one of these that stands for MIN or MAX of a type; else the function itself. */
  static SqlAggFunction of(SqlAggFunction function, SqlTypeName type) {
    SqlKind kind = function.getKind();
    if (kind != SqlKind.MIN && kind != SqlKind.MAX) {
      return function;
    }
    boolean least = kind == SqlKind.MIN;
    return switch (type) {
      case DOUBLE, FLOAT -> least ? MIN : MAX;
      case REAL -> least ? REAL_MIN : REAL_MAX;
      case CHAR, VARCHAR -> least ? TEXT_MIN : TEXT_MAX;
      case UUID -> least ? UUID_MIN : UUID_MAX;
      default -> function;
    };
  }

  private static AggregateCall by(SqlAggFunction function, AggregateCall call) {
    return AggregateCall.create(
        call.getParserPosition(),
        function,
        false,
        false,
        false,
        call.rexList,
        call.getArgList(),
        call.filterArg,
        call.distinctKeys,
        call.collation,
        call.getType(),
        call.getName());
  }

  /** MIN. */
  public static final class Least {
    public @Nullable Double init() {
      return null;
    }

    public @Nullable Double add(@Nullable Double least, @Nullable Double value) {
      return value != null && (least == null || FloatComparisons.less(value, least))
          ? value
          : least;
    }

    public @Nullable Double result(@Nullable Double least) {
      return least;
    }
  }

  /** MAX. */
  public static final class Greatest {
    public @Nullable Double init() {
      return null;
    }

    public @Nullable Double add(@Nullable Double greatest, @Nullable Double value) {
      return value != null && (greatest == null || FloatComparisons.less(greatest, value))
          ? value
          : greatest;
    }

    public @Nullable Double result(@Nullable Double greatest) {
      return greatest;
    }
  }

  /** MIN of REALs. */
  public static final class LeastReal {
    public @Nullable Float init() {
      return null;
    }

    public @Nullable Float add(@Nullable Float least, @Nullable Float value) {
      return value != null && (least == null || FloatComparisons.less(value, least))
          ? value
          : least;
    }

    public @Nullable Float result(@Nullable Float least) {
      return least;
    }
  }

  /** MAX of REALs. */
  public static final class GreatestReal {
    public @Nullable Float init() {
      return null;
    }

    public @Nullable Float add(@Nullable Float greatest, @Nullable Float value) {
      return value != null && (greatest == null || FloatComparisons.less(greatest, value))
          ? value
          : greatest;
    }

    public @Nullable Float result(@Nullable Float greatest) {
      return greatest;
    }
  }

  /** MIN of texts. */
  public static final class LeastText {
    public @Nullable String init() {
      return null;
    }

    public @Nullable String add(@Nullable String least, @Nullable String value) {
      return value != null && (least == null || CodePointFunctions.compare(value, least) < 0)
          ? value
          : least;
    }

    public @Nullable String result(@Nullable String least) {
      return least;
    }
  }

  /** MAX of texts. */
  public static final class GreatestText {
    public @Nullable String init() {
      return null;
    }

    public @Nullable String add(@Nullable String greatest, @Nullable String value) {
      return value != null && (greatest == null || CodePointFunctions.compare(greatest, value) < 0)
          ? value
          : greatest;
    }

    public @Nullable String result(@Nullable String greatest) {
      return greatest;
    }
  }

  /** MIN of UUIDs. */
  public static final class LeastUuid {
    public @Nullable UUID init() {
      return null;
    }

    public @Nullable UUID add(@Nullable UUID least, @Nullable UUID value) {
      return value != null && (least == null || UuidFunctions.compare(value, least) < 0)
          ? value
          : least;
    }

    public @Nullable UUID result(@Nullable UUID least) {
      return least;
    }
  }

  /** MAX of UUIDs. */
  public static final class GreatestUuid {
    public @Nullable UUID init() {
      return null;
    }

    public @Nullable UUID add(@Nullable UUID greatest, @Nullable UUID value) {
      return value != null && (greatest == null || UuidFunctions.compare(greatest, value) < 0)
          ? value
          : greatest;
    }

    public @Nullable UUID result(@Nullable UUID greatest) {
      return greatest;
    }
  }
}
