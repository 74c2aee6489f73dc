package io.aragonite.exec.device.cuda.ptx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads the PTX that {@link PtxWriter} writes. It is only what kernels for rows consist of;
 * anything else is {@link PtxUntranslatable}.
 */
final class BytecodeReader {
  /** Operations, each with the instructions that are no more than it. */
  private static final String FORMS =
      """
      MOVE mov.b32 mov.b64 mov.u32 mov.u64 mov.f32 mov.f64 cvt.u32.u64
      ADD add.s32 add.s64
      SUBTRACT sub.s32 sub.s64
      MULTIPLY mul.lo.s32 mul.lo.s64
      MULTIPLY_ADD mad.lo.s32
      MULTIPLY_HIGH_S32 mul.hi.s32
      MULTIPLY_HIGH_S64 mul.hi.s64
      MULTIPLY_HIGH_U64 mul.hi.u64
      DIVIDE_S32 div.s32
      DIVIDE_U32 div.u32
      DIVIDE_S64 div.s64
      DIVIDE_U64 div.u64
      MIN_S32 min.s32
      MAX_S32 max.s32
      MIN_S64 min.s64
      MAX_S64 max.s64
      AND and.b32 and.b64 and.pred
      OR or.b32 or.b64 or.pred
      XOR xor.b32 xor.b64 xor.pred
      SHIFT_LEFT shl.b32 shl.b64
      SHIFT_RIGHT_S32 shr.s32
      SHIFT_RIGHT_U32 shr.u32
      SHIFT_RIGHT_S64 shr.s64
      SHIFT_RIGHT_U64 shr.u64
      LEADING_ZEROS clz.b64
      COUNT_BITS popc.b64
      REVERSE_BITS brev.b64
      PERMUTE prmt.b32
      SIGN_EXTEND cvt.s64.s32
      SELECT selp.b32 selp.b64 selp.f32 selp.f64
      ADD_F64 add.rn.f64
      SUBTRACT_F64 sub.rn.f64
      MULTIPLY_F64 mul.rn.f64
      DIVIDE_F64 div.rn.f64
      ADD_F32 add.rn.f32
      SUBTRACT_F32 sub.rn.f32
      MULTIPLY_F32 mul.rn.f32
      DIVIDE_F32 div.rn.f32
      COPY_SIGN copysign.f64
      SQUARE_ROOT sqrt.rn.f64
      FLOOR cvt.rmi.f64.f64
      CEILING cvt.rpi.f64.f64
      S32_TO_F64 cvt.rn.f64.s32
      S64_TO_F64 cvt.rn.f64.s64
      S32_TO_F32 cvt.rn.f32.s32
      S64_TO_F32 cvt.rn.f32.s64
      F32_TO_F64 cvt.f64.f32
      F64_TO_F32 cvt.rn.f32.f64
      F64_TO_S64 cvt.rzi.s64.f64
      F64_TO_S32 cvt.rzi.s32.f64
      F32_TO_S64 cvt.rzi.s64.f32
      F32_TO_S32 cvt.rzi.s32.f32
      LOAD_S8 ld.global.s8 ld.global.nc.s8
      LOAD_U8 ld.global.u8 ld.global.nc.u8
      LOAD_S16 ld.global.s16 ld.global.nc.s16
      LOAD_U16 ld.global.u16 ld.global.nc.u16
      LOAD_32 ld.global.u32 ld.global.nc.u32 ld.global.f32 ld.global.nc.f32
      LOAD_64 ld.global.u64 ld.global.nc.u64 ld.global.f64 ld.global.nc.f64
      STORE_8 st.global.u8
      STORE_16 st.global.u16
      STORE_32 st.global.u32 st.global.f32
      STORE_64 st.global.u64 st.global.f64
      ATOMIC_ADD atom.global.add.u64
      ATOMIC_MIN red.global.min.u32
      BALLOT vote.sync.ballot.b32
      RETURN ret
      """;

  private static final Map<String, BytecodeOperation> OPERATIONS = new HashMap<>();

  static {
    for (String line : FORMS.split("\n", -1)) {
      String[] words = line.split(" ", -1);
      for (int i = 1; i < words.length; i++) {
        OPERATIONS.put(words[i], BytecodeOperation.valueOf(words[0]));
      }
    }
  }

  /**
   * What a comparison of PTX is.
   *
   * @param swapped whether of b with a
   */
  private record Comparison(BytecodeOperation operation, boolean swapped, boolean inverted) {}

