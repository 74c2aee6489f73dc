package io.aragonite.bench.fuzz;

import io.aragonite.adapter.engine.Engines;
import io.aragonite.bench.fuzz.FuzzOutcome.OutcomeKind;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a statement again and again without some of its memory: the first block is refused, the second and so on, of the host and of
 * each device; then all blocks behind a certain sum. Each time the answer is right or the error is one of memory, and at the end
 * nothing is left behind.
 */
final class FuzzFaults {
  private static final long LONGEST_NANOS = 8_000_000_000L;
  private static final long LEAST_ROOM = 4_096;
  private static final int ROOM_STEP = 3;

  /** Pools of threads grow for a while. */
  private static final int MOST_SWEEPS = 5;


  /** A statement of several parts may wait for what its other parts hold until its time is up. */
  private static final Set<ErrorCode> ERRORS = Set.of(ErrorCode.MEMORY_EXCEEDED, ErrorCode.DISK_FAILED, ErrorCode.TIMED_OUT);


  private final List<MemoryBudget> budgets;
  private final Path spill;

  /**
   * Of the engines that are open now.
   *
   * @param spill folder of their spill files
   */
  FuzzFaults(Path spill) {
    this.spill = spill;
    Set<MemoryBudget> found = new LinkedHashSet<>();
    for (Engines.OpenEngine open : Engines.open()) {
      for (Device device : devices(open.engine())) {
        found.add(device.memory());
        found.add(device.host().memory());
      }
    }
    this.budgets = List.copyOf(found);
  }

  private static List<Device> devices(Engine engine) {
    var group = engine.group();
    return group == null ? List.of(engine.device()) : group.devices();
  }

  /** Asks for the answer. */
  interface FaultyAnswer {
    @Nullable FuzzRows get() throws SQLException;
  }

  /** What is there beside what a statement works on. */
  private record Left(long memory, long files, long threads) {
    /** Whether something grew from each of some moments to the next. */
    static boolean grows(List<Left> moments) {
      return Stream.<ToLongFunction<Left>>of(Left::memory, Left::files, Left::threads)
          .anyMatch(
              part ->
                  IntStream.range(1, moments.size())
                      .allMatch(i -> part.applyAsLong(moments.get(i)) > part.applyAsLong(moments.get(i - 1))));
    }
  }

  private Left left() throws IOException {
    return new Left(budgets.stream().mapToLong(MemoryBudget::used).sum(), SoakFigures.files(spill).size(), SoakFigures.threads());
  }

  /** Runs it with each fault. */
  FuzzOutcome run(FaultyAnswer answer) {
    try {
      FuzzRows expected = answer.get();
      if (expected == null) {
        return new FuzzOutcome(OutcomeKind.NOT_COMPARED, "more rows than are looked at");
      }
      answer.get();
      List<Left> after = new ArrayList<>(List.of(left()));
      FuzzOutcome outcome = FuzzOutcome.agreed(0);
      // What caches hold comes and goes: only what grows each time is lost.
      for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        outcome = outcome.and(sweep(answer, expected));
        if (outcome.isFinding()) {
          return outcome;
        }
        FuzzOutcome last = judge(answer, expected, "without a fault, behind others");
        if (last.kind() != OutcomeKind.AGREED) {
          return last;
        }
        after.add(left());
        if (!Left.grows(after)) {
          return outcome;
        }
      }
      return new FuzzOutcome(OutcomeKind.BROKEN, "more is left each time: " + after);
    } catch (SQLException | IOException e) {
      return new FuzzOutcome(OutcomeKind.NOT_COMPARED, String.valueOf(e.getMessage()));
    }
  }

  private FuzzOutcome sweep(FaultyAnswer answer, FuzzRows expected) {
    FuzzOutcome all = FuzzOutcome.agreed(0);
    long end = System.nanoTime() + LONGEST_NANOS;
    for (MemoryBudget budget : budgets) {
      for (boolean single : List.of(true, false)) {
        all = all.and(single ? blocks(budget, answer, expected, end) : room(budget, answer, expected, end));
        if (all.isFinding()) {
          return all;
        }
      }
    }
    return all;
  }

  private FuzzOutcome blocks(MemoryBudget budget, FaultyAnswer answer, FuzzRows expected, long end) {
    FuzzOutcome all = FuzzOutcome.agreed(0);
    for (long number = 1; System.nanoTime() < end; number += 1 + number / 6) {
      AtomicLong left = new AtomicLong(number);
      budget.setAdmission(bytes -> {
        if (left.decrementAndGet() == 0) {
          throw new AragoniteException(ErrorCode.MEMORY_EXCEEDED, "a block is refused on purpose; raise memory=");
        }
      });
      try {
        all = all.and(judge(answer, expected, "block %d of %s refused".formatted(number, place(budget))));
      } finally {
        budget.setAdmission(null);
      }
      if (left.get() > 0 || all.isFinding()) {
        return all;
      }
    }
    return all;
  }

  /** Leaves room for so many bytes, and three times as many the next time, until nothing is refused. */
  private FuzzOutcome room(MemoryBudget budget, FaultyAnswer answer, FuzzRows expected, long end) {
    FuzzOutcome all = FuzzOutcome.agreed(0);
    for (long room = LEAST_ROOM; System.nanoTime() < end; room *= ROOM_STEP) {
      long taken = budget.limit() - budget.used() - room;
      if (taken <= 0 || !budget.tryReserve(taken)) {
        return all;
      }
      FuzzOutcome one;
      try {
        one = judge(answer, expected, "%d bytes of %s left".formatted(room, place(budget)));
      } finally {
        budget.release(taken);
      }
      all = all.and(one);
      if (all.isFinding()) {
        return all;
      }
    }
    return all;
  }

  private String place(MemoryBudget budget) {
    return "memory " + budgets.indexOf(budget);
  }

  private static FuzzOutcome judge(FaultyAnswer answer, FuzzRows expected, String fault) {
    try {
      FuzzRows found = answer.get();
      String difference = found == null ? "more rows than before" : found.difference(expected);
      return difference == null ? FuzzOutcome.agreed(1) : new FuzzOutcome(OutcomeKind.WRONG, fault + ": " + difference);
    } catch (SQLException e) {
      return ERRORS.stream().anyMatch(code -> code.number() == e.getErrorCode()) ? FuzzOutcome.agreed(1) : new FuzzOutcome(OutcomeKind.BROKEN, fault + ": " + e.getMessage());
    }
  }
}
