package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The primitives over tries of {@link HostBackedPrimitives}. */
final class HostBackedTries {
  private HostBackedTries() {}

  static int level(
      ExecContext context,
      Buffer words,
      int count,
      int shift,
      int bits,
      int min,
      Buffer outWords,
      Buffer outValues,
      Buffer outStarts) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer runs = call.room(8L * count);
      Buffer values = call.room(4L * count);
      Buffer starts = call.room(4L * count + 4);
      int found =
          call.host()
              .trie()
              .level(
                  call.host(),
                  call.in(words, 8L * count),
                  count,
                  shift,
                  bits,
                  min,
                  runs,
                  values,
                  starts);
      call.back(runs, outWords, 8L * found);
      call.back(values, outValues, 4L * found);
      call.back(starts, outStarts, 4L * found + 4);
      return found;
    }
  }

  static void starts(
      ExecContext context, Buffer words, int count, int shift, int size, Buffer outStarts) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer starts = call.room(4L * size + 4);
      call.host()
          .trie()
          .starts(call.host(), call.in(words, 8L * count), count, shift, size, starts);
      call.back(starts, outStarts, 4L * size + 4);
    }
  }

  static void ranges(
      ExecContext context, TrieStep step, Buffer outSides, Buffer outFirsts, Buffer outCounts) {
    try (StagedCall call = new StagedCall(context)) {
      long bytes = 4L * step.bindings();
      Buffer sides = call.room(bytes);
      Buffer firsts = call.room(bytes);
      Buffer counts = call.room(bytes);
      call.host().trie().ranges(call.host(), in(call, step), sides, firsts, counts);
      call.back(sides, outSides, bytes);
      call.back(firsts, outFirsts, bytes);
      call.back(counts, outCounts, bytes);
    }
  }

  static int match(
      ExecContext context,
      TrieStep step,
      Buffer sides,
      Buffer firsts,
      Buffer sums,
      long from,
      int candidates,
      Buffer outBindings,
      List<@Nullable Buffer> outPositions,
      @Nullable Buffer outValues) {
    try (StagedCall call = new StagedCall(context)) {
      long bytes = 4L * step.bindings();
      Buffer bindings = call.room(4L * candidates);
      List<@Nullable Buffer> positions = new ArrayList<>();
      for (Buffer out : outPositions) {
        positions.add(out == null ? null : call.room(4L * candidates));
      }
      Buffer values = outValues == null ? null : call.room(4L * candidates);
      int found =
          call.host()
              .trie()
              .match(
                  call.host(),
                  in(call, step),
                  call.in(sides, bytes),
                  call.in(firsts, bytes),
                  call.in(sums, 2 * bytes + 8),
                  from,
                  candidates,
                  bindings,
                  positions,
                  values);
      call.back(bindings, outBindings, 4L * found);
      for (int i = 0; i < positions.size(); i++) {
        Buffer host = positions.get(i);
        Buffer device = outPositions.get(i);
        if (host != null && device != null) {
          call.back(host, device, 4L * found);
        }
      }
      if (values != null && outValues != null) {
        call.back(values, outValues, 4L * found);
      }
      return found;
    }
  }

  static long count(
      ExecContext context, TrieStep step, List<TrieWeight> weights, Buffer outCounts) {
    try (StagedCall call = new StagedCall(context)) {
      long bytes = 4L * step.bindings();
      Buffer counts = call.room(2 * bytes);
      List<TrieWeight> onHost = new ArrayList<>();
      for (TrieWeight weight : weights) {
        onHost.add(
            new TrieWeight(
                call.in(weight.starts(), 4L * weight.size() + 4),
                weight.size(),
                call.in(weight.nodes(), bytes)));
      }
      long tried = call.host().trie().count(call.host(), in(call, step), onHost, counts);
      call.back(counts, outCounts, 2 * bytes);
      return tried;
    }
  }

  static long walk(
      ExecContext context,
      TrieWalk walk,
      TrieWalk.Start start,
      long from,
      long to,
      TrieWalk.@Nullable WalkOutput output) {
    try (StagedCall call = new StagedCall(context)) {
      Map<Buffer, Buffer> copies = new IdentityHashMap<>();
      TrieWalk there = new TrieWalk(cursors(call, copies, walk), walk.levels());
      long bytes = 4L * start.bindings();
      TrieWalk.Start onHost =
          new TrieWalk.Start(
              start.level(),
              all(call, copies, start.positions(), bytes),
              all(call, copies, start.values(), bytes),
              start.bindings(),
              call.in(start.sides(), bytes),
              start.places(),
              call.in(start.firsts(), bytes),
              call.in(start.sums(), 2 * bytes + 8));
      TrieWalk.WalkOutput results = output == null ? null : output(call, walk, output);
      return call.host().trie().walk(call.host(), there, onHost, from, to, results);
    }
  }

  private static List<TrieWalk.TrieCursor> cursors(
      StagedCall call, Map<Buffer, Buffer> copies, TrieWalk walk) {
    List<TrieWalk.TrieCursor> cursors = new ArrayList<>();
    for (TrieWalk.TrieCursor cursor : walk.cursors()) {
      int above = cursor.parent() < 0 ? 0 : walk.cursors().get(cursor.parent()).size();
      cursors.add(
          new TrieWalk.TrieCursor(
              in(call, copies, cursor.values(), 4L * cursor.size()),
              cursor.min(),
              cursor.size(),
              in(call, copies, cursor.parents(), 4L * above + 4),
              cursor.parent(),
              in(call, copies, cursor.starts(), 4L * cursor.size() + 4),
              cursor.weight(),
              cursor.boundAt()));
    }
    return cursors;
  }

  /** Room on the host for what is put out; full, it is copied to the device's. */
  private static TrieWalk.WalkOutput output(
      StagedCall call, TrieWalk walk, TrieWalk.WalkOutput output) {
    List<Buffer> rows = new ArrayList<>();
    List<Buffer> out = new ArrayList<>();
    for (int i = 0; i < output.cursors().size(); i++) {
      int size = walk.cursors().get(output.cursors().get(i)).size();
      rows.add(call.in(output.rows().get(i), 4L * size));
      out.add(call.room(4L * output.capacity()));
    }
    TrieWalk.WalkOutput.Full full =
        count -> {
          for (int i = 0; i < out.size(); i++) {
            call.back(out.get(i), output.out().get(i), 4L * count);
          }
          return output.full().take(count);
        };
    return new TrieWalk.WalkOutput(output.cursors(), rows, out, output.capacity(), full);
  }

  private static List<@Nullable Buffer> all(
      StagedCall call, Map<Buffer, Buffer> copies, List<@Nullable Buffer> buffers, long bytes) {
    List<@Nullable Buffer> all = new ArrayList<>();
    buffers.forEach(buffer -> all.add(in(call, copies, buffer, bytes)));
    return all;
  }

  /** The step with copies of its buffers; what several sides share is copied once. */
  private static TrieStep in(StagedCall call, TrieStep step) {
    Map<Buffer, Buffer> copies = new IdentityHashMap<>();
    long bytes = 4L * step.bindings();
    List<TrieInput> sides = new ArrayList<>();
    for (TrieInput side : step.sides()) {
      sides.add(
          new TrieInput(
              in(call, copies, side.values(), 4L * side.size()),
              side.min(),
              side.size(),
              in(call, copies, side.parents(), 4L * side.parentSize() + 4),
              side.parentSize(),
              in(call, copies, side.nodes(), bytes),
              in(call, copies, side.starts(), 4L * side.size() + 4),
              side.counted()));
    }
    List<TrieBound> bounds =
        step.bounds().stream()
            .map(bound -> new TrieBound(bound.kind(), call.in(bound.values(), bytes)))
            .toList();
    return new TrieStep(sides, bounds, step.bindings());
  }

  private static @Nullable Buffer in(
      StagedCall call, Map<Buffer, Buffer> copies, @Nullable Buffer buffer, long bytes) {
    return buffer == null ? null : copies.computeIfAbsent(buffer, b -> call.in(b, bytes));
  }
}
