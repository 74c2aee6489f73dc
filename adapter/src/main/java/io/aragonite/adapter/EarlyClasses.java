package io.aragonite.adapter;

import io.aragonite.exec.memory.NativeAccess;
import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.text.DecimalFormatSymbols;
import java.text.SimpleDateFormat;
import java.util.Locale;
import java.util.Objects;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.calcite.sql.fun.LibraryOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.BuiltInMethod;
import org.apache.calcite.util.Static;

/**
 * Initializes classes that each first statement needs, beside the thread that reads the command
 * line and opens the connection meanwhile: a sixth of the way to a small answer. They are the
 * JDK's, and of ours and Calcite's those whose initializers need no other one's. It leaves the rest
 * alone, whose initializers need each other, so that two threads could wait for each other in them.
 */
public final class EarlyClasses {
  private static final AtomicBoolean BEGUN = new AtomicBoolean();

  private EarlyClasses() {}

  /**
   * Begins on another thread, once a process and where there is a processor for it.
   *
   * @param files whether files are going to be queried: only these need large pieces of memory
   * @param words what statements are going to have in them, in small letters; empty: nothing is
   *     known
   */
  public static void begin(boolean files, String words) {
    if (Runtime.getRuntime().availableProcessors() > 1 && BEGUN.compareAndSet(false, true)) {
      boolean descending = files && (words.isEmpty() || words.contains(" desc"));
      boolean dates = files && (words.isEmpty() || words.contains("date"));
      Thread.ofPlatform()
          .daemon()
          .name("aragonite-early")
          .start(() -> {
            try {
              initialize(files, descending, dates);
            } catch (RuntimeException | LinkageError _) {
              // whoever needs the class gets the error
            }
          });
    }
  }

  private static void initialize(boolean files, boolean descending, boolean dates) {
    // powers of ten, random numbers, the tables of time zones, digits
    int unused =
        Objects.hash(
            BigDecimal.TEN,
            UUID.randomUUID(),
            TimeZone.getDefault(),
            DecimalFormatSymbols.getInstance());
    unused += operators();
    unused += Objects.hashCode(BuiltInMethod.SCANNABLE_TABLE_SCAN);
    if (descending) {
      // the code of Calcite's messages, of which the validator makes one for each DESC
      unused += Objects.hashCode(Static.RESOURCE.getClass());
    }
    if (dates) {
      unused += Objects.hashCode(new SimpleDateFormat("yyyy-MM-dd", Locale.ROOT)); // calendars
    }
    if (files) {
      NativeAccess.prepare(); // needs no other class of ours but the logger's
    }
  }

  /** What Calcite asks of its fields as it collects its operators, without initializing them. */
  private static int operators() {
    int found = 0;
    for (Field field : SqlStdOperatorTable.class.getFields()) {
      found += field.getAnnotation(LibraryOperator.class) == null ? 0 : 1;
    }
    return found;
  }
}
