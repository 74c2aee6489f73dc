package io.aragonite.exec.table;

import java.util.List;

/**
 * A run of a column's rows as a file has it.
 *
 * @param pages in the order of the file; a dictionary comes before the pages that refer to it
 */
public record EncodedChunk(int rows, List<StoredPage> pages) {}
