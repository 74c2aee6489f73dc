package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.spill.SpillableRowCollection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What part a row of a {@link SpilledJoin} is of, by its keys: some bits of their hash, or of the
 * key itself.
 *
 * @param words how keys become words; null for a join without equal keys
 */
record SpillPartitioning(
    Device device,
    ExpressionCompiler expressions,
    JoinSpec spec,
    JoinKeyEncoder.@Nullable SideEncoders words) {
  /** Bits of the hash that parts are made by; then a part is taken for one key. */
  private static final int HASH_BITS = 48;

  /** The same of a key's place; a bit less than it has, since runs take one more than others. */
  private static final int PLACE_BITS = 31;

  /**
   * Whether a part is some bits of its keys themselves, in another order: of one key of 4 bytes,
   * where a device has memory of its own. Keys leave that without the bits that their part says.
   */
  private boolean byPlaces() {
    return words != null && words.build().bytes() == Integer.BYTES;
  }

  /** What rows are parted by. */
  Partitioner.PartitionWords by(ExpressionCompiler compiler, boolean build) {
    JoinKeyEncoder.SideEncoders known = words;
    if (known != null && byPlaces()) {
      return Partitioner.PartitionWords.places((build ? known.build() : known.probe()).column());
    }
    Expr word = new Expr.KeyWord(build ? spec.buildKeys() : spec.probeKeys(), KeyLayout.HASHED);
    return Partitioner.PartitionWords.of(
        compiler.projection(List.of(word), build ? spec.build() : spec.probe()));
  }

  /** Bits that parts are made by, after which a part is taken for one key. */
  int mostBits() {
    return byPlaces() ? PLACE_BITS : HASH_BITS;
  }

  /** Bits of parts of rows that need so much memory. */
  int bits(long need, long room) {
    int workers = device.properties().workers();
    boolean runs =
        !device.traits().morselDriven()
            && Partitioner.inRuns(spec.build())
            && Partitioner.inRuns(spec.probe());
    return runs
        ? Partitioner.bitsOfRuns(need, room, workers)
        : Partitioner.bits(need, room, workers);
  }

  /**
   * What partitions a side.
   *
   * @param common bits that its rows have in common
   */
  Partitioner partitioner(
      List<SpillableRowCollection> children, boolean build, int common, int bits) {
    int all = byPlaces() ? Integer.SIZE : Long.SIZE;
    return new Partitioner(children, by(expressions, build), all - common - bits, bits);
  }
}
