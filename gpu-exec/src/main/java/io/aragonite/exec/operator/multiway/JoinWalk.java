package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.TrieWalk;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.multiway.JoinSteps.Step;
import io.aragonite.exec.operator.multiway.JoinSteps.StepRelation;
import io.aragonite.exec.operator.multiway.JoinSteps.VariableBound;
import io.aragonite.exec.operator.multiway.MultiwayRun.Candidates;
import io.aragonite.exec.plan.PhysicalPlan.MultiwayJoin;
import io.aragonite.exec.plan.PhysicalPlan.RelationColumn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The steps of a join as a walk, depth first. Safe for several threads. */
final class JoinWalk {
  private final TrieWalk walk;
  private final List<Trie> tries;
  private final List<Step> steps;

  /** For each relation the cursors of its trie's levels, and of its rows if they are chosen. */
  private final List<List<Integer>> cursors = new ArrayList<>();

  /** Relations whose rows come out, in the order of the output's cursors. */
  private final List<Integer> outputs;

  /** How a cursor came where it is: relations of one trie and the same variables share it. */
  private record CursorPath(int trie, List<Integer> steps) {}

  JoinWalk(MultiwayJoin node, List<Trie> tries, List<Step> steps) {
    this.tries = tries;
    this.steps = steps;
    this.outputs = node.outputs().stream().map(RelationColumn::relation).distinct().toList();
    Map<Trie, Integer> numbers = new IdentityHashMap<>();
    Map<CursorPath, Integer> known = new HashMap<>();
    List<TrieWalk.TrieCursor> all = new ArrayList<>();
    for (int r = 0; r < tries.size(); r++) {
      Trie trie = tries.get(r);
      int number = numbers.computeIfAbsent(trie, t -> numbers.size());
      List<Integer> own = new ArrayList<>();
      List<Integer> path = new ArrayList<>();
      int parent = -1;
      for (int s = 0; s < steps.size(); s++) {
        for (StepRelation part : steps.get(s).parts()) {
          if (part.relation() == r) {
            // Rows are chosen for each relation by itself: they are no variable's values.
            path.add(s);
            int at = s;
            int above = parent;
            Integer cursor = known.get(new CursorPath(number, List.copyOf(path)));
            if (cursor == null) {
              cursor = all.size();
              all.add(cursor(trie, part.level(), above, at));
              known.put(new CursorPath(number, List.copyOf(path)), cursor);
            }
            if (node.counted() && part.level() == trie.levels().size() - 1 && !trie.unique()) {
              all.set(cursor, weighed(all.get(cursor), trie.last().starts()));
            }
            own.add(cursor);
            parent = cursor;
          }
        }
      }
      cursors.add(own);
    }
    List<TrieWalk.WalkLevel> levels = new ArrayList<>();
    for (Step step : steps) {
      levels.add(
          new TrieWalk.WalkLevel(
              step.parts().stream()
                  .map(part -> cursors.get(part.relation()).get(part.level()))
                  .distinct()
                  .toList(),
              bounds(step, steps)));
    }
    this.walk = new TrieWalk(all, levels);
  }

  private static List<TrieWalk.LevelBound> bounds(Step step, List<Step> steps) {
    List<TrieWalk.LevelBound> bounds = new ArrayList<>();
    for (VariableBound comparison : step.comparisons()) {
      for (int s = 0; s < steps.size(); s++) {
        if (steps.get(s).variable() == comparison.variable()) {
          bounds.add(new TrieWalk.LevelBound(comparison.kind(), s));
        }
      }
    }
    return bounds;
  }

  private static TrieWalk.TrieCursor cursor(Trie trie, int level, int parent, int step) {
    Buffer parents = level == 0 ? null : trie.levels().get(level - 1).starts();
    if (level == trie.levels().size()) {
      return new TrieWalk.TrieCursor(null, 0, trie.rowCount(), parents, parent, null, 0, step);
    }
    Trie.TrieLevel of = trie.levels().get(level);
    Buffer starts = of.values() == null ? of.starts() : null;
    return new TrieWalk.TrieCursor(
        of.values(), of.min(), of.size(), parents, parent, starts, 0, step);
  }

  private static TrieWalk.TrieCursor weighed(TrieWalk.TrieCursor cursor, Buffer starts) {
    return new TrieWalk.TrieCursor(
        cursor.values(),
        cursor.min(),
        cursor.size(),
        cursor.parents(),
        cursor.parent(),
        starts,
        cursor.weight() + 1,
        cursor.boundAt());
  }

  /** Whether a device can run this walk. */
  boolean isPossible(Device device) {
    return device.trie().canWalk(walk);
  }

  /** Counts the rows below some candidates. */
  long count(ExecContext context, int step, Candidates candidates, long from, long to) {
    return context.trie().walk(context, walk, start(step, candidates), from, to, null);
  }

  /** Uses the rows of the join that come of some candidates. */
  interface RowConsumer {
    /**
     * @param ids for each relation its rows' numbers; null for one whose rows nobody wants
     * @return whether more are wanted
     */
    boolean use(@Nullable Buffer[] ids, int count);
  }

  /**
   * Makes the rows below some candidates.
   *
   * @param capacity rows at a time
   */
  void run(
      ExecContext context,
      int step,
      Candidates candidates,
      long from,
      long to,
      int capacity,
      RowConsumer consumer) {
    @Nullable Buffer[] ids = new Buffer[tries.size()];
    List<Integer> ends = new ArrayList<>();
    List<Buffer> rows = new ArrayList<>();
    List<Buffer> out = new ArrayList<>();
    for (int relation : outputs) {
      Buffer buffer = context.scratch().allocate(4L * capacity);
      ids[relation] = buffer;
      ends.add(cursors.get(relation).getLast());
      rows.add(tries.get(relation).rows());
      out.add(buffer);
    }
    TrieWalk.WalkOutput output =
        new TrieWalk.WalkOutput(ends, rows, out, capacity, count -> consumer.use(ids, count));
    context.trie().walk(context, walk, start(step, candidates), from, to, output);
  }

  private TrieWalk.Start start(int step, Candidates candidates) {
    @Nullable Buffer[] positions = new Buffer[walk.cursors().size()];
    for (int r = 0; r < tries.size(); r++) {
      Buffer nodes = candidates.bindings().nodes()[r];
      int last = -1;
      for (int cursor : cursors.get(r)) {
        last = walk.cursors().get(cursor).boundAt() < step ? cursor : last;
      }
      if (nodes != null && last >= 0) {
        positions[last] = nodes;
      }
    }
    List<@Nullable Buffer> atCursors = new ArrayList<>();
    for (Buffer position : positions) {
      atCursors.add(position);
    }
    List<@Nullable Buffer> values = new ArrayList<>();
    for (int s = 0; s < step; s++) {
      values.add(
          s < candidates.bindings().values().length ? candidates.bindings().values()[s] : null);
    }
    List<StepRelation> parts = steps.get(step).parts();
    List<Integer> places = new ArrayList<>();
    for (int side = 0; side < candidates.step().sides().size(); side++) {
      int i = 0;
      while (candidates.distinct()[i] != side) {
        i++;
      }
      int cursor = cursors.get(parts.get(i).relation()).get(parts.get(i).level());
      places.add(walk.levels().get(step).cursors().indexOf(cursor));
    }
    return new TrieWalk.Start(
        step,
        atCursors,
        values,
        candidates.bindings().count(),
        candidates.sides(),
        places,
        candidates.firsts(),
        candidates.sums());
  }
}
