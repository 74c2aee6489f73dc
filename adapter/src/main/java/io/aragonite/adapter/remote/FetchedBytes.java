package io.aragonite.adapter.remote;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Which bytes of a file are there. It takes room for what is there, not for how long the file is
 * said to be.
 */
final class FetchedBytes {
  /** Ends by beginnings, of ranges that do not touch. */
  private final NavigableMap<Long, Long> ranges = new TreeMap<>();

  void add(long from, long to) {
    if (from >= to) {
      return;
    }
    long first = from;
    long end = to;
    Map.Entry<Long, Long> other = ranges.floorEntry(end);
    while (other != null && other.getValue() >= first) {
      first = Math.min(first, other.getKey());
      end = Math.max(end, other.getValue());
      ranges.remove(other.getKey());
      other = ranges.floorEntry(end);
    }
    ranges.put(first, end);
  }

  /** The first byte from one on that is not there. */
  long nextMissing(long from) {
    Map.Entry<Long, Long> before = ranges.floorEntry(from);
    return before == null ? from : Math.max(from, before.getValue());
  }

  /** The first range's beginning that is not before a byte. */
  long nextRange(long from) {
    Long next = ranges.ceilingKey(from);
    return next == null ? Long.MAX_VALUE : next;
  }

  /** How many bytes of a range are there. */
  long count(long from, long to) {
    long count = 0;
    long at = from;
    while (at < to) {
      long missing = Math.min(to, nextMissing(at));
      count += missing - at;
      at = Math.min(to, nextRange(missing));
    }
    return count;
  }
}
