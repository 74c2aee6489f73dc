package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.DerivedCache;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.ScanSource.TableColumns;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Hash tables over columns of a table that many queries join with in the same way, perhaps at once:
 * one of them makes the hash table, the others use it.
 */
final class KeptHashTables {
  private KeptHashTables() {}

  /**
   * What tells the hash tables of a table apart.
   *
   * @param columns of the table that are keys
   * @param nullSafe of each key whether its nulls match each other
   * @param computed whether words are computed; else the key is its own word
   * @param bytes of a word
   */
  private record HashTableKey(
      List<Integer> columns,
      List<Boolean> nullSafe,
      KeyLayout layout,
      boolean computed,
      int bytes) {}

  /**
   * An index over a join's build side, kept with the table that the rows are of; the join's own if
   * memory does not hold it beside what is in use.
   *
   * @param origin of the build side's columns
   * @param words of the build side
   * @param build makes the join's own
   */
  static KeyIndex.HashIndex of(
      ExecContext context,
      QueryResources resources,
      TableColumns origin,
      JoinSpec spec,
      KeyLayout layout,
      JoinKeyEncoder words,
      Function<ExecContext, KeyIndex.HashIndex> build) {
    DerivedCache cache = context.device().derived();
    // Words of a dictionary's codes follow the other side's dictionary.
    boolean codes = spec.buildKeyShapes().stream().anyMatch(shape -> shape.dictionary() != null);
    if (cache == null || codes) {
      return build.apply(context);
    }
    List<Integer> columns = new ArrayList<>();
    List<Boolean> nullSafe = new ArrayList<>();
    for (JoinKey key : spec.plan().keys()) {
      columns.add(origin.columns().get(spec.buildLeft() ? key.left() : key.right()));
      nullSafe.add(key.nullSafe());
    }
    HashTableKey key =
        new HashTableKey(columns, nullSafe, layout, words.column() < 0, words.bytes());
    DerivedCache.CacheUse use = cache.find(context, origin.table(), key);
    if (use == null) {
      try (DerivedCache.MakingTurn turn =
          resources.spill().following(() -> cache.turn(context, origin.table(), key))) {
        use = cache.find(context, origin.table(), key);
        if (use == null) {
          KeyIndex.HashIndex own = build.apply(context);
          boolean taken = false;
          try {
            use = keep(context, cache, origin, key, own.table());
            taken = use == null;
          } finally {
            if (!taken) {
              own.close();
            }
          }
          if (use == null) {
            turn.noRoom();
            return own;
          }
        }
      }
    }
    resources.closeLater(use);
    return new KeyIndex.HashIndex((HashTable) use.value(), words.bytes(), false);
  }

  private static DerivedCache.@Nullable CacheUse keep(
      ExecContext context,
      DerivedCache cache,
      TableColumns origin,
      HashTableKey key,
      HashTable table) {
    try {
      List<Buffer> buffers = table.buffers(context);
      return buffers == null
          ? null
          : cache.keep(context, origin.table(), key, buffers, table::over);
    } catch (AragoniteException e) {
      // What others would need of the table, this query may not.
      if (e.code() == ErrorCode.MEMORY_EXCEEDED) {
        return null;
      }
      throw e;
    }
  }
}
