package io.aragonite.exec.device.cuda.ptx;

import java.util.Arrays;
import java.util.List;

/**
 * Gives registers slots, by coloring: registers that are live at once have different ones, and a
 * copy shares its original's where it can, so that it need not be made.
 */
final class SlotAllocator {
  private static final int NONE = BytecodeInstruction.NONE;

  private final List<BytecodeInstruction> code;
  private final int words;

  /** For each register those that are live while it is. */
  private final long[][] conflicts;

  /** What a register was joined with; itself if with none. */
  private final int[] joined;

  private final int[] slot;
  private int slots;

  SlotAllocator(List<BytecodeInstruction> code, int registers, int labels) {
    this.code = code;
    this.words = (registers + 63) / 64;
    this.conflicts = new long[registers][];
    this.joined = new int[registers];
    this.slot = new int[registers];
    for (int register = 0; register < registers; register++) {
      joined[register] = register;
    }
    Arrays.fill(slot, NONE);
    conflicts(new BytecodeBlocks(code, registers, labels));
    join();
    color();
  }

  /** The number of slots. */
  int slots() {
    return slots;
  }

  int slot(int register) {
    return slot[representative(register)];
  }

  private void conflicts(BytecodeBlocks blocks) {
    long[][] liveOut = blocks.liveOut();
    for (int b = blocks.blocks().size() - 1; b >= 0; b--) {
      BytecodeBlocks.BytecodeBlock block = blocks.blocks().get(b);
      long[] live = liveOut[b];
      for (int i = block.end() - 1; i >= block.start(); i--) {
        BytecodeInstruction instruction = code.get(i);
        int target = instruction.target;
        if (target >= 0) {
          // A copy and its original may share a slot.
          int original =
              instruction.operation == BytecodeOperation.MOVE ? instruction.register(0) : NONE;
          boolean originalLive = original >= 0 && BytecodeBlocks.has(live, original);
          if (originalLive) {
            BytecodeBlocks.remove(live, original);
          }
          conflict(target, live);
          if (originalLive) {
            BytecodeBlocks.add(live, original);
          }
        }
        BytecodeBlocks.step(live, instruction);
      }
    }
  }

  private long[] row(int register) {
    if (conflicts[register] == null) {
      conflicts[register] = new long[words];
    }
    return conflicts[register];
  }

  private void conflict(int register, long[] live) {
    long[] row = row(register);
    for (int w = 0; w < words; w++) {
      long rest = live[w];
      row[w] |= rest;
      while (rest != 0) {
        int other = 64 * w + Long.numberOfTrailingZeros(rest);
        rest &= rest - 1;
        BytecodeBlocks.add(row(other), register);
      }
    }
    BytecodeBlocks.remove(row, register);
  }

  private int representative(int register) {
    int result = register;
    while (joined[result] != result) {
      result = joined[result];
    }
    return result;
  }

  private void join() {
    for (BytecodeInstruction instruction : code) {
      if (instruction.operation != BytecodeOperation.MOVE || instruction.register(0) < 0) {
        continue;
      }
      int target = representative(instruction.target);
      int original = representative(instruction.register(0));
      if (target != original && !BytecodeBlocks.has(row(original), target)) {
        joined[target] = original;
        conflict(original, row(target));
      }
    }
  }

  private void color() {
    long[] taken = new long[4];
    for (BytecodeInstruction instruction : code) {
      if (instruction.target >= 0) {
        color(representative(instruction.target), taken);
      }
      for (int place = 0; place < 3; place++) {
        if (instruction.register(place) >= 0) {
          color(representative(instruction.register(place)), taken);
        }
      }
    }
  }

  private void color(int register, long[] taken) {
    if (slot[register] != NONE) {
      return;
    }
    Arrays.fill(taken, 0);
    long[] row = row(register);
    for (int w = 0; w < words; w++) {
      for (long rest = row[w]; rest != 0; rest &= rest - 1) {
        int other = representative(64 * w + Long.numberOfTrailingZeros(rest));
        if (slot[other] != NONE) {
          BytecodeBlocks.add(taken, slot[other]);
        }
      }
    }
    int free = 0;
    while (free < PtxBytecode.MAX_SLOTS && BytecodeBlocks.has(taken, free)) {
      free++;
    }
    if (free == PtxBytecode.MAX_SLOTS) {
      throw new PtxUntranslatable("more than " + PtxBytecode.MAX_SLOTS + " values at once");
    }
    slot[register] = free;
    slots = Math.max(slots, free + 1);
  }
}
