package io.aragonite.adapter.server;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.content.ContentSourceCompletableFuture;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request, read as it comes: no thread waits for it. It ends with {@link
 * HttpException.RuntimeException} if it is too long or comes too slowly, or if requests have too
 * many bytes already.
 */
final class BodyReader extends ContentSourceCompletableFuture<byte[]> {
  /** Bytes of a request; a statement with many parameters has some kilobytes. */
  private static final int MAX_REQUEST = 64 << 20;

  /** Bytes that are set aside at once, for a small request and for more of a large one. */
  private static final int FIRST_PART = 1 << 10;

  private static final int PART = 16 << 10;

  /** Bytes that come each second at least, once the client's time for small requests is over. */
  private static final int SLOW_BYTES = 1 << 10;

  private final RequestMemory.Share memory;
  private final long most;
  private final long patience;
  private final List<byte[]> full = new ArrayList<>();
  private byte[] part = new byte[0];
  private int inPart;
  private long size;

  /** Since when bytes are counted, and how many have come since. */
  private long since = System.nanoTime();

  private long sizeThen;

  /**
   * A reader that begins with {@link #parse()}.
   *
   * @param memory whose bytes these are; the caller closes it when the request has been answered
   * @param mostOfUser bytes that the user may have at all
   * @param patience in each such time so many bytes come that the client is not slow
   */
  BodyReader(
      Content.Source source, RequestMemory.Share memory, long mostOfUser, Duration patience) {
    super(source, Invocable.InvocationType.BLOCKING);
    this.memory = memory;
    this.most = Math.min(MAX_REQUEST, mostOfUser);
    this.patience = patience.toNanos();
  }

  /**
   * Refuses what says that it is too long before any of it is read.
   *
   * @param length -1 if the client does not say
   */
  void requireLength(long length) {
    if (length > most) {
      throw new HttpException.RuntimeException(
          HttpStatus.PAYLOAD_TOO_LARGE_413, "A request may have %,d bytes.".formatted(most));
    }
  }

  @Override
  protected byte @Nullable [] parse(Content.Chunk chunk) {
    ByteBuffer bytes = chunk.getByteBuffer();
    requireLength(size + bytes.remaining());
    add(bytes);
    if (chunk.isLast()) {
      return joined();
    }
    requireSpeed();
    return null;
  }

  private void add(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      if (inPart == part.length) {
        next();
      }
      int more = Math.min(bytes.remaining(), part.length - inPart);
      bytes.get(part, inPart, more);
      inPart += more;
      size += more;
    }
  }

  private void next() {
    int length = part.length == 0 ? FIRST_PART : PART;
    memory.add(length);
    if (inPart > 0) {
      full.add(part);
    }
    part = new byte[length];
    inPart = 0;
  }

  private byte[] joined() {
    byte[] body = new byte[(int) size];
    int end = 0;
    for (byte[] bytes : full) {
      System.arraycopy(bytes, 0, body, end, bytes.length);
      end += bytes.length;
    }
    System.arraycopy(part, 0, body, end, inPart);
    full.clear();
    return body;
  }

  private void requireSpeed() {
    long now = System.nanoTime();
    long nanos = now - since;
    if (nanos < patience) {
      return;
    }
    if ((size - sizeThen) * 1e9 / nanos < SLOW_BYTES) {
      throw tooSlow();
    }
    since = now;
    sizeThen = size;
  }

  private static HttpException.RuntimeException tooSlow() {
    return new HttpException.RuntimeException(
        HttpStatus.REQUEST_TIMEOUT_408, "The request came too slowly.");
  }

  /** What the reader has ended with, as clients are told it. */
  static Throwable told(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof TimeoutException) {
        return tooSlow();
      }
      if (cause instanceof HttpException.RuntimeException || cause instanceof EofException) {
        return cause;
      }
    }
    return failure;
  }
}
