package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.CopyQueue.PeerCopy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import jcuda.driver.CUevent;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Copies from other GPUs, each made by the GPU that has the bytes. A copy engine writes to another
 * GPU at the rate of a link, and those of several GPUs write to one at the rate of all its links:
 * between four H200s every one receives 391 GB/s so, and 197 where it reads from the others. Each
 * GPU gets from one other at a time, those behind it first, in turn: so each sends to one at a
 * time, where all begin together.
 */
final class CudaPeerCopies {
  /** How long somebody who waits for copies asks without a rest, and how long rests are then. */
  private static final long SPIN_NANOS = 100_000;

  private static final long POLL_NANOS = 20_000;

  private final CudaGpu gpu;
  private final CudaStream stream;

  /** A stream of each GPU that has been copied from, with an event at its end. */
  private final Map<CudaGpu, Lane> lanes = new LinkedHashMap<>();

  private record Lane(CudaStream stream, CUevent end) {}

  /** All that have been copied from, by the driver through the host too. */
  private final Set<CudaGpu> peers = new HashSet<>();

  /** Whose copies come last. */
  private @Nullable Lane last;

  /**
   * @param stream of the GPU that receives: it goes on when all copies have ended
   */
  CudaPeerCopies(CudaGpu gpu, CudaStream stream) {
    this.gpu = gpu;
    this.stream = stream;
  }

  /**
   * Has copies made.
   *
   * @param room recorded where the memory that is written is the receiver's: copies begin behind
   *     it, and not behind what the receiver's own stream has still to do
   */
  void start(List<PeerCopy> copies, CudaEvent room) {
    Map<CudaGpu, List<PeerCopy>> byPeer =
        new TreeMap<>(Comparator.comparingInt(peer -> peer.ordinal() - gpu.ordinal() & 0xFFFF));
    for (PeerCopy copy : copies) {
      CudaGpu peer = ((CudaDevice) copy.peer()).gpu();
      byPeer.computeIfAbsent(peer, some -> new ArrayList<>()).add(copy);
    }
    peers.addAll(byPeer.keySet());
    try {
      byPeer.forEach((peer, some) -> {
        if (!peer.equals(gpu) && peer.reads(gpu)) {
          push(peer, some, room);
        }
      });
      // Links are busy meanwhile.
      byPeer.forEach((peer, some) -> {
        if (peer.equals(gpu)) {
          waitFor(stream, some);
          some.forEach(
              copy -> stream.copy(copy.from().address(), copy.to().address(), copy.to().size()));
        } else if (!peer.reads(gpu)) {
          waitFor(stream, some);
          some.forEach(copy ->
              stream.copyFrom(peer, copy.from().address(), copy.to().address(), copy.to().size()));
        }
      });
    } finally {
      // After an error as well: what was asked for before it may be under way.
      byPeer
          .keySet()
          .forEach(peer -> {
            Lane lane = lanes.get(peer);
            if (lane != null && !peer.retired()) {
              stream.waitFor(lane.end, lane.stream);
            }
          });
      gpu.makeCurrent();
    }
  }

  /** One GPU's copies, behind those of the one before. */
  private void push(CudaGpu peer, List<PeerCopy> copies, CudaEvent room) {
    Lane lane = lanes.computeIfAbsent(peer, CudaPeerCopies::lane);
    lane.stream.waitFor(room.event(), room.stream());
    waitFor(lane.stream, copies);
    Lane other = last;
    if (other != null) {
      lane.stream.waitFor(other.end, other.stream);
    }
    try {
      lane.stream.copyTo(gpu, copies);
    } finally {
      // Whatever was asked for before an error is waited for as well.
      lane.stream.record(lane.end);
      last = lane;
    }
  }

  /**
   * Waits until the receiver has come to an event behind copies. They come behind kernels of the
   * GPUs that have the bytes: nobody waits for one that has failed.
   */
  void await(CUevent event) {
    long start = System.nanoTime();
    while (true) {
      gpu.makeCurrent();
      int result = JCudaDriver.cuEventQuery(event);
      if (result == CUresult.CUDA_SUCCESS) {
        return;
      }
      if (result != CUresult.CUDA_ERROR_NOT_READY) {
        gpu.check(result, "waiting for copies");
      }
      peers.forEach(CudaGpu::requireWorking);
      if (System.nanoTime() - start < SPIN_NANOS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /** Whether no GPU that has been copied from has failed: else its copies may never end. */
  boolean working() {
    return peers.stream().noneMatch(CudaGpu::retired);
  }

  /** Has what is asked of a stream from now on come when the bytes are there. */
  private static void waitFor(CudaStream stream, List<PeerCopy> copies) {
    copies.stream()
        .map(PeerCopy::there)
        .distinct()
        .forEach(there -> {
          if (there instanceof CudaEvent point) {
            stream.waitFor(point.event(), point.stream());
          }
        });
  }

  private static Lane lane(CudaGpu peer) {
    CudaStream stream = peer.takeStream(CudaStream.StreamUse.TO_PEER);
    stream.resetCounters();
    return new Lane(stream, peer.takeEvent());
  }

  /** Waits for the other GPUs, and gives their streams back; for all of those that work. */
  void close() {
    RuntimeException failure = null;
    for (Map.Entry<CudaGpu, Lane> entry : lanes.entrySet()) {
      CudaGpu peer = entry.getKey();
      Lane lane = entry.getValue();
      try {
        if (!peer.retired()) {
          lane.stream.sync();
          peer.giveBack(lane.end);
          peer.giveBack(lane.stream);
        }
      } catch (RuntimeException e) {
        failure = failure == null ? e : failure;
      }
    }
    lanes.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
