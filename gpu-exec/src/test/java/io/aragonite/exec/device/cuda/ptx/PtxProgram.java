package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.memory.Mem;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An interpreter of the PTX that kernels for rows are made of, over host memory: it proves a
 * translation on machines without a GPU. Loads and stores must be aligned, as on a GPU; a warp's
 * threads run one after the other from ballot to ballot.
 */
final class PtxProgram implements RowProgram {
  private static final int WARP = 32;

  /** One instruction: does it, and says where to go on. */
  private interface Step {
    int run(Lane thread);
  }

  private interface Operand {
    long get(long[] registers);
  }

  /** A thread of a warp. */
  private static final class Lane {
    final long[] registers;
    int at;

    Lane(int count) {
      registers = new long[count];
    }
  }

  private record Ballot(Operand flag, int target) {}

  private final Arena arena = Arena.ofAuto();
  private final Map<String, Integer> registers = new HashMap<>();
  private final Map<String, Integer> labels = new HashMap<>();
  private final Map<String, Long> tables = new HashMap<>();
  private final Map<Integer, Ballot> ballots = new HashMap<>();
  private final List<Step> steps = new ArrayList<>();
  private long[] args = {};
  private final int blockRegister = register("%ctaid.x");
  private final int threadRegister = register("%tid.x");
  private final int blocksRegister = register("%nctaid.x");
  private final int threadsRegister = register("%ntid.x");

  private final int sharedBytes;

  /** The shared memory of the block that runs. */
  private long shared;

  PtxProgram(String text) {
    this(text, 0);
  }

  /**
   * @param sharedBytes shared memory of a block
   */
  PtxProgram(String text, int sharedBytes) {
    this.sharedBytes = sharedBytes;
    List<String> lines = new ArrayList<>();
    for (String raw : text.split("\n")) {
      String line = raw.strip();
      if (line.startsWith(".global")) {
        table(line);
      } else if (line.startsWith(".extern .shared")) {
        tables.put(line.substring(line.lastIndexOf(' ') + 1, line.indexOf('[')), 0L);
      } else if (line.endsWith(":")) {
        labels.put(line.substring(0, line.length() - 1), lines.size());
      } else if (!line.isEmpty() && !line.startsWith(".") && line.endsWith(";")) {
        lines.add(line.substring(0, line.length() - 1));
      }
    }
    for (String line : lines) {
      steps.add(parse(line, steps.size()));
    }
  }

  private void table(String line) {
    String[] words = line.split("\\s+");
    String type = words[3].substring(1);
    int width = Integer.parseInt(type.substring(1)) / 8;
    String name = words[4].substring(0, words[4].indexOf('['));
    String[] entries = line.substring(line.indexOf('{') + 1, line.indexOf('}')).split(",");
    long address = arena.allocate((long) entries.length * width + 16, 16).address();
    for (int i = 0; i < entries.length; i++) {
      store(width, address + (long) i * width, constant(entries[i].strip()));
    }
    tables.put(name, address);
  }

  private int register(String name) {
    return registers.computeIfAbsent(name, n -> registers.size());
  }

  @Override
  public synchronized void run(int blocks, int threads, long[] arguments) {
    args = arguments;
    try (Arena ofBlock = Arena.ofConfined()) {
      MemorySegment memory = ofBlock.allocate(Math.max(8, sharedBytes), 8);
      shared = memory.address();
      runBlocks(blocks, threads, memory);
    }
  }

  private void runBlocks(int blocks, int threads, MemorySegment memory) {
    for (int block = 0; block < blocks; block++) {
      memory.fill((byte) 0x5A);
      for (int from = 0; from < threads; from += WARP) {
        Lane[] warp = new Lane[WARP];
        for (int lane = 0; lane < WARP; lane++) {
          warp[lane] = new Lane(registers.size());
          Arrays.fill(warp[lane].registers, 0x5A5A_5A5A_5A5A_5A5AL);
          warp[lane].registers[blockRegister] = block;
          warp[lane].registers[threadRegister] = (long) from + lane;
          warp[lane].registers[blocksRegister] = blocks;
          warp[lane].registers[threadsRegister] = threads;
        }
        runWarp(warp);
      }
    }
  }

