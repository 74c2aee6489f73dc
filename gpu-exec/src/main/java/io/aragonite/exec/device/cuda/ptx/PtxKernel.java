package io.aragonite.exec.device.cuda.ptx;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that runs a thread a row: its PTX text, and what its arguments are, all 64-bit. Blocks
 * have {@link #THREADS} threads and cover so many rows. Kernels are cached by their code, so that
 * identity is equality.
 */
public final class PtxKernel {
  /** The name of the entry point. */
  public static final String ENTRY = "ara_rows";

  /** Threads, and rows, of a block. */
  public static final int THREADS = 256;

  /**
   * What an assembler has made of a kernel.
   *
   * @param target the GPU and driver that it is for
   */
  record MachineCode(String target, byte[] bytes) {}

  private final String key;
  private final String text;
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
      String key, String text, List<KernelArgument> slots, @Nullable MachineCode machineCode) {
    this.key = key;
    this.text = text;
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

  /** The module in PTX. */
  public String text() {
    return text;
  }

  /** The same for the GPU's interpreter; none if there is an instruction that it lacks. */
  public Optional<PtxBytecode> bytecode() {
    Optional<PtxBytecode> known = bytecode;
    if (known == null) {
      known = PtxBytecode.of(text);
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
