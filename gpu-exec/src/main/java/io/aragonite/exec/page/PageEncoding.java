package io.aragonite.exec.page;

/** What the values of a page are, behind its levels. */
public enum PageEncoding {
  /** The values one behind the other. */
  PLAIN,
  /** Indices into a dictionary, in place of which its values come out. */
  DICTIONARY,
  /** DELTA_BINARY_PACKED: blocks of packed differences. */
  DELTA,
  /** DELTA_LENGTH_BYTE_ARRAY: the lengths of texts as differences, then the bytes of all texts. */
  DELTA_LENGTH,
  /**
   * DELTA_BYTE_ARRAY: of each text how many bytes it shares with the one before, and how many
   * follow, both as differences; then the bytes that follow.
   */
  DELTA_STRINGS
}