  private void runWarp(Lane[] warp) {
    while (true) {
      for (Lane thread : warp) {
        while (thread.at < steps.size() && !ballots.containsKey(thread.at)) {
          thread.at = steps.get(thread.at).run(thread);
        }
      }
      int at = warp[0].at;
      for (Lane thread : warp) {
        if (thread.at != at) {
          throw new AssertionError("a warp's threads meet at different ballots");
        }
      }
      if (at >= steps.size()) {
        return;
      }
      Ballot ballot = ballots.get(at);
      long bits = 0;
      for (int lane = 0; lane < WARP; lane++) {
        bits |= ballot.flag.get(warp[lane].registers) << lane;
      }
      for (Lane thread : warp) {
        thread.registers[ballot.target] = bits;
        thread.at = at + 1;
      }
    }
  }

  // Text

  private static long constant(String text) {
    if (text.startsWith("0d")) {
      return Long.parseUnsignedLong(text.substring(2), 16);
    }
    if (text.startsWith("0f")) {
      return Integer.parseUnsignedInt(text.substring(2), 16);
    }
    return text.startsWith("0x") || text.startsWith("0X")
        ? Long.parseUnsignedLong(text.substring(2), 16)
        : Long.parseLong(text);
  }

  private Operand operand(String text) {
    if (text.startsWith("%")) {
      int register = register(text);
      return r -> r[register];
    }
    Long table = tables.get(text);
    long value = table == null ? constant(text) : table;
    return r -> value;
  }

  private Step parse(String line, int at) {
    String text = line;
    if (!text.startsWith("@")) {
      return step(text, at);
    }
    int space = text.indexOf(' ');
    boolean inverted = text.startsWith("@!");
    int guard = register(text.substring(inverted ? 2 : 1, space));
    Step guarded = step(text.substring(space + 1), at);
    long wanted = inverted ? 0 : 1;
    return thread -> thread.registers[guard] == wanted ? guarded.run(thread) : thread.at + 1;
  }

  private static String[] operands(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    StringBuilder part = new StringBuilder();
    for (char c : text.toCharArray()) {
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (c == ',' && depth == 0) {
        parts.add(part.toString().strip());
        part.setLength(0);
      } else {
        part.append(c);
      }
    }
    parts.add(part.toString().strip());
    return parts.toArray(new String[0]);
  }

  private static String inner(String text) {
    return text.substring(1, text.length() - 1);
  }

  private Step step(String text, int at) {
    int space = text.indexOf(' ');
    String op = space < 0 ? text : text.substring(0, space);
    String[] o = operands(space < 0 ? "" : text.substring(space + 1));
    int next = at + 1;
    if (op.equals("ret")) {
      return thread -> Integer.MAX_VALUE;
    }
    if (op.equals("bra")) {
      return thread -> label(o[0]);
    }
    if (op.equals("vote.sync.ballot.b32")) {
      ballots.put(at, new Ballot(operand(o[1]), register(o[0])));
      return thread -> next;
    }
    if (op.equals("bar.warp.sync")) {
      ballots.put(at, new Ballot(r -> 0, register("%unused")));
      return thread -> next;
    }
    if (op.equals("ld.shared.u64")) {
      return loadShared(o, next);
    }
    if (op.equals("st.shared.u64")) {
      return storeShared(o, next);
    }
    if (op.startsWith("ld.param")) {
      return loadParameter(o, next);
    }
    if (op.startsWith("ld.global") || op.startsWith("atom.")) {
      return load(op, o, next);
    }
    if (op.startsWith("st.global")) {
      return store(op, o, next);
    }
    if (op.equals("red.global.min.u32")) {
      return reduceMin(o, next);
    }
    if (op.startsWith("red.global.add")) {
      return reduceAdd(op, o, next);
    }
    if (op.equals("mov.b64") && o[0].startsWith("{")) {
      return unpack(o, next);
    }
    return op.equals("mov.b64") && o[1].startsWith("{") ? pack(o, next) : compute(op, o, next);
  }

  private Step loadParameter(String[] o, int next) {
    int argument = Integer.parseInt(inner(o[1]).substring(1));
    int target = register(o[0]);
    return thread -> {
      thread.registers[target] = args[argument];
      return next;
    };
  }

  /** A load, and what an {@code atom.add} adds behind it. */
  private Step load(String op, String[] o, int next) {
    int target = register(o[0]);
    Operand address = operand(inner(o[1]));
    Operand added = o.length > 2 ? operand(o[2]) : null;
    String type = op.substring(op.lastIndexOf('.') + 1);
    return thread -> {
      long place = aligned(address.get(thread.registers), bits(op) / 8);
      thread.registers[target] = load(type, place);
      if (added != null) {
        Mem.putLong(place, Mem.getLong(place) + added.get(thread.registers));
      }
      return next;
    };
  }

