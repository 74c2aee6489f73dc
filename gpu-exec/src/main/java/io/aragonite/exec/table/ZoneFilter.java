package io.aragonite.exec.table;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TimestampUnit;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Whether a predicate can be true for some of the rows that zone maps describe. What it does not
 * understand can be: a yes proves nothing, a no does.
 */
public final class ZoneFilter {
  /** Whether a column may have a value, in the form of literals, by more than its bounds. */
  @FunctionalInterface
  public interface MembershipTest {
    boolean mayHave(int column, Object value);
  }

  private final IntFunction<ZoneMap> zones;
  private final MembershipTest values;

  private ZoneFilter(IntFunction<ZoneMap> zones, MembershipTest values) {
    this.zones = zones;
    this.values = values;
  }

  /**
   * @param predicate without parameters
   * @param zones what is known of the columns that it refers to
   */
  public static boolean mayMatch(Expr predicate, IntFunction<ZoneMap> zones) {
    return mayMatch(predicate, zones, (column, value) -> true);
  }

  /**
   * The same where more is known of values that a column is equal to.
   *
   * @param values asked only about values that the bounds do not exclude
   */
  public static boolean mayMatch(
      Expr predicate, IntFunction<ZoneMap> zones, MembershipTest values) {
    return new ZoneFilter(zones, values).mayBe(predicate, true);
  }

  /** Whether a truth value can be {@code wanted}. */
  private boolean mayBe(Expr expr, boolean wanted) {
    if (expr instanceof Expr.Literal literal) {
      return Boolean.valueOf(wanted).equals(literal.value());
    }
    if (!(expr instanceof Expr.Call call)) {
      return true;
    }
    List<Expr> args = call.args();
    return switch (call.op()) {
      case AND ->
          wanted
              ? args.stream().allMatch(arg -> mayBe(arg, true))
              : args.stream().anyMatch(arg -> mayBe(arg, false));
      case OR ->
          wanted
              ? args.stream().anyMatch(arg -> mayBe(arg, true))
              : args.stream().allMatch(arg -> mayBe(arg, false));
      case NOT -> mayBe(args.getFirst(), !wanted);
      case IS_TRUE -> !wanted || mayBe(args.getFirst(), true);
      case IS_FALSE -> !wanted || mayBe(args.getFirst(), false);
      case IS_NOT_TRUE -> wanted || mayBe(args.getFirst(), true);
      case IS_NOT_FALSE -> wanted || mayBe(args.getFirst(), false);
      case IS_NULL -> mayBeNull(args.getFirst(), wanted);
      case IS_NOT_NULL -> mayBeNull(args.getFirst(), !wanted);
      case EQ, NE, LT, LE, GT, GE -> compared(call.op(), args.get(0), args.get(1), wanted);
      case IN_LIST ->
          !wanted
              || args.subList(1, args.size()).stream()
                  .anyMatch(value -> compared(Op.EQ, args.getFirst(), value, true));
      case LIKE -> !wanted || mayBeLike(args);
      default -> true;
    };
  }

  private boolean mayBeNull(Expr expr, boolean wanted) {
    ZoneMap zone = zone(expr);
    return zone == null || (wanted ? zone.nulls() != 0 : !zone.isEmpty());
  }

  private boolean compared(Op op, Expr left, Expr right, boolean wanted) {
    Op asked = wanted ? op : op.negatedComparison();
    if (right instanceof Expr.Literal literal) {
      return compared(asked, left, literal);
    }
    return !(left instanceof Expr.Literal literal)
        || compared(asked.flippedComparison(), right, literal);
  }

  private boolean compared(Op op, Expr expr, Expr.Literal literal) {
    return compared(op, zone(expr), literal)
        && (op != Op.EQ || literal.value() == null || mayHave(expr, literal.value()));
  }

  /** Of a column, or of an integer that is widened. */
  private boolean mayHave(Expr expr, Object value) {
    return switch (expr) {
      case Expr.InputRef ref -> values.mayHave(ref.index(), value);
      case Expr.Call call
          when call.op() == Op.CAST
              && call.type().kind().isInteger()
              && call.args().getFirst().type().kind().isInteger()
              && width(call.type()) >= width(call.args().getFirst().type()) ->
          mayHave(call.args().getFirst(), value);
      default -> true;
    };
  }

  private static boolean compared(Op op, @Nullable ZoneMap zone, Expr.Literal literal) {
    if (literal.value() == null || zone != null && zone.isEmpty()) {
      return false;
    }
    if (zone == null) {
      return true;
    }
    Integer least = compare(zone.min(), literal.value());
    Integer most = compare(zone.max(), literal.value());
    // NaN is larger than all else, and equal to itself.
    boolean nan = zone.mayBeNaN() && literal.type().kind().isFloat();
    boolean atMost = least == null || least <= 0;
    boolean atLeast = most == null || most >= 0;
    return switch (op) {
      case EQ -> nan && literal.value().equals(Double.NaN) || atMost && atLeast;
      case NE -> nan || least == null || most == null || least != 0 || most != 0;
      case LT -> least == null || least < 0;
      case LE -> atMost;
      case GT -> nan || most == null || most > 0;
      default -> nan || atLeast;
    };
  }