  /** By names, of all that have been met. */
  private static final ConcurrentHashMap<String, Comparison> COMPARISONS =
      new ConcurrentHashMap<>();

  private final List<BytecodeInstruction> code = new ArrayList<>();
  private final Map<String, Integer> registers = new HashMap<>();
  private final Map<String, Integer> labels = new HashMap<>();
  private final Map<String, Integer> tables = new HashMap<>();
  private byte[] tableBytes = {};
  private int registerCount;
  private int labelCount;

  /** The operands of the line that is read. */
  private final List<String> operands = new ArrayList<>();

  BytecodeReader(String text) {
    int from = 0;
    while (from < text.length()) {
      int end = text.indexOf('\n', from);
      end = end < 0 ? text.length() : end;
      if (end > from) {
        line(text.substring(text.charAt(from) == '\t' ? from + 1 : from, end));
      }
      from = end + 1;
    }
  }

  List<BytecodeInstruction> code() {
    return code;
  }

  /** Registers that {@link #code} has. */
  int registers() {
    return registerCount;
  }

  int labels() {
    return labelCount;
  }

  /** The tables, one behind the other, each at a multiple of 8. */
  byte[] tables() {
    return tableBytes;
  }

  private void line(String line) {
    int last = line.length() - 1;
    switch (line.charAt(last)) {
      case ':' -> code.add(BytecodeInstruction.label(label(line.substring(0, last))));
      case ';' -> {
        if (line.charAt(0) != '.') {
          instruction(line.substring(0, last));
        } else if (line.startsWith(".global ")) {
          table(line);
        }
      }
      case '}' -> {
        if (last > 0) {
          throw new PtxUntranslatable("a kernel in one line");
        }
      }
      default -> {}
    }
  }

  private void table(String line) {
    String[] words = line.substring(0, line.indexOf('[')).split(" ", -1);
    int width = Integer.parseInt(words[3].substring(2)) / 8;
    String[] entries = line.substring(line.indexOf('{') + 1, line.indexOf('}')).split(",", -1);
    int start = tableBytes.length;
    tables.put(words[4], start);
    ByteBuffer grown =
        ByteBuffer.allocate((start + entries.length * width + 7) & -8)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(tableBytes);
    for (String entry : entries) {
      long value = constant(entry.strip());
      for (int i = 0; i < width; i++) {
        grown.put((byte) (value >> 8 * i));
      }
    }
    tableBytes = grown.array();
  }

  private void instruction(String line) {
    int space = line.indexOf(' ');
    if (line.charAt(0) != '@') {
      plain(line, space);
      return;
    }
    boolean inverted = line.charAt(1) == '!';
    int guard = register(line.substring(inverted ? 2 : 1, space));
    String guarded = line.substring(space + 1);
    if (guarded.startsWith("bra ")) {
      code.add(BytecodeInstruction.jumpIf(guard, inverted, label(guarded.substring(4))));
      return;
    }
    int behind = labelCount++;
    code.add(BytecodeInstruction.jumpIf(guard, !inverted, behind));
    plain(guarded, guarded.indexOf(' '));
    code.add(BytecodeInstruction.label(behind));
  }

  private void plain(String line, int space) {
    String name = space < 0 ? line : line.substring(0, space);
    operands.clear();
    if (space >= 0) {
      split(line, space + 1);
    }
    BytecodeOperation operation = OPERATIONS.get(name);
    if (operation == BytecodeOperation.MOVE && line.indexOf('{') >= 0) {
      halves();
    } else if (operation != null) {
      simple(operation);
    } else if (name.startsWith("setp.")) {
      comparison(name);
    } else if (name.equals("bra")) {
      code.add(BytecodeInstruction.jump(label(operands.getFirst())));
    } else {
      composed(name);
    }
  }

  /** Operands are separated by commas, and in braces there are two. */
  private void split(String line, int from) {
    int start = from;
    while (start < line.length()) {
      int search = line.charAt(start) == '{' ? line.indexOf('}', start) : start;
      int comma = line.indexOf(", ", search);
      int end = comma < 0 ? line.length() : comma;
      operands.add(line.substring(start, end));
      start = end + 2;
    }
  }

