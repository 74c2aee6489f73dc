package io.aragonite.exec.device.cuda.ptx;

import java.util.ArrayList;
import java.util.List;

/** Basic blocks of code, and which registers are live behind each. */
final class BytecodeBlocks {
  /**
   * Instructions that run one after the other.
   *
   * @param start the first
   * @param end behind the last
   */
  record BytecodeBlock(int start, int end) {}

  private final List<BytecodeInstruction> code;
  private final List<BytecodeBlock> blocks = new ArrayList<>();

  /** The block that begins at a label. */
  private final int[] blockOfLabel;

  private final int words;

  BytecodeBlocks(List<BytecodeInstruction> code, int registers, int labels) {
    this.code = code;
    this.words = (registers + 63) / 64;
    this.blockOfLabel = new int[labels];
    int start = 0;
    for (int i = 0; i < code.size(); i++) {
      BytecodeInstruction instruction = code.get(i);
      boolean label = instruction.operation == BytecodeOperation.LABEL;
      if (label && i > start) {
        blocks.add(new BytecodeBlock(start, i));
        start = i;
      }
      if (label) {
        blockOfLabel[instruction.label] = blocks.size();
      }
      if (instruction.endsBlock()) {
        blocks.add(new BytecodeBlock(start, i + 1));
        start = i + 1;
      }
    }
    if (start < code.size()) {
      blocks.add(new BytecodeBlock(start, code.size()));
    }
  }

  List<BytecodeBlock> blocks() {
    return blocks;
  }

  /** For each block the registers, a bit each, whose values are read behind it. */
  long[][] liveOut() {
    int count = blocks.size();
    long[][] used = new long[count][words];
    long[][] written = new long[count][words];
    for (int b = 0; b < count; b++) {
      uses(blocks.get(b), used[b], written[b]);
    }
    long[][] liveIn = new long[count][];
    for (int b = 0; b < count; b++) {
      liveIn[b] = used[b].clone();
    }
    long[][] liveOut = new long[count][words];
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int b = count - 1; b >= 0; b--) {
        BytecodeInstruction last = code.get(blocks.get(b).end - 1);
        if (last.jumps()) {
          changed |= join(liveOut[b], liveIn[blockOfLabel[last.label]]);
        }
        boolean goesOn =
            last.operation != BytecodeOperation.JUMP && last.operation != BytecodeOperation.RETURN;
        if (goesOn && b + 1 < count) {
          changed |= join(liveOut[b], liveIn[b + 1]);
        }
        for (int w = 0; w < words; w++) {
          liveIn[b][w] |= liveOut[b][w] & ~written[b][w];
        }
      }
    }
    return liveOut;
  }

  /** Registers that a block reads before it writes them, and those that it writes. */
  private void uses(BytecodeBlock block, long[] used, long[] written) {
    for (int i = block.start; i < block.end; i++) {
      BytecodeInstruction instruction = code.get(i);
      for (int place = 0; place < 3; place++) {
        int register = instruction.register(place);
        if (register >= 0 && !has(written, register)) {
          add(used, register);
        }
      }
      if (instruction.target >= 0) {
        add(written, instruction.target);
      }
    }
  }

  private static boolean join(long[] into, long[] from) {
    boolean changed = false;
    for (int w = 0; w < into.length; w++) {
      long joined = into[w] | from[w];
      changed |= joined != into[w];
      into[w] = joined;
    }
    return changed;
  }

  static boolean has(long[] set, int register) {
    return (set[register >> 6] >>> register & 1) != 0;
  }

  static void add(long[] set, int register) {
    set[register >> 6] |= 1L << register;
  }

  static void remove(long[] set, int register) {
    set[register >> 6] &= ~(1L << register);
  }

  /** The code without the instructions whose results nobody reads. */
  List<BytecodeInstruction> withoutDead() {
    long[][] liveOut = liveOut();
    List<BytecodeInstruction> kept = new ArrayList<>();
    for (int b = blocks.size() - 1; b >= 0; b--) {
      long[] live = liveOut[b];
      for (int i = blocks.get(b).end - 1; i >= blocks.get(b).start; i--) {
        BytecodeInstruction instruction = code.get(i);
        if (instruction.hasEffect() || has(live, instruction.target)) {
          kept.add(instruction);
          step(live, instruction);
        }
      }
    }
    return kept.reversed();
  }

  /** From what is live behind an instruction to what is live before it. */
  static void step(long[] live, BytecodeInstruction instruction) {
    if (instruction.target >= 0) {
      remove(live, instruction.target);
    }
    for (int place = 0; place < 3; place++) {
      if (instruction.register(place) >= 0) {
        add(live, instruction.register(place));
      }
    }
  }
}
