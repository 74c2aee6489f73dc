package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.memory.Mem;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Runs {@link PtxBytecode} over host memory, from its encoding, as the GPU's interpreter does. What
 * the upper half of a 32-bit result has, and slots at first, is poison. A warp's threads run one
 * after the other from ballot to ballot.
 */
final class BytecodeProgram implements RowProgram {
  private static final int WARP = 32;
  private static final long POISON = 0x5A5A_5A5A_0000_0000L;
  private static final BytecodeOperation[] OPERATIONS = BytecodeOperation.values();

  /** Operations that are an instruction of PTX. */
  private static final Map<BytecodeOperation, PtxOperations.Operation> KNOWN =
      new EnumMap<>(BytecodeOperation.class);

  /** PTX's names of those whose results have 64 bits, and of those whose results have 32. */
  private static final String WIDE =
      """
      ADD add.s64 SUBTRACT sub.s64 MULTIPLY mul.lo.s64 MULTIPLY_HIGH_S64 mul.hi.s64
      MULTIPLY_HIGH_U64 mul.hi.u64 DIVIDE_S64 div.s64 DIVIDE_U64 div.u64 MIN_S64 min.s64
      MAX_S64 max.s64 AND and.b64 OR or.b64 XOR xor.b64 SHIFT_LEFT shl.b64
      SHIFT_RIGHT_S64 shr.s64 SHIFT_RIGHT_U64 shr.u64 REVERSE_BITS brev.b64
      SIGN_EXTEND cvt.s64.s32 EQUAL_32 setp.eq.b32 EQUAL_64 setp.eq.b64 LESS_S32 setp.lt.s32
      LESS_U32 setp.lt.u32 LESS_S64 setp.lt.s64 LESS_U64 setp.lt.u64 EQUAL_F64 setp.eq.f64
      NOT_EQUAL_F64 setp.ne.f64 LESS_F64 setp.lt.f64 LESS_EQUAL_F64 setp.le.f64
      UNORDERED_F64 setp.nan.f64 EQUAL_F32 setp.eq.f32 NOT_EQUAL_F32 setp.ne.f32
      LESS_F32 setp.lt.f32 LESS_EQUAL_F32 setp.le.f32 UNORDERED_F32 setp.nan.f32
      ADD_F64 add.rn.f64 SUBTRACT_F64 sub.rn.f64 MULTIPLY_F64 mul.rn.f64 DIVIDE_F64 div.rn.f64
      COPY_SIGN copysign.f64 SQUARE_ROOT sqrt.rn.f64 FLOOR cvt.rmi.f64.f64
      CEILING cvt.rpi.f64.f64 S32_TO_F64 cvt.rn.f64.s32 S64_TO_F64 cvt.rn.f64.s64
      F32_TO_F64 cvt.f64.f32 F64_TO_S64 cvt.rzi.s64.f64 F32_TO_S64 cvt.rzi.s64.f32
      """;

  private static final String NARROW =
      """
      MULTIPLY_ADD mad.lo.s32 MULTIPLY_HIGH_S32 mul.hi.s32 DIVIDE_S32 div.s32 DIVIDE_U32 div.u32
      MIN_S32 min.s32 MAX_S32 max.s32 SHIFT_RIGHT_S32 shr.s32 SHIFT_RIGHT_U32 shr.u32
      LEADING_ZEROS clz.b64 COUNT_BITS popc.b64 PERMUTE prmt.b32 ADD_F32 add.rn.f32
      SUBTRACT_F32 sub.rn.f32 MULTIPLY_F32 mul.rn.f32 DIVIDE_F32 div.rn.f32
      S32_TO_F32 cvt.rn.f32.s32 S64_TO_F32 cvt.rn.f32.s64 F64_TO_F32 cvt.rn.f32.f64
      F64_TO_S32 cvt.rzi.s32.f64 F32_TO_S32 cvt.rzi.s32.f32
      """;

  static {
    String[] wide = WIDE.strip().split("\\s+");
    for (int i = 0; i < wide.length; i += 2) {
      KNOWN.put(BytecodeOperation.valueOf(wide[i]), PtxOperations.of(wide[i + 1]));
    }
    String[] narrow = NARROW.strip().split("\\s+");
    for (int i = 0; i < narrow.length; i += 2) {
      PtxOperations.Operation operation = PtxOperations.of(narrow[i + 1]);
      KNOWN.put(
          BytecodeOperation.valueOf(narrow[i]), (a, b, c) -> poisoned(operation.apply(a, b, c)));
    }
  }

  private final Arena arena = Arena.ofAuto();
  private final long code;
  private final int slots;

  /** A thread of a warp. */
  private static final class Lane {
    final long[] slots;
    final long block;
    final long thread;
    int at;

    Lane(int slots, int block, int thread) {
      this.slots = new long[slots];
      this.block = block;
      this.thread = thread;
      Arrays.fill(this.slots, 0x5A5A_5A5A_5A5A_5A5AL);
    }
  }

  BytecodeProgram(PtxBytecode bytecode) {
    code = arena.allocate(bytecode.bytes() + 16L, 16).address();
    bytecode.write(code);
    slots = bytecode.slots();
  }

  private static long poisoned(long value) {
    return value & 0xFFFFFFFFL | POISON;
  }

