package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.KeyColumns;
import io.aragonite.exec.device.KeyColumns.PackedColumn;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.KeyFilterPolicy;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;

/** A filter of words in a GPU's memory; see key_filter.cu. */
final class CudaKeyFilter implements KeyFilter {
  private static final KernelFamily FAMILY = KernelFamily.KEY_FILTER;
  private static final int THREADS = BlockPolicy.THREADS;
  private static final int TILE = KeyFilterPolicy.TILE;
  private static final PackedColumn NO_COLUMN = new PackedColumn(Buffer.EMPTY, Long.BYTES, 0, 0);

  private final QueryMemory memory;
  private final boolean exact;
  private final PartitionFunction order;
  private final long mask;
  private Buffer blocks;

  CudaKeyFilter(ExecContext context, Buffer words, int count, QueryMemory memory) {
    this.memory = memory;
    order = CudaHashBuild.order(context, words, Long.BYTES, count);
    exact = KeyFilter.exact(order.range(), count);
    long size = exact ? (order.range() >>> 6) + 1 : KeyFilter.blocks(count);
    mask = size - 1;
    blocks = memory.allocate(8 * size);
    CudaStream stream = CudaStream.of(context);
    stream.fill(blocks.address(), (byte) 0, 8 * size);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_filter_add"),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        words,
        count,
        exact ? 1 : 0,
        order.base(),
        mask,
        blocks);
  }

  @Override
  public int select(ExecContext context, KeyColumns words, Buffer out) {
    int count = words.count();
    if (count == 0) {
      return 0;
    }
    PackedColumn low = words.columns().getFirst();
    PackedColumn high = words.columns().size() > 1 ? words.columns().getLast() : NO_COLUMN;
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    Buffer bits = context.scratch().allocate((count + 31L) / 32 * Integer.BYTES);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_filter_test"),
        CudaWords.blocks(count, TILE),
        THREADS,
        0,
        low.values(),
        low.bytes(),
        low.zero(),
        low.shift(),
        high.values(),
        high.bytes(),
        high.zero(),
        high.shift(),
        words.rows(),
        count,
        exact ? 1 : 0,
        order.base(),
        order.range(),
        mask,
        blocks,
        bits);
    int kept = CudaSelect.selectBits(context, bits, count, out);
    context.scratch().release(mark);
    return kept;
  }

  @Override
  public long bytes() {
    return blocks.size();
  }

  @Override
  public boolean exact() {
    return exact;
  }

  @Override
  public void close() {
    memory.free(blocks);
    blocks = Buffer.EMPTY;
  }
}
