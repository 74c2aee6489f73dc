package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.RowCode;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The constants of a kernel in one piece of device memory, which a query gets when it first runs
 * the kernel: texts, sets, tables by dictionary code. Numbers are arguments.
 */
final class KernelConstants {
  /** What may be read behind a text. */
  private static final int SPARE = 16;

  private final RowCode code;
  private final long[] values;

  /** Whether a value is a place in the image. */
  private final boolean[] places;

  private final byte[] image;

  /** Where the image has places in itself, to which its address must be added. */
  private final int[] pointers;

  /** The image in the memory of each query; a query's memory frees it. */
  private final Map<QueryMemory, Buffer> uploaded =
      Collections.synchronizedMap(new WeakHashMap<>());

  KernelConstants(RowCode code, PtxKernel kernel) {
    this.code = code;
    List<KernelArgument> slots = kernel.slots();
    this.values = new long[slots.size()];
    this.places = new boolean[slots.size()];
    Image image = new Image();
    for (int i = 0; i < values.length; i++) {
      KernelArgument slot = slots.get(i);
      switch (slot.kind()) {
        case LONG -> {
          byte[] text = code.constantText(slot.index());
          places[i] = text != null;
          values[i] = text == null ? code.constantLong(slot.index()) : image.add(text);
        }
        case DOUBLE -> values[i] = Double.doubleToRawLongBits(code.constantDouble(slot.index()));
        case FIELD -> values[i] = number(field(slot));
        case LENGTH -> values[i] = Array.getLength(field(slot));
        case ARRAY -> {
          places[i] = true;
          values[i] = image.add(code.constantObject(slot.index()), slot.field(), field(slot));
        }
        case PROGRAM -> {
          places[i] = true;
          values[i] = image.add(RowCode.program(code.constantObject(slot.index())));
        }
        default -> {}
      }
    }
    this.image = image.bytes.toByteArray();
    this.pointers = image.pointers.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The value of a field of an object constant; without a name the constant itself. */
  private Object field(KernelArgument slot) {
    Object constant = code.constantObject(slot.index());
    RowCode.prepare(constant);
    if (slot.field().isEmpty()) {
      return constant;
    }
    try {
      Field field = constant.getClass().getDeclaredField(slot.field());
      field.setAccessible(true);
      return field.get(constant);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long number(Object value) {
    return value instanceof Boolean truth ? (truth ? 1 : 0) : ((Number) value).longValue();
  }

  /** Sets those of a kernel's arguments that are constants. */
  void fill(ExecContext context, long[] args) {
    long base = image.length == 0 ? 0 : upload(context).address();
    for (int i = 0; i < values.length; i++) {
      args[i] = places[i] ? base + values[i] : values[i];
    }
  }

  /**
   * Without a lock around it: who waits for memory must not keep another query from giving it back.
   * Two threads of a query may both bring the constants there; either will do.
   */
  private Buffer upload(ExecContext context) {
    QueryMemory memory = context.memory();
    Buffer known = uploaded.get(memory);
    if (known != null) {
      return known;
    }
    Buffer buffer = memory.allocate(image.length);
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long staged = scratch.allocate(image.length).address();
    Mem.copy(image, 0, staged, image.length);
    for (int pointer : pointers) {
      Mem.putLong(staged + pointer, Mem.getLong(staged + pointer) + buffer.address());
    }
    context.device().transfers().toDevice(context, staged, buffer, image.length);
    scratch.release(mark);
    uploaded.put(memory, buffer);
    return buffer;
  }

  /** Bytes that refer to places among themselves. */
  private static final class Image {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final List<Integer> pointers = new ArrayList<>();
    private final Map<String, Long> known = new HashMap<>();

    /** Adds bytes at the next multiple of 8; returns where. */
    long add(byte[] added) {
      if (bytes.size() == 0) {
        // So that no place is 0.
        bytes.writeBytes(new byte[SPARE]);
      }
      long place = bytes.size();
      bytes.writeBytes(added);
      bytes.writeBytes(new byte[SPARE + (-added.length & 7)]);
      return place;
    }

    long add(long[] words) {
      ByteBuffer buffer = ByteBuffer.allocate(8 * words.length).order(ByteOrder.LITTLE_ENDIAN);
      buffer.asLongBuffer().put(words);
      return add(buffer.array());
    }

    long add(Object constant, String field, Object array) {
      // Two constants may be one object.
      String key = System.identityHashCode(constant) + "." + field;
      Long place = known.get(key);
      if (place == null) {
        place = addArray(constant, field, array);
        known.put(key, place);
      }
      return place;
    }

    private long addArray(Object constant, String field, Object array) {
      long[] relocated = RowCode.relocated(constant, field, this::copyOf);
      if (relocated != null) {
        long place = add(relocated);
        for (int i = 0; i < relocated.length; i++) {
          if (relocated[i] != 0) {
            pointers.add((int) place + 8 * i);
          }
        }
        return place;
      }
      return switch (array) {
        case long[] words -> add(words);
        case double[] doubles -> {
          long[] words = new long[doubles.length];
          java.util.Arrays.setAll(words, i -> Double.doubleToRawLongBits(doubles[i]));
          yield add(words);
        }
        case int[] ints -> {
          ByteBuffer buffer = ByteBuffer.allocate(4 * ints.length).order(ByteOrder.LITTLE_ENDIAN);
          buffer.asIntBuffer().put(ints);
          yield add(buffer.array());
        }
        case byte[] given -> add(given);
        case boolean[] bits -> {
          byte[] given = new byte[bits.length];
          for (int i = 0; i < bits.length; i++) {
            given[i] = (byte) (bits[i] ? 1 : 0);
          }
          yield add(given);
        }
        default -> throw new IllegalStateException(array.getClass().getName());
      };
    }

    private long copyOf(long address, long length) {
      byte[] copy = new byte[Math.toIntExact(length)];
      Mem.copy(address, copy, 0, copy.length);
      return add(copy);
    }
  }
}
