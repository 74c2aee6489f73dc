package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.memory.Mem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A kernel's PTX as code for the kernel {@code ara_interpret}, which a GPU runs without an
 * assembler: instructions of 16 bytes over slots of 64 bits a thread. An instruction is, from the
 * lowest byte, the operation, the slots of its result and of operands a, b; the slot of c, flags,
 * the instruction that it jumps to (16 bits); a constant (64 bits), which flags say for which
 * operands it stands.
 */
public final class PtxBytecode {
  /** Slots that there can be at most: a byte says which. */
  public static final int MAX_SLOTS = 256;

  /** Bytes of an instruction. */
  public static final int INSTRUCTION_BYTES = 16;

  /** Flags: the constant is operand a, b, c. */
  static final int CONSTANT_A = 1;

  static final int CONSTANT_B = 2;
  static final int CONSTANT_C = 4;

  /** Flag of a comparison: it is so if it does not hold. */
  static final int INVERTED = 8;

  /** Flag of a comparison: it jumps. */
  static final int JUMPS = 16;

  /** Flag: there is no result. */
  static final int NO_RESULT = 32;

  private static final int MAX_INSTRUCTIONS = (1 << 16) - 1;

  /** How often a loop is expected to run. */
  private static final int LOOP_ROUNDS = 8;

  private static final int WORDS = INSTRUCTION_BYTES / Integer.BYTES;

  private final int[] code;
  private final byte[] tables;
  private final int slots;

  private PtxBytecode(int[] code, byte[] tables, int slots) {
    this.code = code;
    this.tables = tables;
    this.slots = slots;
  }

  /** The code, if all of the kernel can be interpreted. */
  static Optional<PtxBytecode> of(String text) {
    try {
      return Optional.of(translate(text));
    } catch (PtxUntranslatable e) {
      return Optional.empty();
    }
  }

  /**
   * @param text a module
   * @throws PtxUntranslatable which says why not
   */
  static PtxBytecode translate(String text) {
    BytecodeReader read = new BytecodeReader(text);
    List<BytecodeInstruction> shorter =
        BytecodeOptimizer.shorter(read.code(), read.registers(), read.labels());
    SlotAllocator allocator = new SlotAllocator(shorter, read.registers(), read.labels());
    List<BytecodeInstruction> kept = new ArrayList<>();
    int[] labels = new int[read.labels()];
    for (int i = 0; i < shorter.size(); i++) {
      BytecodeInstruction instruction = shorter.get(i);
      if (instruction.operation == BytecodeOperation.LABEL) {
        labels[instruction.label] = kept.size();
      } else if (!needless(shorter, i, allocator)) {
        kept.add(instruction);
      }
    }
    kept.add(new BytecodeInstruction(BytecodeOperation.RETURN, BytecodeInstruction.NONE));
    if (kept.size() > MAX_INSTRUCTIONS) {
      throw new PtxUntranslatable("more than " + MAX_INSTRUCTIONS + " instructions");
    }
    int[] code = new int[WORDS * kept.size()];
    for (int i = 0; i < kept.size(); i++) {
      encode(kept.get(i), allocator, labels, 16 * kept.size(), code, WORDS * i);
    }
    return new PtxBytecode(code, read.tables(), Math.max(1, allocator.slots()));
  }

  /** A copy within a slot, or a jump to what comes next. */
  private static boolean needless(List<BytecodeInstruction> code, int at, SlotAllocator allocator) {
    BytecodeInstruction instruction = code.get(at);
    if (instruction.operation == BytecodeOperation.MOVE && instruction.register(0) >= 0) {
      return allocator.slot(instruction.target) == allocator.slot(instruction.register(0));
    }
    for (int i = at + 1; instruction.jumps() && i < code.size(); i++) {
      if (code.get(i).operation != BytecodeOperation.LABEL) {
        break;
      }
      if (code.get(i).label == instruction.label) {
        return true;
      }
    }
    return false;
  }

  private static void encode(
      BytecodeInstruction instruction,
      SlotAllocator allocator,
      int[] labels,
      int codeBytes,
      int[] code,
      int at) {
    int flags = (instruction.inverted ? INVERTED : 0) | (instruction.jumps() ? JUMPS : 0);
    flags |= instruction.target < 0 ? NO_RESULT : 0;
    int[] places = new int[3];
    long constant = 0;
    for (int place = 0; place < 3; place++) {
      int register = instruction.register(place);
      if (register >= 0) {
        places[place] = allocator.slot(register);
      } else if (register == BytecodeInstruction.CONSTANT) {
        flags |= CONSTANT_A << place;
        constant = instruction.constant(place);
      }
    }
    if (instruction.operation == BytecodeOperation.TABLE) {
      constant += codeBytes;
    }
    int target = instruction.target < 0 ? 0 : allocator.slot(instruction.target);
    int to = instruction.jumps() ? labels[instruction.label] : 0;
    code[at] = instruction.operation.ordinal() | target << 8 | places[0] << 16 | places[1] << 24;
    code[at + 1] = places[2] | flags << 8 | to << 16;
    code[at + 2] = (int) constant;
    code[at + 3] = (int) (constant >>> 32);
  }

  /** Slots of a thread, one at least. */
  public int slots() {
    return slots;
  }

  /** Instructions, the last of which returns. */
  public int instructions() {
    return code.length / WORDS;
  }

  /** Instructions that a row is expected to run: each once, those of a loop several times. */
  public int steps() {
    int steps = instructions();
    for (int i = 0; i < instructions(); i++) {
      int flags = code[WORDS * i + 1] >> 8;
      int to = code[WORDS * i + 1] >>> 16;
      if ((flags & JUMPS) != 0 && to <= i) {
        steps += (LOOP_ROUNDS - 1) * (i + 1 - to);
      }
    }
    return steps;
  }

  /** Bytes of the code and of the tables behind it, a multiple of 8. */
  public int bytes() {
    return Integer.BYTES * code.length + tables.length;
  }

  /** Writes the code and its tables, which may lie at any multiple of 16. */
  public void write(long address) {
    for (int i = 0; i < code.length; i++) {
      Mem.putInt(address + 4L * i, code[i]);
    }
    Mem.copy(tables, 0, address + 4L * code.length, tables.length);
  }
}
