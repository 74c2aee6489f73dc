package io.aragonite.exec.codegen;

import io.aragonite.exec.vector.ColumnBatch;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Code for single rows as class files, from which another device makes code of its own: a static
 * method {@code row} (see {@link RowWriter}) over a {@link KernelArgs}, whose fields stand for
 * addresses and constants.
 */
public final class RowCode {
  private static final int MAX_CLASSES = 4_000;
  private static final ConcurrentHashMap<String, byte[]> CLASSES = new ConcurrentHashMap<>();

  /** Outputs of a projection in the order of the bits that {@code row} returns. */
  private final int[] places;

  private final Inputs inputs;
  private final CodeConstants.ConstantArrays constants;
  private final Function<Inputs.Pattern, String> writer;
  private final boolean deep;
  private final ConcurrentHashMap<Inputs.Pattern, String> texts = new ConcurrentHashMap<>();

  RowCode(
      int[] places,
      Inputs inputs,
      CodeConstants.ConstantArrays constants,
      Function<Inputs.Pattern, String> writer,
      boolean deep) {
    this.places = places;
    this.inputs = inputs;
    this.constants = constants;
    this.writer = writer;
    this.deep = deep;
  }

  /**
   * Code for a batch, and the addresses of the batch's columns.
   *
   * @param text identifies the code: without constants, the same for the same shapes
   * @param values of each input column that code reads
   * @param ids of each indirection
   */
  public record BoundRowCode(
      String text, long[] values, long[] offsets, long[] validity, long[] ids) {
    /** The class file. */
    public byte[] classFile() {
      if (CLASSES.size() >= MAX_CLASSES) {
        CLASSES.clear();
      }
      return CLASSES.computeIfAbsent(text, KernelCache::classFile);
    }
  }

  public BoundRowCode bind(ColumnBatch batch) {
    KernelArgs args = new KernelArgs();
    Inputs.Pattern pattern = inputs.bind(batch, args);
    String text = texts.computeIfAbsent(pattern, p -> DeepStack.call(deep, () -> writer.apply(p)));
    return new BoundRowCode(text, args.values, args.offsets, args.validity, args.ids);
  }

  /** Whether making code of this needs a large stack, as {@link DeepStack} gives. */
  public boolean isDeep() {
    return deep;
  }

  /** The number of the output whose validity is bit {@code k}. */
  public int place(int k) {
    return places[k];
  }

  public int outputs() {
    return places.length;
  }

  public long constantLong(int index) {
    return constants.longs()[index];
  }

  public double constantDouble(int index) {
    return constants.doubles()[index];
  }

  /** The bytes of a text of which a long constant is the address; null for any other. */
  public byte @Nullable [] constantText(int index) {
    return constants.texts().get(index);
  }

  public int constantObjects() {
    return constants.objects().length;
  }

  public Object constantObject(int index) {
    return constants.objects()[index];
  }

  /** Makes an object's tables complete, since another device cannot fill them as it goes. */
  public static void prepare(Object constant) {
    if (constant instanceof TruthTable table) {
      table.fill();
    }
  }

  /** The form of a constant whose methods are written anew for other devices. */
  public static long[] program(Object constant) {
    return ((ByteMatcher) constant).program();
  }

  /** Copies host memory into what a device will see, and returns where: never 0. */
  @FunctionalInterface
  public interface ConstantCopier {
    long copy(long address, long length);
  }

  /**
   * A table of host addresses as places in a copy of that memory, 0 staying 0; null if the object's
   * field is no such table.
   */
  public static long @Nullable [] relocated(Object constant, String field, ConstantCopier copier) {
    if (constant instanceof NativeDictionary dictionary && field.equals("starts")) {
      long[] starts = dictionary.starts.clone();
      long from = starts[0];
      long copy = copier.copy(from, starts[starts.length - 1] - from);
      for (int i = 0; i < starts.length; i++) {
        starts[i] += copy - from;
      }
      return starts;
    }
    if (constant instanceof TextSet set && field.equals("addresses")) {
      long[] addresses = set.addresses.clone();
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = addresses[i] == 0 ? 0 : copier.copy(addresses[i], set.lengths[i]);
      }
      return addresses;
    }
    return null;
  }
}
