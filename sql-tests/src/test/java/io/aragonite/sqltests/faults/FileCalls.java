package io.aragonite.sqltests.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Which calls of {@link FaultyFileSystem} fail, of those on files below a folder. */
final class FileCalls {
  private static final AtomicLong COUNT = new AtomicLong();
  private static volatile @Nullable Plan plan;
  private static volatile String failed = "";

  /**
   * What happens meanwhile.
   *
   * @param folder whose files are meant
   * @param nth call that fails; 0: none
   * @param onwards whether those behind it fail too
   * @param shortly whether reads and writes move some of what is asked for, never all
   */
  record Plan(Path folder, long nth, boolean onwards, boolean shortly) {}

  private FileCalls() {}

  /** Begins to count, from 1. */
  static void begin(Plan one) {
    COUNT.set(0);
    failed = "";
    plan = one;
  }

  /**
   * From now on all calls do what they say.
   *
   * @return how many there were
   */
  static long end() {
    plan = null;
    return COUNT.get();
  }

  /** The call that has failed, and its file; empty if none has. */
  static String failed() {
    return failed;
  }

  /** Fails where it is this call's turn. */
  static void check(String call, Path path) throws IOException {
    Plan now = plan;
    if (now == null || !path.toAbsolutePath().startsWith(now.folder())) {
      return;
    }
    long number = COUNT.incrementAndGet();
    if (now.nth() > 0 && (number == now.nth() || now.onwards() && number > now.nth())) {
      if (failed.isEmpty()) {
        failed = call + " " + path;
      }
      throw new IOException("Input/output error");
    }
  }

  /** How much of what is asked for a call moves. */
  static int moved(int asked, Path path) {
    Plan now = plan;
    boolean some = now != null && now.shortly() && path.toAbsolutePath().startsWith(now.folder());
    return some ? Math.min(asked, 1 + asked / 3) : asked;
  }
}
