package io.aragonite.exec.device.cuda.ptx;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that computes rows: its PTX text, and what its arguments are, all 64-bit. A thread of
 * the text that is assembled takes {@link #rowsPerThread} rows, one of the text that is interpreted
 * takes one. Kernels are cached by their code, so that identity is equality.
 */
public final class PtxKernel {
  /** The name of the entry point. */
  public static final String ENTRY = "ara_rows";

  /** Threads of a block. */
  public static final int THREADS = 256;

  /** Rows that a thread adds to its sums at most, about: those of a warp fit 64 bits then. */
  private static final int MOST_THREAD_ROWS = 1 << 15;

  /**
   * What an assembler has made of a kernel.
   *
   * @param target the GPU and driver that it is for
   */
  record MachineCode(String target, byte[] bytes) {}

  /**
   * What a kernel does, in PTX.
   *
   * @param assembled the module whose threads take several rows
   * @param sharedBytes shared memory of a block, whose threads then go through rows in steps of the
   *     whole grid; 0: there is none, and a thread's rows are its own
   * @param interpreted the module of the same arguments whose threads take one row
   */
  record KernelTexts(String assembled, int rowsPerThread, int sharedBytes, String interpreted) {
    /** The same text for both. */
    static KernelTexts ofRow(String text) {
      return new KernelTexts(text, 1, 0, text);
    }
  }

  private final String key;
  private final KernelTexts texts;
  private final List<KernelArgument> slots;
  private final @Nullable MachineCode machineCode;
  private final boolean usesHeap;
  private final boolean mayFail;

  /** Made when it is first asked for. */
  private volatile @Nullable Optional<PtxBytecode> bytecode;

  /**
   * @param key what it is made of: kernels of equal keys are equal
   * @param machineCode what is kept of it; null for none
   */
  PtxKernel(
      String key,
      KernelTexts texts,
      List<KernelArgument> slots,
      @Nullable MachineCode machineCode) {
    this.key = key;
    this.texts = texts;
    this.slots = List.copyOf(slots);
    this.machineCode = machineCode;
    this.usesHeap =
        slots.stream().anyMatch(slot -> slot.kind() == KernelArgument.ArgumentKind.HEAP);
    this.mayFail =
        usesHeap || slots.contains(new KernelArgument(KernelArgument.ArgumentKind.STATUS));
  }

  /** What it is made of. */
  String key() {
    return key;
  }

  /** Its machine code for a GPU and driver; null if it has to be assembled. */
  public byte @Nullable [] machineCode(String target) {
    return machineCode != null && machineCode.target.equals(target) ? machineCode.bytes : null;
  }

  /** The module in PTX, for an assembler. */
  public String text() {
    return texts.assembled;
  }

  /** Rows of each of its threads: a block covers {@link #THREADS} times as many. */
  public int rowsPerThread() {
    return texts.rowsPerThread;
  }

  /**
   * Shared memory of a block. If there is any, threads go through rows in steps of the whole grid,
   * {@link #rowsPerThread} rows a step; else a thread's rows are its own.
   */
  public int sharedBytes() {
    return texts.sharedBytes;
  }

  /**
   * Blocks for so many rows.
   *
   * @param resident how many blocks run at a time
   */
  public long blocks(long rows, long resident) {
    long step = (long) THREADS * rowsPerThread();
    long all = (rows + step - 1) / step;
    return sharedBytes() == 0
        ? all
        : Math.min(all, Math.max(resident, rows / THREADS / MOST_THREAD_ROWS + 1));
  }

  KernelTexts texts() {
    return texts;
  }

  /**
   * The same for the GPU's interpreter, whose threads take one row; none if there is an instruction
   * that it lacks.
   */
  public Optional<PtxBytecode> bytecode() {
    Optional<PtxBytecode> known = bytecode;
    if (known == null) {
      known = PtxBytecode.of(texts.interpreted);
      bytecode = known;
    }
    return known;
  }

  List<KernelArgument> slots() {
    return slots;
  }

  /** Whether it makes new texts, and so needs memory for them. */
  boolean usesHeap() {
    return usesHeap;
  }

  /** Whether rows may turn out to be the host's: the status says so. */
  boolean mayFail() {
    return mayFail;
  }
}
