package io.aragonite.exec.page;

/** What a page is compressed by. */
public enum PageCodec {
  /** Nothing: its bytes are as they come out. */
  NONE,
  SNAPPY,
  /** Blocks of LZ4, without a frame. */
  LZ4,
  /** Something that no device undoes. */
  OTHER
}
