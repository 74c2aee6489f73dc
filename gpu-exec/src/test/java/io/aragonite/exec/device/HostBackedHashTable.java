package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.List;

/** A table of the host, which words and columns of a device's memory are copied to. */
record HostBackedHashTable(HashTable onHost) implements HashTable {
  @Override
  public int rows() {
    return onHost.rows();
  }

  @Override
  public int distinct() {
    return onHost.distinct();
  }

  @Override
  public int maxMultiplicity() {
    return onHost.maxMultiplicity();
  }

  @Override
  public void lookup(ExecContext context, ProbeWords words, Buffer outRows) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * words.count());
      onHost.lookup(call.host(), onHost(call, words), result);
      call.back(result, outRows, 4L * words.count());
    }
  }

  private static ProbeWords onHost(StagedCall call, ProbeWords words) {
    boolean inOrder = words.rows().address() == 0;
    Buffer rows = inOrder ? Buffer.EMPTY : call.in(words.rows(), 4L * words.count());
    long bytes = inOrder ? (long) words.bytes() * words.count() : words.values().size();
    return new ProbeWords(call.in(words.values(), bytes), words.bytes(), rows, words.count());
  }

  @Override
  public int probe(
      ExecContext context,
      ProbeWords words,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer probe = call.room(4L * capacity);
      Buffer build = call.room(4L * capacity);
      int pairs = onHost.probe(call.host(), onHost(call, words), cursor, probe, build, capacity);
      call.back(probe, outProbe, 4L * pairs);
      call.back(build, outBuild, 4L * pairs);
      return pairs;
    }
  }

  @Override
  public int fetch(
      ExecContext context, Buffer words, int wordBytes, int count, List<MovedColumn> columns) {
    try (StagedCall call = new StagedCall(context)) {
      List<MovedColumn> moved = new ArrayList<>();
      for (MovedColumn column : columns) {
        Buffer out = call.room((long) column.width() * count);
        moved.add(new MovedColumn(call.in(column.in(), column.in().size()), out, column.width()));
      }
      Buffer hostWords = call.in(words, (long) wordBytes * count);
      int matches = onHost.fetch(call.host(), hostWords, wordBytes, count, moved);
      for (int i = 0; i < columns.size(); i++) {
        MovedColumn column = columns.get(i);
        call.back(moved.get(i).out(), column.out(), (long) column.width() * count);
      }
      return matches;
    }
  }

  @Override
  public void close() {
    onHost.close();
  }
}
