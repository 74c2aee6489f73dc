package io.aragonite.exec.group;

import io.aragonite.exec.column.HostObjects;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.PhysicalPlan;
import java.util.ArrayList;
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
final class Rendezvous {
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
  private final List<@Nullable Object> values = new ArrayList<>();
  private @Nullable PhysicalPlan place;
  private int arrived;
  private volatile long round;
  private @Nullable Object result;
  private volatile @Nullable Throwable failure;

  Rendezvous(List<Device> devices) {
    this.devices = devices;
    devices.forEach(device -> values.add(null));
  }

  List<Device> devices() {
    return devices;
  }

  /** Waits for a little while without giving the processor up, if there are processors for that. */
  static void spin(BooleanSupplier come) {
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
   * Waits until all members have come with a value, which one of them combines for all.
   *
   * @param node where in the plan
   */
  @SuppressWarnings("unchecked")
  <T, R> R meet(
      ExecContext context, int member, PhysicalPlan node, T value, Function<List<T>, R> combine) {
    long mine = arrive(member, node, value, combine);
    if (round == mine) {
      spin(() -> round != mine || failure != null);
    }
    return (R) await(context, mine);
  }

  /** Brings a value; the last one does what is done for all. Returns the number of the round. */
  @SuppressWarnings({"unchecked", "ReferenceEquality"})
  private synchronized <T, R> long arrive(
      int member, PhysicalPlan node, T value, Function<List<T>, R> combine) {
    check();
    if (arrived > 0 && place != node) {
      throw fail(
          new AragoniteException(
              ErrorCode.INTERNAL, "Devices that run a query together are at different nodes."));
    }
    place = node;
    values.set(member, value);
    long mine = round;
    if (++arrived == devices.size()) {
      try {
        result = combine.apply((List<T>) List.copyOf(values));
      } catch (RuntimeException | Error e) {
        fail(e);
        throw e;
      }
      arrived = 0;
      round = mine + 1;
      notifyAll();
    }
    return mine;
  }

  private synchronized Object await(ExecContext context, long mine) {
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
    check();
    return Objects.requireNonNull(result);
  }

  private void check() {
    if (failure != null) {
      throw new AragoniteException(
          ErrorCode.CANCELLED, "Another device's part of the query has failed.", failure);
    }
  }

  /** Ends the waiting of all members. The first reason counts. */
  synchronized <E extends Throwable> E fail(E reason) {
    if (failure == null) {
      failure = reason;
      notifyAll();
    }
    return reason;
  }

  /** Why the members are to end; null if they are not. */
  synchronized @Nullable Throwable failure() {
    return failure;
  }
}
