package io.aragonite.exec.codegen;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassFileStoreTest {
  private static final String BUILD = "a build";

  @TempDir Path folder;

  private ClassFileStore store() {
    return new ClassFileStore(folder.resolve("code"), BUILD);
  }

  private static byte[] code(int number) {
    byte[] code = new byte[100 + 7 * number];
    new Random(number).nextBytes(code);
    return code;
  }

  private static String text(int number) {
    return "class Text" + number + " { /* ß */ }".repeat(number % 5);
  }

  private void keep(int count) {
    ClassFileStore store = store();
    for (int i = 0; i < count; i++) {
      assertNull(store.find(text(i)));
      store.keep(text(i), code(i));
    }
  }

  @Test
  void laterProcessesFindWhatIsKept() {
    keep(20);
    ClassFileStore later = store();
    for (int i = 0; i < 20; i++) {
      assertArrayEquals(code(i), later.find(text(i)));
    }
    assertNull(later.find(text(20)));
    later.keep(text(20), code(20));
    ClassFileStore last = store();
    assertArrayEquals(code(3), last.find(text(3)));
    assertArrayEquals(code(20), last.find(text(20)));
  }

  @Test
  void textsOfOneHashAreTwo() {
    assertEquals("Aa".hashCode(), "BB".hashCode());
    ClassFileStore store = store();
    store.keep("Aa", code(1));
    ClassFileStore later = store();
    assertNull(later.find("BB"));
    assertArrayEquals(code(1), later.find("Aa"));
  }

  /** Also where both have the same file. */
  @Test
  void anotherBuildFindsNothing() throws IOException {
    keep(2);
    ClassFileStore other = new ClassFileStore(folder.resolve("code"), "another build");
    assertNotEquals(store().file(), other.file());
    assertNull(other.find(text(1)));
    Files.copy(store().file(), other.file());
    ClassFileStore same = new ClassFileStore(folder.resolve("code"), "another build");
    assertNull(same.find(text(1)));
    same.keep(text(1), code(5));
    assertArrayEquals(
        code(5), new ClassFileStore(folder.resolve("code"), "another build").find(text(1)));
    assertArrayEquals(code(1), store().find(text(1)));
  }

  /** A byte that is another one is never a class, and what is kept next is found. */
  @Test
  void whatIsDamagedIsPassedOver() throws IOException {
    keep(3);
    Path file = store().file();
    byte[] whole = Files.readAllBytes(file);
    for (int at = 0; at < whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x41;
      Files.write(file, damaged);
      ClassFileStore store = store();
      int missing = -1;
      for (int i = 0; i < 3; i++) {
        byte[] found = store.find(text(i));
        if (found == null) {
          missing = i;
        } else {
          assertArrayEquals(code(i), found, "byte " + at);
        }
      }
      assertTrue(missing >= 0, "byte " + at);
      store.keep(text(missing), code(missing));
      assertArrayEquals(code(missing), store().find(text(missing)), "byte " + at);
    }
  }

  @Test
  void whatIsCutShortIsPassedOver() throws IOException {
    keep(3);
    Path file = store().file();
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length += 3) {
      Files.write(file, Arrays.copyOf(whole, length));
      ClassFileStore store = store();
      assertNull(store.find(text(2)), "of " + length);
      store.keep(text(2), code(2));
      assertArrayEquals(code(2), store().find(text(2)), "of " + length);
    }
  }

  @Test
  void aFileThatIsTooLargeBeginsAnew() throws IOException {
    keep(1);
    Path file = store().file();
    ClassFileStore store = store();
    store.keep(text(1), new byte[ClassFileStore.MAX_BYTES]);
    assertTrue(Files.size(file) > ClassFileStore.MAX_BYTES);
    ClassFileStore later = store();
    assertNull(later.find(text(0)));
    later.keep(text(2), code(2));
    assertTrue(Files.size(file) < 1000);
    assertArrayEquals(code(2), store().find(text(2)));
  }

  /** Several processes, each with a store of its own. */
  @Test
  void severalAddClassesAtATime() {
    keep(1);
    IntStream.range(0, 4)
        .parallel()
        .forEach(process -> {
          ClassFileStore store = store();
          for (int i = 0; i < 50; i++) {
            store.keep(text(1 + process * 50 + i), code(i));
          }
        });
    ClassFileStore later = store();
    for (int i = 0; i < 200; i++) {
      assertArrayEquals(code(i % 50), later.find(text(1 + i)));
    }
  }

  @Test
  void aFolderThatCannotBeWrittenKeepsNothing() throws IOException {
    Files.writeString(folder.resolve("code"), "a file");
    store().keep(text(1), code(1));
    assertNull(store().find(text(1)));
  }
}
