package io.aragonite.exec.limit;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.Comparator;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets work that takes long for a single row ask whether its query is to end, and count what it
 * takes of the heap. A thread has one while it works for a query ({@link #enter}); code that nobody
 * hands a context, as a function of a library, finds it with {@link #current}. Used by one thread
 * at a time.
 */
public final class StopCheck {
  /** Units of work between two looks: at a nanosecond or less each, some hundred microseconds. */
  private static final long STEP = 1 << 19;

  /** Bytes of a value on the heap from which on it is counted. */
  private static final long LARGE = 1 << 20;

  /** Units of work of a comparison, about. */
  private static final long COMPARISON = 32;

  /** Of threads that work for no query: never ends anything. */
  public static final StopCheck NONE = new StopCheck(() -> {}, new ReadProgress());

  private static final ThreadLocal<StopCheck> CURRENT = ThreadLocal.withInitial(() -> NONE);

  private final Runnable check;
  private final LongConsumer take;
  private final LongConsumer giveBack;
  private final ReadProgress reading;
  private long work;
  private long held;

  /**
   * @param check throws if the query is to end
   */
  public StopCheck(Runnable check) {
    this(check, new ReadProgress());
  }

  /**
   * @param check throws if the query is to end
   * @param reading what the query reads
   */
  public StopCheck(Runnable check, ReadProgress reading) {
    this(check, bytes -> {}, bytes -> {}, reading);
  }

  /**
   * @param check throws if the query is to end
   * @param take reserves bytes for a value on the heap; throws if there are none
   * @param giveBack ends such a reservation
   * @param reading what the query reads
   */
  public StopCheck(Runnable check, LongConsumer take, LongConsumer giveBack, ReadProgress reading) {
    this.check = check;
    this.take = take;
    this.giveBack = giveBack;
    this.reading = reading;
  }

  /**
   * One for another thread that works for the query. Who wants no more of that thread's work
   * interrupts it, which must not end the query: to that an interrupt is one of its own threads'.
   */
  public StopCheck forAnotherThread() {
    return new StopCheck(this::checkWithoutInterrupt, reading);
  }

  private void checkWithoutInterrupt() {
    boolean interrupted = Thread.interrupted();
    try {
      check();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** What the query reads: who reads for it says so there. */
  public ReadProgress reading() {
    return reading;
  }

  /** That of this thread. */
  public static StopCheck current() {
    return CURRENT.get();
  }

  /** Makes it that of this thread until the scope is closed. */
  @SuppressWarnings("ReferenceEquality") // this very object
  public Scope enter() {
    StopCheck before = CURRENT.get();
    if (before != this) {
      CURRENT.set(this);
    }
    return new Scope(before, this);
  }

  /** Ends {@link #enter}, by the same thread. */
  public record Scope(StopCheck before, StopCheck mine) implements AutoCloseable {
    @Override
    @SuppressWarnings("ReferenceEquality") // this very object
    public void close() {
      if (before == NONE) {
        CURRENT.remove();
      } else if (before != mine) {
        CURRENT.set(before);
      }
    }
  }

  /**
   * Counts work, and looks whether the query is to end when enough has gathered.
   *
   * @param units about a nanosecond each, or a byte that is read or written
   */
  public void work(long units) {
    long sum = work + units;
    if (sum >= STEP) {
      check();
      sum = 0;
    }
    work = sum;
  }

  /** An order whose comparisons are work, so that a sort that takes long ends with its query. */
  public <T extends @Nullable Object> Comparator<T> polled(Comparator<T> order) {
    return (a, b) -> {
      work(COMPARISON);
      return order.compare(a, b);
    };
  }

  /** Throws an error again that says that the query is to end, for code that handles others. */
  public static void passOn(AragoniteException error) {
    if (error.code() == ErrorCode.CANCELLED || error.code() == ErrorCode.TIMED_OUT) {
      throw error;
    }
  }

  /** Looks whether the query is to end. */
  public void check() {
    check.run();
  }

  /**
   * Reserves memory for a value that is about to be made on the heap, if it is a large one, and
   * counts the work of making it.
   *
   * @param bytes its size
   */
  public void make(long bytes) {
    if (bytes >= LARGE) {
      check();
      if (this != NONE) {
        take.accept(bytes);
        held += bytes;
      }
    } else {
      work(bytes);
    }
  }

  /** Bytes reserved now, for {@link #release}. */
  public long held() {
    return held;
  }

  /** Gives back what was reserved since {@link #held} was {@code before}. */
  public void release(long before) {
    if (held > before) {
      giveBack.accept(held - before);
      held = before;
    }
  }
}
