package io.aragonite.exec.page;

/**
 * Bytes of a page as they are stored: all of it, or its levels, or what is behind them.
 *
 * @param page its number, for errors
 * @param from where they begin in what is given
 * @param bytes how many
 * @param to where they go in what comes out
 * @param size how many come out
 * @param codec what they are compressed by; if by nothing, they are copied
 */
public record StoredBytes(int page, long from, int bytes, long to, int size, PageCodec codec) {}
