package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.HostObjects;

/**
 * What one worker of a query works with: its scratch memory, its order of work on the device, and
 * the query's cancel flag. Not shared between threads.
 */
public interface ExecContext {
  Device device();

  /** {@link Device#scan} of its device. */
  default ScanOps scan() {
    return device().scan();
  }

  /** {@link Device#gather} of its device. */
  default GatherOps gather() {
    return device().gather();
  }

  /** {@link Device#sort} of its device. */
  default SortOps sort() {
    return device().sort();
  }

  /** {@link Device#partition} of its device. */
  default PartitionOps partition() {
    return device().partition();
  }

  /** {@link Device#hash} of its device. */
  default HashOps hash() {
    return device().hash();
  }

  /** {@link Device#aggregate} of its device. */
  default AggregateOps aggregate() {
    return device().aggregate();
  }

  /** {@link Device#trie} of its device. */
  default TrieOps trie() {
    return device().trie();
  }

  /** {@link Device#pages} of its device. */
  default PageOps pages() {
    return device().pages();
  }

  /**
   * Memory that lives until the source has pushed the current batch through the pipeline; nobody
   * frees it. What must outlive the batch comes from {@link #memory}. An operator that makes many
   * batches of one (a join) marks the arena before each and releases it when downstream has
   * returned, so that downstream must not keep scratch memory between two batches either.
   */
  QueryMemory.Arena scratch();

  /**
   * The query's memory, shared by its workers; buffers live until they are freed or the query ends.
   */
  QueryMemory memory();

  /**
   * This worker as code that works on host memory sees it: {@link #device} is the {@link
   * Device#host}, {@link #memory} and {@link #scratch} are host memory. On the CPU this context
   * itself.
   */
  ExecContext onHost();

  /** Host memory of the query; {@link #memory} itself on the CPU. */
  default QueryMemory hostMemory() {
    return onHost().memory();
  }

  /**
   * Scratch memory of the host; {@link #scratch} itself on the CPU. Sources do not forget it:
   * whoever takes some marks it before and releases it after.
   */
  default QueryMemory.Arena hostScratch() {
    return onHost().scratch();
  }

  /** Copies of this worker that take place beside its other work, as far as the device can. */
  default CopyQueue copies() {
    return CopyQueue.immediate(this);
  }

  /**
   * Adds to a figure of the plan node that this worker works for now (EXPLAIN ANALYZE shows them).
   * {@link HostColumns#book} books here what was done on the host.
   */
  void addFigure(String name, long value);

  /** The objects behind HANDLE columns of this query. */
  HostObjects hostObjects();

  /**
   * Helpers for a primitive over much data (a hash build, a large sort). Within a pipeline, where
   * all workers are busy anyway, it is this context alone; in {@link
   * io.aragonite.exec.pipeline.Sink#finish} all workers of the query. A primitive that uses it
   * takes memory that its tasks share from {@link #memory}.
   */
  default Parallel parallel() {
    return Parallel.alone(this);
  }

  /** For work that takes long for a single row: this worker's, where it has one. */
  default StopCheck stopCheck() {
    return new StopCheck(this::checkCancelled);
  }

  /**
   * @throws AragoniteException CANCELLED or TIMED_OUT if the query is to end; polled at every batch
   *     and inside long primitives
   */
  void checkCancelled();
}
