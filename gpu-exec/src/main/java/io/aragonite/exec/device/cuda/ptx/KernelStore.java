package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.cuda.ptx.KernelArgument.ArgumentKind;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.profile.CacheFolder;
import io.aragonite.exec.profile.CacheFolder.FolderLimits;
import io.aragonite.exec.profile.ProductBuild;
import io.aragonite.exec.profile.UserCache;
import io.aragonite.exec.settings.EngineSettings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kernels of expressions with their machine code, kept in a folder for later processes, which then
 * neither translate nor assemble them.
 */
public final class KernelStore {
  private static final Logger LOG = LoggerFactory.getLogger(KernelStore.class);

  /** The version is to be raised when the format changes. */
  private static final long FORMAT = CacheFolder.format("AGKN", 3);

  private static final FolderLimits LIMITS = new FolderLimits(4 << 20, 8192, 256L << 20);

  private final CacheFolder folder;
  private final String build;
  private final String target;

  /**
   * @param folder made when something is first kept
   * @param build what translates expressions: another build may make other kernels of them
   * @param target the GPU and driver that code is for
   */
  public KernelStore(Path folder, String build, String target) {
    this.folder = new CacheFolder(folder, ".kernel", FORMAT, LIMITS);
    this.build = build;
    this.target = target;
  }

  /** The one in the user's cache; null if kernels are not kept. */
  public static @Nullable KernelStore ofUser(String target) {
    String build = EngineSettings.current().keepKernels() ? ProductBuild.name() : null;
    return build == null
        ? null
        : new KernelStore(UserCache.folder().resolve("expressions"), build, target);
  }

  private String name(String key) {
    return build + "\n" + target + "\n" + key;
  }

  /** Where a kernel is kept. */
  Path file(String key) {
    return folder.file(name(key));
  }

  /**
   * A kernel with its machine code; null if it is not kept.
   *
   * @param key what the kernel is made of, as {@link PtxKernel#key}
   */
  public @Nullable PtxKernel load(String key) {
    byte[] content = folder.read(name(key));
    try {
      return content == null ? null : read(key, content);
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} is passed over: {}", file(key), AragoniteException.reason(e));
      return null;
    }
  }

  private PtxKernel read(String key, byte[] content) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
    if (!name(key).equals(new String(bytes(in), StandardCharsets.UTF_8))) {
      throw new IOException("it is another kernel");
    }
    String assembled = text(in);
    int rowsPerThread = in.readInt();
    int sharedBytes = in.readInt();
    String interpreted = in.readBoolean() ? text(in) : assembled;
    PtxKernel.KernelTexts texts =
        new PtxKernel.KernelTexts(assembled, rowsPerThread, sharedBytes, interpreted);
    List<KernelArgument> slots = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      slots.add(new KernelArgument(ArgumentKind.valueOf(in.readUTF()), in.readInt(), in.readUTF()));
    }
    return new PtxKernel(key, texts, slots, new PtxKernel.MachineCode(target, bytes(in)));
  }

  private static String text(DataInputStream in) throws IOException {
    return new String(bytes(in), StandardCharsets.US_ASCII);
  }

  private static byte[] bytes(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }

  private static void write(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /**
   * Keeps a kernel.
   *
   * @param code for this store's GPU
   * @return whether it is kept
   */
  public boolean save(PtxKernel kernel, byte[] code) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(content)) {
      write(out, name(kernel.key()).getBytes(StandardCharsets.UTF_8));
      PtxKernel.KernelTexts texts = kernel.texts();
      write(out, texts.assembled().getBytes(StandardCharsets.US_ASCII));
      out.writeInt(texts.rowsPerThread());
      out.writeInt(texts.sharedBytes());
      boolean differ = !texts.interpreted().equals(texts.assembled());
      out.writeBoolean(differ);
      if (differ) {
        write(out, texts.interpreted().getBytes(StandardCharsets.US_ASCII));
      }
      out.writeInt(kernel.slots().size());
      for (KernelArgument slot : kernel.slots()) {
        out.writeUTF(slot.kind().name());
        out.writeInt(slot.index());
        out.writeUTF(slot.field());
      }
      write(out, code);
    } catch (IOException e) {
      throw new IllegalStateException(e); // nothing is written to a file yet
    }
    return folder.write(name(kernel.key()), content.toByteArray());
  }
}
