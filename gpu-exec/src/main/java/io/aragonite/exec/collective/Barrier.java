package io.aragonite.exec.collective;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.vector.HostObjects;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where the queries that run one plan together, one on each device, wait for each other. All of
 * them meet at the same nodes in the same order, since whether a node waits depends on the plan
 * alone. One that fails ends the waiting of the others.
 */
public final class Barrier {
  /**
   * How long somebody who waits does so without giving his processor up: devices come to most
   * places within little more than it takes to wake a thread, which is 40 to 200 us.
   */
  private static final long SPIN_NANOS = 1_000_000;

  /**
   * How many threads of all queries may do so, which leaves processors for those they wait for: of
   * two processors both.
   */
  private static final int MOST_SPINNING = Runtime.getRuntime().availableProcessors() / 2 - 1;

  private static final AtomicInteger SPINNING = new AtomicInteger();

  /** How often somebody who waits looks whether his query is to end. */
  private static final long POLL_MILLIS = 20;

  private final List<Device> devices;
  private final HostObjects hostObjects = new HostObjects();

  /** What ranks have come with, and where to, by rank; read by the last to come. */
  private final @Nullable Object[] values;

  private final @Nullable PhysicalPlan[] places;
  private final AtomicInteger arrived = new AtomicInteger();

  /** Written before the round that it is of ends, and not before all have come to the next one. */
  private @Nullable Object result;

  private volatile long round;
  private final AtomicInteger sleeping = new AtomicInteger();
  private volatile @Nullable Throwable failure;

  public Barrier(List<Device> devices) {
    this.devices = devices;
    values = new Object[devices.size()];
    places = new PhysicalPlan[devices.size()];
  }

  List<Device> devices() {
    return devices;
  }

  /** Waits for a little while without giving the processor up, if there are processors for that. */
  public static void spin(BooleanSupplier come) {
    try {
      if (SPINNING.incrementAndGet() <= MOST_SPINNING) {
        long from = System.nanoTime();
        while (!come.getAsBoolean() && System.nanoTime() - from < SPIN_NANOS) {
          Thread.onSpinWait();
        }
      }
    } finally {
      SPINNING.decrementAndGet();
    }
  }

  HostObjects hostObjects() {
    return hostObjects;
  }

  /**
   * Waits until all ranks have come with a value, which one of them combines for all.
   *
   * @param node where in the plan
   */
  @SuppressWarnings("unchecked")
  <T, R> R meet(
      ExecContext context, int rank, PhysicalPlan node, T value, Function<List<T>, R> combine) {
    check();
    // It does not end before this rank has come.
    long mine = round;
    values[rank] = value;
    places[rank] = node;
    if (arrived.incrementAndGet() == devices.size()) {
      end(mine, node, combine);
    } else {
      spin(() -> round != mine || failure != null);
      if (round == mine) {
        await(context, mine);
      }
    }
    check();
    return (R) Objects.requireNonNull(result);
  }

  /** What the last one does for all. Those who wait without sleeping need no lock to go on. */
  @SuppressWarnings({"unchecked", "ReferenceEquality"}) // this very node
  private <T, R> void end(long mine, PhysicalPlan node, Function<List<T>, R> combine) {
    for (PhysicalPlan place : places) {
      if (place != node) {
        throw fail(
            new AragoniteException(
                ErrorCode.INTERNAL, "Devices that run a query together are at different nodes."));
      }
    }
    try {
      result = combine.apply((List<T>) List.of(values));
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    }
    arrived.set(0);
    round = mine + 1;
    // Who falls asleep says so before he looks at the round for the last time.
    if (sleeping.get() > 0) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  private synchronized void await(ExecContext context, long mine) {
    sleeping.incrementAndGet();
    try {
      while (round == mine) {
        check();
        context.checkCancelled();
        try {
          wait(POLL_MILLIS);
        } catch (InterruptedException e) {
          // The query's own check says so, in its words.
          Thread.currentThread().interrupt();
        }
      }
    } finally {
      sleeping.decrementAndGet();
    }
  }

  private void check() {
    if (failure != null) {
      throw new AragoniteException(
          ErrorCode.CANCELLED, "Another device's part of the query has failed.", failure);
    }
  }

  /** Ends the waiting of all ranks. The first reason counts. */
  public synchronized <E extends Throwable> E fail(E reason) {
    if (failure == null) {
      failure = reason;
      notifyAll();
    }
    return reason;
  }

  /** Why the ranks are to end; null if they are not. */
  public synchronized @Nullable Throwable failure() {
    return failure;
  }
}
