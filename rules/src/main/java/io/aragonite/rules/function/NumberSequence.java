package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of numbers, each of which is given once. Plans know it by its id, which no other one
 * in the process has. Safe for several threads.
 */
@Strict
public final class NumberSequence {
  /**
   * What a sequence counts.
   *
   * @param increment not 0, from one number to the next
   * @param cycles whether the first number behind the last one is the least, or the greatest of a
   *     sequence that goes down
   */
  public record Definition(long start, long increment, long least, long most, boolean cycles) {}

  /** {@code $NEXTVAL(n, id)}: the next number; calls with different n are different ones. */
  public static final SqlFunction NEXTVAL = function("$NEXTVAL");

  /** {@code $CURRVAL(n, id)}: the number that was given at last. */
  public static final SqlFunction CURRVAL = function("$CURRVAL");

  /** {@code $SETVAL(n, id, number, given)}: sets the number; null of nulls. */
  public static final SqlFunction SETVAL = function("$SETVAL", true);

  /** {@code $LASTVAL(n, owner)}: the number that any sequence of the owner has given at last. */
  public static final SqlFunction LASTVAL = function("$LASTVAL");

  private static final Map<Long, NumberSequence> KNOWN = new ConcurrentHashMap<>();
  private static final AtomicLong IDS = new AtomicLong();
  private static final AtomicLong GIVEN = new AtomicLong();

  private final String name;
  private final Definition definition;
  private final long owner;
  private final long id = IDS.incrementAndGet();
  private @Nullable Long last;

  /** The number that setval wants to be the next one; null: that behind the last one. */
  private @Nullable Long wanted;

  /** How many numbers had been given before in the process when this gave its last one. */
  private volatile long given;

  private NumberSequence(String name, Definition definition, long owner) {
    this.name = name;
    this.definition = definition;
    this.owner = owner;
  }

  /** Who can make sequences, each a number of its own. */
  public static long owner() {
    return IDS.incrementAndGet();
  }

  /** A new sequence, known until it is dropped. */
  public static NumberSequence create(String name, Definition definition, long owner) {
    NumberSequence made = new NumberSequence(name, definition, owner);
    KNOWN.put(made.id, made);
    return made;
  }

  private static SqlFunction function(String name) {
    return function(name, false);
  }

  private static SqlFunction function(String name, boolean sets) {
    return new SqlFunction(
        name,
        SqlKind.OTHER_FUNCTION,
        ReturnTypes.BIGINT_NULLABLE,
        null,
        sets
            ? OperandTypes.family(
                SqlTypeFamily.INTEGER,
                SqlTypeFamily.INTEGER,
                SqlTypeFamily.INTEGER,
                SqlTypeFamily.BOOLEAN)
            : OperandTypes.family(SqlTypeFamily.INTEGER, SqlTypeFamily.INTEGER),
        SqlFunctionCategory.SYSTEM) {
      @Override
      public boolean isDeterministic() {
        return false;
      }
    };
  }

  public long id() {
    return id;
  }

  /** Ends it: plans that know it fail from now on. */
  public void drop() {
    KNOWN.remove(id);
  }

  private static NumberSequence of(long id) {
    NumberSequence sequence = KNOWN.get(id);
    if (sequence == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "A sequence that the statement names, or a view in it, was dropped; make it and the view"
              + " again.");
    }
    return sequence;
  }

  /** Called by generated code. */
  public static long nextval(long call, long id) {
    return of(id).next();
  }

  /** Called by generated code. */
  public static long currval(long call, long id) {
    return of(id).current();
  }

  /** Called by generated code. */
  public static long setval(long call, long id, long number, boolean given) {
    of(id).set(number, given);
    return number;
  }

  /** Called by generated code. */
  public static long lastval(long call, long owner) {
    return KNOWN.values().stream()
        .filter(sequence -> sequence.owner == owner && sequence.given > 0)
        .max(Comparator.comparingLong(sequence -> sequence.given))
        .orElseThrow(() ->
            new AragoniteException(
                ErrorCode.INVALID_ARGUMENT,
                "No sequence of the connection has given a number yet; nextval comes before"
                    + " lastval."))
        .current();
  }

  private synchronized long next() {
    long next = wanted != null ? wanted : last == null ? definition.start : behind(last);
    wanted = null;
    last = next;
    given = GIVEN.incrementAndGet();
    return next;
  }

  private synchronized void set(long number, boolean isLast) {
    if (number < definition.least || number > definition.most) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "The number %d is none of the sequence \"%s\", which has those from %d to %d."
              .formatted(number, name, definition.least, definition.most));
    }
    if (isLast) {
      last = number;
      wanted = null;
    } else {
      wanted = number;
    }
  }

  private long behind(long number) {
    long step = definition.increment;
    long next = number + step;
    boolean wraps = ((number ^ next) & (step ^ next)) < 0;
    if (!wraps && next >= definition.least && next <= definition.most) {
      return next;
    }
    if (!definition.cycles) {
      throw new AragoniteException(
          ErrorCode.NUMERIC_OVERFLOW,
          "The sequence \"%s\" has reached %d, its last number; make it with CYCLE, or with wider limits."
              .formatted(name, number));
    }
    return step > 0 ? definition.least : definition.most;
  }

  private synchronized long current() {
    if (last == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "The sequence \"%s\" has given no number yet; nextval comes before currval."
              .formatted(name));
    }
    return last;
  }
}
