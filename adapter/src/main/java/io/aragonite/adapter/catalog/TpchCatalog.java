package io.aragonite.adapter.catalog;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.tpch.TerminalProgress;
import io.aragonite.tpch.TpchData;
import java.io.IOException;
import java.nio.file.Path;

/** Where the data of an embedded TPC-H schema lie; they are generated when first asked for. */
public final class TpchCatalog {
  private TpchCatalog() {}

  /**
   * @throws AragoniteException DISK_FAILED, or CANCELLED if the thread is interrupted
   */
  public static Path directory(double scale, int threads) {
    try {
      return TpchData.ensure(scale, TpchData.defaultCacheRoot(), threads, new TerminalProgress());
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.DISK_FAILED,
          "TPC-H data of scale %s cannot be written to %s: %s"
              .formatted(scale, TpchData.defaultCacheRoot(), FileErrors.reason(e)),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AragoniteException(
          ErrorCode.CANCELLED, "Generating TPC-H data was interrupted.", e);
    } catch (IllegalArgumentException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_PROPERTY,
          "tpch=%s is not valid: %s".formatted(scale, e.getMessage()),
          e);
    }
  }
}