  private void simple(BytecodeOperation operation) {
    switch (operation) {
      case MOVE -> move();
      case SELECT -> select();
      case RETURN -> code.add(new BytecodeInstruction(operation, BytecodeInstruction.NONE));
      case STORE_8, STORE_16, STORE_32, STORE_64, ATOMIC_MIN -> {
        BytecodeInstruction store = new BytecodeInstruction(operation, BytecodeInstruction.NONE);
        code.add(operand(operand(store, 0, 0), 1, 1));
      }
      case BALLOT -> add(operation, 1);
      default -> add(operation, operands.size() - 1);
    }
  }

  /** An instruction whose result comes first, before so many operands. */
  private BytecodeInstruction add(BytecodeOperation operation, int count) {
    BytecodeInstruction made = new BytecodeInstruction(operation, register(operands.getFirst()));
    for (int i = 0; i < count; i++) {
      operand(made, i, i + 1);
    }
    code.add(made);
    return made;
  }

  private void move() {
    String from = operands.get(1);
    Integer table = tables.get(from);
    if (from.equals("%ctaid.x")) {
      add(BytecodeOperation.BLOCK, 0);
    } else if (from.equals("%tid.x")) {
      add(BytecodeOperation.THREAD, 0);
    } else if (table != null) {
      add(BytecodeOperation.TABLE, 0).withConstant(0, table);
    } else {
      add(BytecodeOperation.MOVE, 1);
    }
  }

  /** A predicate as a number is what it is. */
  private void select() {
    boolean constants = operands.get(1).charAt(0) != '%' && operands.get(2).charAt(0) != '%';
    long yes = constants ? constant(operands.get(1)) : 0;
    long no = constants ? constant(operands.get(2)) : 0;
    if (yes == 1 && no == 0) {
      operand(add(BytecodeOperation.MOVE, 0), 0, 3);
    } else if (yes == 0 && no == 1) {
      operand(add(BytecodeOperation.XOR, 0), 0, 3).withConstant(1, 1);
    } else {
      add(BytecodeOperation.SELECT, 3);
    }
  }

  /** The instructions that are an operation with a constant. */
  private void composed(String name) {
    switch (name) {
      case "ld.param.u64", "ld.param.f64" -> {
        String parameter = operands.get(1);
        long number = Long.parseLong(parameter, 2, parameter.length() - 1, 10);
        add(BytecodeOperation.ARGUMENT, 0).withConstant(0, number);
      }
      case "cvt.u64.u32" -> add(BytecodeOperation.AND, 1).withConstant(1, 0xFFFFFFFFL);
      case "not.pred" -> add(BytecodeOperation.XOR, 1).withConstant(1, 1);
      case "neg.f64" -> add(BytecodeOperation.XOR, 1).withConstant(1, Long.MIN_VALUE);
      case "neg.f32" -> add(BytecodeOperation.XOR, 1).withConstant(1, 0x80000000L);
      case "abs.f64" -> add(BytecodeOperation.AND, 1).withConstant(1, Long.MAX_VALUE);
      default -> throw new PtxUntranslatable("the instruction " + name);
    }
  }

  /** The halves of 64 bits, taken apart or put together. */
  private void halves() {
    boolean apart = operands.getFirst().charAt(0) == '{';
    String pair = operands.get(apart ? 0 : 1);
    int comma = pair.indexOf(',');
    String low = pair.substring(1, comma).strip();
    String high = pair.substring(comma + 1, pair.length() - 1).strip();
    if (!apart) {
      BytecodeInstruction pack =
          new BytecodeInstruction(BytecodeOperation.PACK, register(operands.getFirst()));
      code.add(operand(operand(pack, 0, low), 1, high));
      return;
    }
    String whole = operands.get(1);
    code.add(operand(new BytecodeInstruction(BytecodeOperation.MOVE, register(low)), 0, whole));
    code.add(
        operand(
                new BytecodeInstruction(BytecodeOperation.SHIFT_RIGHT_U64, register(high)),
                0,
                whole)
            .withConstant(1, 32));
  }

  private void comparison(String name) {
    Comparison known = COMPARISONS.get(name);
    if (known == null) {
      known = comparisonOf(name);
      COMPARISONS.put(name, known);
    }
    BytecodeInstruction made =
        new BytecodeInstruction(
            known.operation,
            register(operands.getFirst()),
            known.inverted,
            BytecodeInstruction.NONE);
    code.add(operand(operand(made, 0, known.swapped ? 2 : 1), 1, known.swapped ? 1 : 2));
  }

