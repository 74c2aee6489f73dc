package io.aragonite.adapter.table;

import io.aragonite.adapter.table.TableRules.KeyRule;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.rules.function.IntervalFunctions;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DurationVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntervalYearVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * The keys that rows of a table have, or rows that are to be added to it. Each takes 24 to 48 bytes
 * of the memory budget. Safe for several threads.
 */
public final class TableKeys implements AutoCloseable {
  private final String table;
  private final List<KeyRule> rules;
  private final List<HashedKeys> keys = new ArrayList<>();
  private final @Nullable TableKeys base;

  /**
   * @param base what the table has already; null: nothing
   */
  TableKeys(String table, List<KeyRule> rules, MemoryBudget budget, @Nullable TableKeys base) {
    this.table = table;
    this.rules = rules;
    this.base = base;
    rules.forEach(rule -> keys.add(new HashedKeys(budget)));
  }

  /**
   * Adds the keys of rows.
   *
   * @param padded which columns of the rows are CHAR
   * @param kept loses the rows whose keys are there already; null: these are an error
   * @throws AragoniteException DUPLICATE_KEY, MEMORY_EXCEEDED
   */
  public synchronized void add(VectorSchemaRoot rows, boolean[] padded, @Nullable BitSet kept) {
    if (base == null) {
      addRows(rows, padded, kept);
      return;
    }
    synchronized (base) {
      addRows(rows, padded, kept);
    }
  }

  private void addRows(VectorSchemaRoot rows, boolean[] padded, @Nullable BitSet kept) {
    int count = rows.getRowCount();
    long[] high = new long[rules.size()];
    long[] low = new long[rules.size()];
    List<List<FieldVector>> columns =
        rules.stream().map(rule -> rule.columns().stream().map(rows::getVector).toList()).toList();
    List<boolean[]> pads = rules.stream().map(rule -> pads(rule, padded)).toList();
    TableKeyHash hash = new TableKeyHash();
    for (int row = 0; row < count; row++) {
      boolean free = true;
      for (int i = 0; i < high.length && free; i++) {
        low[i] = hash.of(columns.get(i), pads.get(i), row) ? hash.low() : 0;
        high[i] = hash.high();
        free = low[i] == 0 || !has(i, high[i], low[i]);
        if (!free && kept == null) {
          throw duplicate(rules.get(i), columns.get(i), row);
        }
      }
      for (int i = 0; i < high.length && free; i++) {
        if (low[i] != 0) {
          keys.get(i).add(high[i], low[i]);
        }
      }
      if (!free && kept != null) {
        kept.clear(row);
      }
    }
  }

  private static boolean[] pads(KeyRule rule, boolean[] padded) {
    boolean[] pads = new boolean[rule.columns().size()];
    for (int i = 0; i < pads.length; i++) {
      pads[i] = padded[rule.columns().get(i)];
    }
    return pads;
  }

  private boolean has(int key, long high, long low) {
    return keys.get(key).contains(high, low)
        || base != null && base.keys.get(key).contains(high, low);
  }

  private AragoniteException duplicate(KeyRule rule, List<FieldVector> columns, int row) {
    List<String> names = columns.stream().map(FieldVector::getName).toList();
    List<String> values = columns.stream().map(column -> shown(column, row)).toList();
    return new AragoniteException(
        ErrorCode.DUPLICATE_KEY,
        "Table \"%s\" would have two rows with (%s) = (%s), which its %s \"%s\" forbids."
            .formatted(
                table,
                String.join(", ", names),
                String.join(", ", values),
                rule.primary() ? "primary key" : "UNIQUE constraint",
                rule.name()));
  }

  /** A value for people. */
  public static String shown(FieldVector column, int row) {
    if (column.isNull(row)) {
      return "NULL";
    }
    String text =
        switch (column) {
          case DateDayVector days -> LocalDate.ofEpochDay(days.get(row)).toString();
          case TimeMicroVector times -> LocalTime.ofNanoOfDay(times.get(row) * 1000).toString();
          case TimeStampMicroTZVector micros ->
              Instant.EPOCH.plus(micros.get(row), ChronoUnit.MICROS).toString();
          case DurationVector intervals ->
              IntervalFunctions.intervalText(intervals.getObject(row).toMillis());
          case IntervalYearVector months -> IntervalFunctions.monthsText(months.get(row));
          case VarCharVector texts -> "'" + texts.getObject(row) + "'";
          default -> String.valueOf(column.getObject(row));
        };
    int limit = 60;
    return text.codePointCount(0, text.length()) <= limit
        ? text
        : text.substring(0, text.offsetByCodePoints(0, limit)) + "…";
  }

  /**
   * Makes room for keys that are to be added.
   *
   * @return false if another statement has added some of them meanwhile
   * @throws AragoniteException MEMORY_EXCEEDED
   */
  public synchronized boolean mayAdd(TableKeys added) {
    for (int i = 0; i < keys.size(); i++) {
      keys.get(i).reserve(added.keys.get(i).size());
      if (keys.get(i).hasAnyOf(added.keys.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Adds keys for which {@link #mayAdd} has made room. */
  public synchronized void addAll(TableKeys added) {
    for (int i = 0; i < keys.size(); i++) {
      keys.get(i).addAll(added.keys.get(i));
    }
  }

  /** Gives back what {@link #mayAdd} has made room for, where nothing was added. */
  public synchronized void trim() {
    keys.forEach(HashedKeys::trim);
  }

  /** Gives its memory back. */
  @Override
  public synchronized void close() {
    keys.forEach(HashedKeys::close);
  }
}
