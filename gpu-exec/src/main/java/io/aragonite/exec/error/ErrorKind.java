package io.aragonite.exec.error;

/** Who can do something about an error. */
public enum ErrorKind {
  /** The statement, its data or its options are at fault: the user can fix it. */
  USER,
  /** The request is sound, but no part of the product can run it. */
  UNSUPPORTED,
  /** Memory, disk, time or a device ran out, or the query was cancelled. */
  RESOURCES,
  /** A defect of the product. */
  INTERNAL
}