  private static Comparison comparisonOf(String name) {
    int dot = name.indexOf('.', 5);
    String condition = name.substring(5, dot);
    String type = name.substring(dot + 1);
    boolean floats = type.charAt(0) == 'f';
    // What is not less may be no number.
    boolean unordered = floats && condition.length() == 3 && !condition.equals("nan");
    String ordered = unordered ? opposite(condition.substring(0, 2)) : condition;
    boolean swapped = ordered.startsWith("g");
    String least = ordered.equals("gt") ? "lt" : ordered.equals("ge") ? "le" : ordered;
    boolean inverted = unordered;
    if (!floats && least.equals("ne")) {
      least = "eq";
      inverted = true;
    } else if (!floats && least.equals("le")) {
      // a <= b is not b < a.
      least = "lt";
      inverted = true;
      swapped = !swapped;
    }
    return new Comparison(comparison(least, type), swapped, inverted);
  }

  private static String opposite(String condition) {
    return switch (condition) {
      case "eq" -> "ne";
      case "ne" -> "eq";
      case "lt" -> "ge";
      case "le" -> "gt";
      case "gt" -> "le";
      case "ge" -> "lt";
      default -> throw new PtxUntranslatable("the condition " + condition);
    };
  }

  private static BytecodeOperation comparison(String condition, String type) {
    // Without the first use of a concatenation in a process, which takes 10 ms.
    return switch (condition.concat(".").concat(type)) {
      case "eq.b32", "eq.s32", "eq.u32" -> BytecodeOperation.EQUAL_32;
      case "eq.b64", "eq.s64", "eq.u64" -> BytecodeOperation.EQUAL_64;
      case "lt.s32" -> BytecodeOperation.LESS_S32;
      case "lt.u32" -> BytecodeOperation.LESS_U32;
      case "lt.s64" -> BytecodeOperation.LESS_S64;
      case "lt.u64" -> BytecodeOperation.LESS_U64;
      case "eq.f64" -> BytecodeOperation.EQUAL_F64;
      case "ne.f64" -> BytecodeOperation.NOT_EQUAL_F64;
      case "lt.f64" -> BytecodeOperation.LESS_F64;
      case "le.f64" -> BytecodeOperation.LESS_EQUAL_F64;
      case "nan.f64" -> BytecodeOperation.UNORDERED_F64;
      case "eq.f32" -> BytecodeOperation.EQUAL_F32;
      case "ne.f32" -> BytecodeOperation.NOT_EQUAL_F32;
      case "lt.f32" -> BytecodeOperation.LESS_F32;
      case "le.f32" -> BytecodeOperation.LESS_EQUAL_F32;
      case "nan.f32" -> BytecodeOperation.UNORDERED_F32;
      default -> throw new PtxUntranslatable("the comparison " + condition + "." + type);
    };
  }

  private BytecodeInstruction operand(BytecodeInstruction made, int place, int from) {
    return operand(made, place, operands.get(from));
  }

  /** Sets an operand; a second constant becomes a register. */
  private BytecodeInstruction operand(BytecodeInstruction made, int place, String text) {
    String plain = text.charAt(0) == '[' ? text.substring(1, text.length() - 1) : text;
    if (plain.charAt(0) == '%') {
      return made.with(place, register(plain));
    }
    long value = constant(plain);
    if (made.takes(value, place)) {
      return made.withConstant(place, value);
    }
    int register = registerCount++;
    code.add(new BytecodeInstruction(BytecodeOperation.MOVE, register).withConstant(0, value));
    return made.with(place, register);
  }

  private int register(String name) {
    Integer known = registers.get(name);
    if (known == null) {
      if (name.charAt(0) != '%' || name.indexOf('.') >= 0) {
        throw new PtxUntranslatable("the register " + name);
      }
      known = registerCount++;
      registers.put(name, known);
    }
    return known;
  }

  private int label(String name) {
    Integer known = labels.get(name);
    if (known == null) {
      known = labelCount++;
      labels.put(name, known);
    }
    return known;
  }

  private static long constant(String text) {
    try {
      if (text.startsWith("0d")) {
        return Long.parseUnsignedLong(text, 2, text.length(), 16);
      }
      if (text.startsWith("0f")) {
        return Integer.parseUnsignedInt(text, 2, text.length(), 16) & 0xFFFFFFFFL;
      }
      return text.startsWith("0x") || text.startsWith("0X")
          ? Long.parseUnsignedLong(text, 2, text.length(), 16)
          : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new PtxUntranslatable("the constant " + text);
    }
  }
}
