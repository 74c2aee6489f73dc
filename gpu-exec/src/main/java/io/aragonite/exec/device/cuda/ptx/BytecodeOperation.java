package io.aragonite.exec.device.cuda.ptx;

/**
 * What an instruction of {@link PtxBytecode} does to its operands a, b and c; the kernel that runs
 * it has the same list (agent/interpret.cuh). Slots have 64 bits; operations on 32 bits read the
 * lower half and leave the upper half open. Predicates are 0 or 1.
 */
enum BytecodeOperation {
  MOVE,
  /** The kernel's argument of number a. */
  ARGUMENT,
  /** The number of the row's block, of 256 rows. */
  BLOCK,
  /** The number of the row in its block. */
  THREAD,
  /** The address of a table, which lies a bytes behind the code's start. */
  TABLE,
  JUMP,
  /** The thread is done. */
  RETURN,
  ADD,
  SUBTRACT,
  MULTIPLY,
  /** a * b + c. */
  MULTIPLY_ADD,
  MULTIPLY_HIGH_S32,
  MULTIPLY_HIGH_S64,
  MULTIPLY_HIGH_U64,
  DIVIDE_S32,
  DIVIDE_U32,
  DIVIDE_S64,
  DIVIDE_U64,
  MIN_S32,
  MAX_S32,
  MIN_S64,
  MAX_S64,
  AND,
  OR,
  XOR,
  /** By an unsigned amount of 32 bits, as all shifts; 64 and more leave nothing. */
  SHIFT_LEFT,
  SHIFT_RIGHT_S32,
  SHIFT_RIGHT_U32,
  SHIFT_RIGHT_S64,
  SHIFT_RIGHT_U64,
  LEADING_ZEROS,
  COUNT_BITS,
  REVERSE_BITS,
  /** Bytes of a (0 to 3) and b (4 to 7), as the nibbles of c say. */
  PERMUTE,
  /** A lower half a and an upper half b. */
  PACK,
  /** From 32 bits to 64. */
  SIGN_EXTEND,
  /** b plus the sign-extended a shifted left by the constant: an element's address. */
  INDEX,
  /** a if c is not 0, b else. */
  SELECT,
  EQUAL_32,
  EQUAL_64,
  LESS_S32,
  LESS_U32,
  LESS_S64,
  LESS_U64,
  EQUAL_F64,
  /** Neither equal nor unordered. */
  NOT_EQUAL_F64,
  LESS_F64,
  LESS_EQUAL_F64,
  /** Whether one is no number. */
  UNORDERED_F64,
  EQUAL_F32,
  NOT_EQUAL_F32,
  LESS_F32,
  LESS_EQUAL_F32,
  UNORDERED_F32,
  ADD_F64,
  SUBTRACT_F64,
  MULTIPLY_F64,
  DIVIDE_F64,
  ADD_F32,
  SUBTRACT_F32,
  MULTIPLY_F32,
  DIVIDE_F32,
  /** The sign of a and the rest of b. */
  COPY_SIGN,
  SQUARE_ROOT,
  FLOOR,
  CEILING,
  S32_TO_F64,
  S64_TO_F64,
  S32_TO_F32,
  S64_TO_F32,
  F32_TO_F64,
  F64_TO_F32,
  F64_TO_S64,
  F64_TO_S32,
  F32_TO_S64,
  F32_TO_S32,
  /** From the address a, as all loads. */
  LOAD_S8,
  LOAD_U8,
  LOAD_S16,
  LOAD_U16,
  LOAD_32,
  LOAD_64,
  /** To the address a the value b, as all stores. */
  STORE_8,
  STORE_16,
  STORE_32,
  STORE_64,
  /** Adds b to the 64 bits at the address a; what was there before. */
  ATOMIC_ADD,
  /** Makes the 32 bits at the address a at most b, unsigned. */
  ATOMIC_MIN,
  /** A bit a lane, whether a is not 0; all lanes come here together. */
  BALLOT,
  /** Of the translation only: where jumps go to. */
  LABEL;

  /** Whether it is a comparison, which may be inverted and may jump. */
  boolean compares() {
    return compareTo(EQUAL_32) >= 0 && compareTo(UNORDERED_F32) <= 0;
  }

  /** Whether it does more than to give a result. */
  boolean hasEffect() {
    return switch (this) {
      case JUMP,
          RETURN,
          LABEL,
          STORE_8,
          STORE_16,
          STORE_32,
          STORE_64,
          ATOMIC_ADD,
          ATOMIC_MIN,
          BALLOT ->
          true;
      default -> false;
    };
  }
}
