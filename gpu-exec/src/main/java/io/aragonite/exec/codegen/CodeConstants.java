package io.aragonite.exec.codegen;

import io.aragonite.exec.memory.Mem;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The constants of a compiled object, which code reads from arrays: numbers as {@code k3}, doubles
 * as {@code d3}, objects as {@code o3:Type}. Their values never appear in the text of code, so that
 * expressions that differ in constants only share a class.
 */
final class CodeConstants {
  private long[] longs = new long[8];
  private int longCount;
  private double[] doubles = new double[4];
  private int doubleCount;
  private final List<Object> objects = new ArrayList<>();

  /** The bytes behind those longs that are addresses. */
  private final Map<Integer, byte[]> texts = new HashMap<>();

  /** Memory of texts; freed when nothing refers to the compiled object any more. */
  private final Arena arena = Arena.ofAuto();

  String add(long value) {
    if (longCount == longs.length) {
      longs = Arrays.copyOf(longs, 2 * longCount);
    }
    longs[longCount] = value;
    return "k" + longCount++;
  }

  String add(double value) {
    if (doubleCount == doubles.length) {
      doubles = Arrays.copyOf(doubles, 2 * doubleCount);
    }
    doubles[doubleCount] = value;
    return "d" + doubleCount++;
  }

  /** An object, with the Java type under which code sees it. */
  String add(Object value, String javaType) {
    objects.add(value);
    return "o" + (objects.size() - 1) + ":" + javaType;
  }

  /** Bytes in native memory; returns the names of their address and length. */
  String[] add(byte[] bytes) {
    texts.put(longCount, bytes);
    return new String[] {add(copy(arena, bytes)), add((long) bytes.length)};
  }

  static long copy(Arena arena, byte[] bytes) {
    // Eight bytes more, so that readers of whole words stay inside.
    long address = arena.allocate(bytes.length + 8L, 8).address();
    Mem.copy(bytes, 0, address, bytes.length);
    return address;
  }

  /** The name of a constant as code uses it. */
  static String variable(String name) {
    int colon = name.indexOf(':');
    return colon < 0 ? name : name.substring(0, colon);
  }

  /** The declaration that makes a constant's name known in a method. */
  static String declaration(String name) {
    String variable = variable(name);
    String index = variable.substring(1);
    return switch (name.charAt(0)) {
      case 'k' -> "final long " + variable + " = a.longs[" + index + "];\n";
      case 'd' -> "final double " + variable + " = a.doubles[" + index + "];\n";
      default -> {
        String type = name.substring(name.indexOf(':') + 1);
        yield "final " + type + " " + variable + " = (" + type + ") a.objects[" + index + "];\n";
      }
    };
  }

  ConstantArrays freeze() {
    objects.add(arena);
    return new ConstantArrays(
        Arrays.copyOf(longs, longCount),
        Arrays.copyOf(doubles, doubleCount),
        objects.toArray(),
        Map.copyOf(texts));
  }

  /**
   * The arrays that code reads.
   *
   * @param texts the bytes behind those longs that are addresses, by their place among the longs
   */
  record ConstantArrays(
      long[] longs, double[] doubles, Object[] objects, Map<Integer, byte[]> texts) {}
}