  private Step reduceAdd(String op, String[] o, int next) {
    Operand address = operand(inner(o[0]));
    Operand added = operand(o[1]);
    int width = bits(op) / 8;
    return thread -> {
      long place = aligned(address.get(thread.registers), width);
      if (width == 4) {
        Mem.putInt(place, Mem.getInt(place) + (int) added.get(thread.registers));
      } else {
        Mem.putLong(place, Mem.getLong(place) + added.get(thread.registers));
      }
      return next;
    };
  }

  private Step loadShared(String[] o, int next) {
    int target = register(o[0]);
    Operand place = operand(inner(o[1]));
    return thread -> {
      thread.registers[target] = Mem.getLong(aligned(shared + place.get(thread.registers), 8));
      return next;
    };
  }

  private Step storeShared(String[] o, int next) {
    Operand place = operand(inner(o[0]));
    Operand value = operand(o[1]);
    return thread -> {
      long[] registers = thread.registers;
      Mem.putLong(aligned(shared + place.get(registers), 8), value.get(registers));
      return next;
    };
  }

  private Step store(String op, String[] o, int next) {
    Operand address = operand(inner(o[0]));
    Operand value = operand(o[1]);
    int width = bits(op) / 8;
    return thread -> {
      store(width, aligned(address.get(thread.registers), width), value.get(thread.registers));
      return next;
    };
  }

  private Step reduceMin(String[] o, int next) {
    Operand address = operand(inner(o[0]));
    Operand value = operand(o[1]);
    return thread -> {
      long word = aligned(address.get(thread.registers), 4);
      int known = Mem.getInt(word);
      int mine = (int) value.get(thread.registers);
      Mem.putInt(word, Integer.compareUnsigned(mine, known) < 0 ? mine : known);
      return next;
    };
  }

  /** The halves of a register of 64 bits. */
  private Step unpack(String[] o, int next) {
    String[] halves = inner(o[0]).split(",");
    int low = register(halves[0].strip());
    int high = register(halves[1].strip());
    Operand value = operand(o[1]);
    return thread -> {
      long bits = value.get(thread.registers);
      thread.registers[low] = (int) bits;
      thread.registers[high] = bits >> 32;
      return next;
    };
  }

  private Step pack(String[] o, int next) {
    int target = register(o[0]);
    String[] halves = inner(o[1]).split(",");
    Operand low = operand(halves[0].strip());
    Operand high = operand(halves[1].strip());
    return thread -> {
      thread.registers[target] =
          low.get(thread.registers) & 0xFFFFFFFFL | high.get(thread.registers) << 32;
      return next;
    };
  }

  private Step compute(String op, String[] o, int next) {
    int target = register(o[0]);
    Operand a = operand(o[1]);
    Operand b = o.length > 2 ? operand(o[2]) : r -> 0;
    Operand c = o.length > 3 ? operand(o[3]) : r -> 0;
    PtxOperations.Operation operation = PtxOperations.of(op);
    return thread -> {
      long[] r = thread.registers;
      r[target] = operation.apply(a.get(r), b.get(r), c.get(r));
      return next;
    };
  }

  private int label(String name) {
    Integer at = labels.get(name);
    if (at == null) {
      throw new AssertionError("there is no label " + name);
    }
    return at;
  }

  /** The width of an instruction's last type. */
  private static int bits(String op) {
    return Integer.parseInt(op.substring(op.lastIndexOf('.') + 2));
  }

  private static long aligned(long address, int width) {
    if (address == 0 || (address & width - 1) != 0) {
      throw new AssertionError("an access of %d bytes at %x".formatted(width, address));
    }
    return address;
  }

  private static long load(String type, long address) {
    return switch (type) {
      case "s8" -> Mem.getByte(address);
      case "u8" -> Mem.getByte(address) & 0xFF;
      case "s16" -> Mem.getShort(address);
      case "u16" -> Mem.getShort(address) & 0xFFFF;
      case "u32", "f32" -> Mem.getInt(address);
      case "u64", "f64" -> Mem.getLong(address);
      default -> throw new AssertionError("a load of " + type);
    };
  }

  private static void store(int width, long address, long bits) {
    switch (width) {
      case 1 -> Mem.putByte(address, (byte) bits);
      case 2 -> Mem.putShort(address, (short) bits);
      case 4 -> Mem.putInt(address, (int) bits);
      default -> Mem.putLong(address, bits);
    }
  }
}
