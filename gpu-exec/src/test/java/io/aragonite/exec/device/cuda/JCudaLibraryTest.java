package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.cuda.ptx.PtxAssembler;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jcuda.LibUtilsCuda;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Test;

/** How JCuda's bindings come by their native libraries. */
class JCudaLibraryTest {
  private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

  /** Loads the one library of JCuda's that needs no GPU, by its class's own initializer. */
  @Test
  void librariesLeaveNothingBehind() throws IOException {
    Set<String> before = left();
    byte[] code =
        PtxAssembler.assemble(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n");
    assertTrue(code.length > 0);
    assertEquals(before, left());
    assertEquals(TEMPORARY, Path.of(System.getProperty("java.io.tmpdir")));
  }

  @Test
  void aLibraryThatIsMissingIsNamed() throws IOException {
    Set<String> before = left();
    UnsatisfiedLinkError error =
        assertThrows(UnsatisfiedLinkError.class, () -> LibUtilsCuda.loadLibrary("JMissing-1"));
    assertTrue(error.getMessage().contains("libJMissing-1.so"), error.getMessage());
    assertEquals(before, left());
  }

  /** The class that loads is this project's, not the one of JCuda's jar. */
  @Test
  void comesBeforeJCuda() {
    assertFalse(place(LibUtilsCuda.class).equals(place(JCudaDriver.class)));
  }

  private static String place(Class<?> type) {
    String file = "/" + type.getName().replace('.', '/') + ".class";
    URL url = Objects.requireNonNull(type.getResource(file));
    return url.toString().replace(file, "");
  }

  /** JCuda's files and folders that lie where temporary files do. */
  private static Set<String> left() throws IOException {
    try (Stream<Path> files = Files.list(TEMPORARY)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("libJ"))
          .collect(Collectors.toSet());
    }
  }
}