  /** How a bound compares with a literal; null if that cannot be told. */
  private static @Nullable Integer compare(@Nullable Object bound, Object literal) {
    if (bound instanceof byte[] text && literal instanceof String other) {
      return Arrays.compareUnsigned(text, other.getBytes(StandardCharsets.UTF_8));
    }
    if (bound instanceof Long a && literal instanceof Long b) {
      return a.compareTo(b);
    }
    if (bound instanceof Double a && literal instanceof Double b) {
      return Double.compare(a + 0.0, b + 0.0);
    }
    if (bound instanceof BigDecimal a && literal instanceof BigDecimal b) {
      return a.compareTo(b);
    }
    return null;
  }

  /** What is known of a column, or of a cast of one that keeps all values apart and in order. */
  private @Nullable ZoneMap zone(Expr expr) {
    if (expr instanceof Expr.InputRef ref) {
      return zones.apply(ref.index());
    }
    if (!(expr instanceof Expr.Call call && call.op() == Op.CAST)) {
      return null;
    }
    ZoneMap zone = zone(call.args().getFirst());
    DataType from = call.args().getFirst().type();
    DataType to = call.type();
    if (zone == null) {
      return null;
    }
    boolean same =
        from.kind().isInteger() && to.kind().isInteger() && width(to) >= width(from)
            || from.kind().isFloat() && to.kind() == TypeKind.FLOAT64
            || from.kind() == TypeKind.DECIMAL
                && from.kind() == to.kind()
                && to.scale() >= from.scale();
    if (same) {
      return zone;
    }
    if (to.kind().isTimestamp()
        && zone.min() instanceof Long min
        && zone.max() instanceof Long max
        && (from.kind() == TypeKind.INSTANT) == (to.kind() == TypeKind.INSTANT)) {
      return timestamps(zone, min, max, from, to);
    }
    if (from.kind().isInteger()
        && to.kind() == TypeKind.DECIMAL
        && zone.min() instanceof Long min
        && zone.max() instanceof Long max) {
      return new ZoneMap(
          zone.rows(), zone.nulls(), BigDecimal.valueOf(min), BigDecimal.valueOf(max), false);
    }
    return null;
  }

  /** Dates and timestamps as timestamps that keep all of their digits. */
  private static @Nullable ZoneMap timestamps(
      ZoneMap zone, long min, long max, DataType from, DataType to) {
    TimestampUnit unit = to.timestampUnit();
    long factor =
        switch (from.kind()) {
          case DATE -> unit.perDay();
          case TIMESTAMP, INSTANT ->
              to.precision() < from.precision()
                  ? 0
                  : unit.perMilli() / from.timestampUnit().perMilli();
          default -> 0;
        };
    boolean fits =
        factor > 0
            && Math.multiplyHigh(min, factor) == min * factor >> 63
            && Math.multiplyHigh(max, factor) == max * factor >> 63;
    return fits ? new ZoneMap(zone.rows(), zone.nulls(), min * factor, max * factor, false) : null;
  }

  private static int width(DataType type) {
    return switch (type.kind()) {
      case INT8 -> 1;
      case INT16 -> 2;
      case INT32 -> 4;
      default -> 8;
    };
  }

  /** A pattern that begins with characters that stand for themselves asks for a range of texts. */
  private boolean mayBeLike(List<Expr> args) {
    ZoneMap zone = zone(args.getFirst());
    if (zone != null && zone.isEmpty()) {
      return false;
    }
    if (zone == null
        || args.size() != 2
        || !(args.get(1) instanceof Expr.Literal literal)
        || !(literal.value() instanceof String pattern)) {
      return true;
    }
    int length = 0;
    while (length < pattern.length() && "%_".indexOf(pattern.charAt(length)) < 0) {
      length++;
    }
    byte[] prefix = pattern.substring(0, length).getBytes(StandardCharsets.UTF_8);
    return !(zone.min() instanceof byte[] min && beginningOf(min, prefix) > 0)
        && !(zone.max() instanceof byte[] max && beginningOf(max, prefix) < 0);
  }

  /** Compares as many bytes of a bound as the prefix has. */
  private static int beginningOf(byte[] bound, byte[] prefix) {
    int length = Math.min(bound.length, prefix.length);
    return Arrays.compareUnsigned(bound, 0, length, prefix, 0, prefix.length);
  }
}
