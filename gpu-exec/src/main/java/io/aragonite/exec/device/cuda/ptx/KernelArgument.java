package io.aragonite.exec.device.cuda.ptx;

/**
 * One 64-bit argument of a kernel.
 *
 * @param index of the column, indirection, output or constant; 0 where there is only one
 * @param field the field of an object constant; empty for the others
 */
record KernelArgument(ArgumentKind kind, int index, String field) {
  /** What an argument is. */
  enum ArgumentKind {
    /** Rows of the batch. */
    ROWS,
    /** Address of a 32-bit word that takes the smallest row that failed. */
    STATUS,
    /** Address of a predicate's bits, a row each. */
    BITS,
    /** Address of the 64-bit number of bytes taken from the heap of new texts. */
    HEAP,
    HEAP_BASE,
    HEAP_SIZE,
    /** Addresses of an input column. */
    VALUES,
    OFFSETS,
    VALIDITY,
    /** Address of an indirection's row numbers. */
    IDS,
    /** Addresses of an output. */
    OUT_VALUES,
    OUT_VALIDITY,
    OUT_LENGTHS,
    /** Address of two 64-bit words a sum of all groups, the lower one first. */
    SUMS,
    /** Address of a 32-bit word for each group of a table, and of a 64-bit one for each sum. */
    TABLE_COUNTS,
    TABLE_SUMS,
    /** A number, or the address of a text. */
    LONG,
    DOUBLE,
    /** A number or boolean in an object. */
    FIELD,
    /** The address of an object's array in the device's memory. */
    ARRAY,
    /** The number of elements of an object's array. */
    LENGTH,
    /** The address of an object's own form for devices. */
    PROGRAM
  }

  KernelArgument(ArgumentKind kind) {
    this(kind, 0, "");
  }

  KernelArgument(ArgumentKind kind, int index) {
    this(kind, index, "");
  }
}
