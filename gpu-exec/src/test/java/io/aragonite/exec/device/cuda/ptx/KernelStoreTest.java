package io.aragonite.exec.device.cuda.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.cuda.ptx.KernelArgument.ArgumentKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernels that one process leaves to the next, and what is passed over. */
class KernelStoreTest {
  private static final String TARGET = "sm_90, driver 13000";
  private static final byte[] CODE = {1, 2, 3, -4, 5};
  private static final List<KernelArgument> SLOTS =
      List.of(
          new KernelArgument(ArgumentKind.ROWS),
          new KernelArgument(ArgumentKind.VALUES, 3),
          new KernelArgument(ArgumentKind.ARRAY, 1, "starts"));

  @TempDir private Path temporary;
  private KernelStore store;
  private final PtxKernel kernel =
      new PtxKernel(
          "key 1",
          new PtxKernel.KernelTexts("text of it", 4, 1 << 10, "text of a row"),
          SLOTS,
          null);

  @BeforeEach
  void open() {
    store = new KernelStore(temporary.resolve("kernels"), "build", TARGET);
  }

  @Test
  void aKernelComesBackWithItsCode() {
    assertNull(store.load("key 1"));
    assertTrue(store.save(kernel, CODE));
    PtxKernel kept = Objects.requireNonNull(store.load("key 1"));
    assertEquals("key 1", kept.key());
    assertEquals(kernel.texts(), kept.texts());
    assertEquals(SLOTS, kept.slots());
    assertArrayEquals(CODE, kept.machineCode(TARGET));
    assertNull(kept.machineCode("sm_80, driver 13000"), "code for another GPU");
    assertNull(store.load("key 2"));
    PtxKernel ofRow =
        new PtxKernel("key 2", PtxKernel.KernelTexts.ofRow("text of a row"), SLOTS, null);
    assertTrue(store.save(ofRow, CODE));
    assertEquals(ofRow.texts(), Objects.requireNonNull(store.load("key 2")).texts());
  }

  @Test
  void whatAnotherBuildOrGpuHasKeptIsPassedOver() {
    assertTrue(store.save(kernel, CODE));
    Path folder = temporary.resolve("kernels");
    assertNull(new KernelStore(folder, "another build", TARGET).load("key 1"));
    assertNull(new KernelStore(folder, "build", "sm_80, driver 13000").load("key 1"));
    assertNotNull(new KernelStore(folder, "build", TARGET).load("key 1"));
  }

  @Test
  void damagedFilesArePassedOver() throws IOException {
    assertTrue(store.save(kernel, CODE));
    Path file = store.file("key 1");
    byte[] whole = Files.readAllBytes(file);
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 0x10;
      Files.write(file, damaged);
      assertNull(store.load("key 1"), "byte " + i + " is wrong");
      Files.write(file, Arrays.copyOf(whole, i));
      assertNull(store.load("key 1"), "cut at " + i);
    }
    Files.write(file, whole);
    assertNotNull(store.load("key 1"));
  }

  @Test
  void aFileUnderAnotherNameIsAnotherKernel() throws IOException {
    assertTrue(store.save(kernel, CODE));
    Files.copy(store.file("key 1"), store.file("key 2"));
    assertNull(store.load("key 2"));
  }

  @Test
  void aFolderThatCannotBeWrittenKeepsNothing() throws IOException {
    Path occupied = Files.writeString(temporary.resolve("occupied"), "a file");
    KernelStore none = new KernelStore(occupied, "build", TARGET);
    assertFalse(none.save(kernel, CODE));
    assertNull(none.load("key 1"));
  }
}
