package io.aragonite.exec.device.cuda.ptx;

import java.util.ArrayList;
import java.util.List;

/**
 * Makes code shorter, from label to label: operands are taken from where their values come, an
 * element's address is one instruction, and so are a comparison and its jump. What nobody reads
 * then is left out.
 */
final class BytecodeOptimizer {
  private final List<BytecodeInstruction> code;

  /** How often each register has been written so far; this says whether a value is still there. */
  private final int[] version;

  /** For each register the instruction that wrote it, and the piece of code in which it did. */
  private final BytecodeInstruction[] writer;

  private final int[] piece;

  /** The versions that the writer's operands had. */
  private final int[][] versions;

  private int current;

  private BytecodeOptimizer(List<BytecodeInstruction> code, int registers) {
    this.code = code;
    this.version = new int[registers];
    this.writer = new BytecodeInstruction[registers];
    this.piece = new int[registers];
    this.versions = new int[registers][3];
  }

  static List<BytecodeInstruction> shorter(
      List<BytecodeInstruction> code, int registers, int labels) {
    List<BytecodeInstruction> better = new BytecodeOptimizer(code, registers).run(labels);
    return new BytecodeBlocks(better, registers, labels).withoutDead();
  }

  private List<BytecodeInstruction> run(int labels) {
    boolean[] jumpedTo = new boolean[labels];
    for (BytecodeInstruction instruction : code) {
      if (instruction.jumps()) {
        jumpedTo[instruction.label] = true;
      }
    }
    List<BytecodeInstruction> out = new ArrayList<>(code.size());
    current = 1;
    for (BytecodeInstruction instruction : code) {
      if (instruction.operation == BytecodeOperation.LABEL) {
        if (jumpedTo[instruction.label]) {
          current++;
          out.add(instruction);
        }
        continue;
      }
      propagate(instruction);
      BytecodeInstruction better = fused(instruction);
      out.add(better);
      note(better);
    }
    return out;
  }

  private void note(BytecodeInstruction instruction) {
    int target = instruction.target;
    if (target < 0) {
      return;
    }
    for (int place = 0; place < 3; place++) {
      int register = instruction.register(place);
      // One that it overwrites itself is gone at once: the version before is not the one behind.
      versions[target][place] = register < 0 ? 0 : version[register];
    }
    version[target]++;
    writer[target] = instruction;
    piece[target] = current;
  }

  /** What wrote a register in this piece, if its operands still have the values of then. */
  private BytecodeInstruction source(int register) {
    if (register < 0 || piece[register] != current) {
      return BytecodeInstruction.label(0);
    }
    BytecodeInstruction made = writer[register];
    for (int place = 0; place < 3; place++) {
      int operand = made.register(place);
      if (operand >= 0 && version[operand] != versions[register][place]) {
        return BytecodeInstruction.label(0);
      }
    }
    return made;
  }

  /** Operands that are copies become what they are copies of. */
  private void propagate(BytecodeInstruction instruction) {
    for (int place = 0; place < 3; place++) {
      BytecodeInstruction copy = source(instruction.register(place));
      if (copy.operation == BytecodeOperation.MOVE
          && (!copy.isConstant(0) || instruction.takes(copy.constant(0), place))) {
        instruction.withOperand(place, copy, 0);
      }
    }
  }

  private BytecodeInstruction fused(BytecodeInstruction instruction) {
    if (instruction.operation == BytecodeOperation.ADD) {
      BytecodeInstruction index = index(instruction, 0, 1);
      return index == instruction ? index(instruction, 1, 0) : index;
    }
    BytecodeInstruction result = instruction;
    while (result.jumps()
        && result.operation == BytecodeOperation.EQUAL_32
        && result.isConstant(1)
        && result.constant(1) == 0) {
      BytecodeInstruction condition = source(result.register(0));
      if (!condition.operation.compares()) {
        break;
      }
      // It jumps if the condition is not 0, or, not inverted, if it is.
      result = condition.jumping(condition.inverted == result.inverted, result.label);
    }
    return result;
  }

  /** An addition of a row number, perhaps shifted, as one instruction. */
  private BytecodeInstruction index(BytecodeInstruction add, int indexPlace, int basePlace) {
    BytecodeInstruction shift = source(add.register(indexPlace));
    boolean shifts = shift.operation == BytecodeOperation.SHIFT_LEFT && shift.isConstant(1);
    BytecodeInstruction extend = shifts ? source(shift.register(0)) : shift;
    if (extend.operation != BytecodeOperation.SIGN_EXTEND
        || extend.isConstant(0)
        || add.isConstant(basePlace)) {
      return add;
    }
    return new BytecodeInstruction(BytecodeOperation.INDEX, add.target)
        .withOperand(0, extend, 0)
        .withOperand(1, add, basePlace)
        .withConstant(2, shifts ? shift.constant(1) : 0);
  }
}
