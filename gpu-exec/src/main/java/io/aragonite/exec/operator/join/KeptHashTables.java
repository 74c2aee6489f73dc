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
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.table.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
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
          cache.turn(context, origin.table(), key, resources.spill()::following)) {
        use = cache.find(context, origin.table(), key);
        if (use == null) {
          KeyIndex.HashIndex own = build.apply(context);
          KeyIndex.HashIndex kept =
              replace(
                  own,
                  () -> keep(context, resources.spill(), cache, origin.table(), key, own.table()),
                  resources::closeLater);
          if (kept == null) {
            turn.noRoom();
            return own;
          }
          return kept;
        }
      }
    }
    resources.closeLater(use);
    return new KeyIndex.HashIndex((HashTable) use.value(), words.bytes(), false);
  }

  /**
   * The index over what is kept of a join's own, which is closed then, as it is if that fails; null
   * if nothing is kept.
   *
   * @param closeLater closes the use of what is kept when the query ends
   */
  static KeyIndex.@Nullable HashIndex replace(
      KeyIndex.HashIndex own,
      Supplier<DerivedCache.@Nullable CacheUse> keep,
      Consumer<DerivedCache.CacheUse> closeLater) {
    boolean stays = false;
    try {
      DerivedCache.CacheUse use = keep.get();
      stays = use == null;
      if (use == null) {
        return null;
      }
      // Before the join's own is closed: should that fail, the use still ends with the query.
      closeLater.accept(use);
      return new KeyIndex.HashIndex((HashTable) use.value(), own.bytes(), false);
    } finally {
      if (!stays) {
        own.close();
      }
    }
  }

  /**
   * Keeps a copy, if there is room. Others wait meanwhile, and the query can do without: it does
   * not wait for memory.
   */
  static DerivedCache.@Nullable CacheUse keep(
      ExecContext context,
      QuerySpill spill,
      DerivedCache cache,
      Table of,
      Object key,
      HashTable table) {
    AtomicReference<DerivedCache.@Nullable CacheUse> use = new AtomicReference<>();
    try {
      spill.optionally(() -> {
        List<Buffer> buffers = table.buffers(context);
        if (buffers != null) {
          use.set(cache.keep(context, of, key, buffers, table::over));
        }
      });
    } catch (AragoniteException e) {
      // What others would need of the table, this query may not.
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
    }
    return use.get();
  }
}
