package io.aragonite.exec.limit;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a query reads of files, and how much of it is read. Who reads says so once a part (a row
 * group, for instance); who shows it asks from any thread. {@link StopCheck#reading} is that of a
 * thread's query.
 */
public final class ReadProgress {
  private final LongAdder expectedParts = new LongAdder();
  private final LongAdder expectedBytes = new LongAdder();
  private final LongAdder parts = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final Set<String> warnings = new ConcurrentSkipListSet<>();

  /**
   * Says that parts are going to be read.
   *
   * @param moreBytes of files; those of parts of unknown size are not counted
   */
  public void expect(long moreParts, long moreBytes) {
    expectedParts.add(moreParts);
    expectedBytes.add(moreBytes);
  }

  /** Tells whoever runs the query what he should know of the values that are read. */
  public void warn(String sentence) {
    warnings.add(sentence);
  }

  /** What was told, each once. */
  public Set<String> warnings() {
    return warnings;
  }

  /** Says that a part is read. */
  public void read(long moreBytes) {
    parts.increment();
    bytes.add(moreBytes);
  }

  /** Parts that are to be read, those included that are. */
  public long expectedParts() {
    return expectedParts.sum();
  }

  /** Bytes of the parts that are to be read. */
  public long expectedBytes() {
    return expectedBytes.sum();
  }

  /** Parts that are read. */
  public long parts() {
    return parts.sum();
  }

  /** Bytes of the parts that are read. */
  public long bytes() {
    return bytes.sum();
  }
}