  @Override
  public void run(int blocks, int threads, long[] arguments) {
    for (int block = 0; block < blocks; block++) {
      for (int from = 0; from < threads; from += WARP) {
        Lane[] warp = new Lane[WARP];
        for (int lane = 0; lane < WARP; lane++) {
          warp[lane] = new Lane(slots, block, from + lane);
        }
        runWarp(warp, arguments);
      }
    }
  }

  private void runWarp(Lane[] warp, long[] arguments) {
    while (true) {
      BytecodeOperation stop = BytecodeOperation.RETURN;
      for (Lane lane : warp) {
        stop = run(lane, arguments);
        if (lane.at != warp[0].at) {
          throw new AssertionError("a warp's threads meet at different ballots");
        }
      }
      if (stop == BytecodeOperation.RETURN) {
        return;
      }
      long bits = 0;
      for (int lane = 0; lane < WARP; lane++) {
        bits |= (operand(warp[lane], 0) & 0xFFFFFFFFL) != 0 ? 1L << lane : 0;
      }
      for (Lane lane : warp) {
        lane.slots[target(lane)] = poisoned(bits);
        lane.at++;
      }
    }
  }

  private int word(Lane lane, int number) {
    return Mem.getInt(code + (long) PtxBytecode.INSTRUCTION_BYTES * lane.at + 4L * number);
  }

  private int target(Lane lane) {
    return word(lane, 0) >> 8 & 0xFF;
  }

  private int flags(Lane lane) {
    return word(lane, 1) >> 8 & 0xFF;
  }

  private long operand(Lane lane, int place) {
    if ((flags(lane) & PtxBytecode.CONSTANT_A << place) != 0) {
      return Mem.getLong(code + (long) PtxBytecode.INSTRUCTION_BYTES * lane.at + 8);
    }
    int slot = place == 2 ? word(lane, 1) : word(lane, 0) >> 16 + 8 * place;
    // Operands that there are none of have slot 0.
    return lane.slots[slot & 0xFF];
  }

  /** Runs a thread until a ballot or its end. */
  private BytecodeOperation run(Lane lane, long[] arguments) {
    while (true) {
      BytecodeOperation operation = OPERATIONS[word(lane, 0) & 0xFF];
      if (operation == BytecodeOperation.RETURN || operation == BytecodeOperation.BALLOT) {
        return operation;
      }
      int flags = flags(lane);
      long result =
          result(lane, operation, operand(lane, 0), operand(lane, 1), operand(lane, 2), arguments);
      result ^= (flags & PtxBytecode.INVERTED) != 0 ? 1 : 0;
      if ((flags & PtxBytecode.JUMPS) != 0) {
        lane.at = result != 0 ? word(lane, 1) >>> 16 : lane.at + 1;
      } else {
        if ((flags & PtxBytecode.NO_RESULT) == 0) {
          lane.slots[target(lane)] = result;
        }
        lane.at++;
      }
    }
  }

  private long result(
      Lane lane, BytecodeOperation operation, long a, long b, long c, long[] arguments) {
    return switch (operation) {
      case MOVE -> a;
      case ARGUMENT -> arguments[(int) a];
      case BLOCK -> poisoned(lane.block);
      case THREAD -> poisoned(lane.thread);
      case TABLE -> code + a;
      case JUMP -> 1;
      case PACK -> a & 0xFFFFFFFFL | b << 32;
      case INDEX -> b + ((long) (int) a << c);
      case SELECT -> (int) c != 0 ? a : b;
      case LOAD_S8 -> poisoned(Mem.getByte(a));
      case LOAD_U8 -> poisoned(Mem.getByte(a) & 0xFF);
      case LOAD_S16 -> poisoned(Mem.getShort(aligned(a, 2)));
      case LOAD_U16 -> poisoned(Mem.getShort(aligned(a, 2)) & 0xFFFF);
      case LOAD_32 -> poisoned(Mem.getInt(aligned(a, 4)));
      case LOAD_64 -> Mem.getLong(aligned(a, 8));
      case STORE_8, STORE_16, STORE_32, STORE_64 -> store(operation, a, b);
      case ATOMIC_ADD -> {
        long before = Mem.getLong(aligned(a, 8));
        Mem.putLong(a, before + b);
        yield before;
      }
      case ATOMIC_MIN -> {
        int before = Mem.getInt(aligned(a, 4));
        Mem.putInt(a, Integer.compareUnsigned((int) b, before) < 0 ? (int) b : before);
        yield 0;
      }
      default -> java.util.Objects.requireNonNull(KNOWN.get(operation)).apply(a, b, c);
    };
  }

  private static long store(BytecodeOperation operation, long address, long value) {
    switch (operation) {
      case STORE_8 -> Mem.putByte(address, (byte) value);
      case STORE_16 -> Mem.putShort(aligned(address, 2), (short) value);
      case STORE_32 -> Mem.putInt(aligned(address, 4), (int) value);
      default -> Mem.putLong(aligned(address, 8), value);
    }
    return 0;
  }

  private static long aligned(long address, int width) {
    if (address == 0 || (address & width - 1) != 0) {
      throw new AssertionError("an access of %d bytes at %x".formatted(width, address));
    }
    return address;
  }
}
