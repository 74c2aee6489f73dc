package io.aragonite.exec.table;

import java.util.BitSet;

/**
 * Rows of a table by blocks, all of which have the same number of rows but for the last.
 *
 * @param wanted numbers of the blocks
 */
public record RowBlocks(BitSet wanted, int blockRows) {}
