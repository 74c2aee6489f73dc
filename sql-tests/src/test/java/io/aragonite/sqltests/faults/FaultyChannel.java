package io.aragonite.sqltests.faults;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** A file of {@link FaultyFileSystem} that is open. */
final class FaultyChannel extends FileChannel {
  private final Path path;
  private final FileChannel real;

  FaultyChannel(Path path, FileChannel real) {
    this.path = path;
    this.real = real;
  }

  @FunctionalInterface
  private interface Move {
    int run(ByteBuffer some) throws IOException;
  }

  /** Moves bytes, of what is asked for maybe a part. */
  private int some(String call, ByteBuffer buffer, Move move) throws IOException {
    FileCalls.check(call, path);
    int limit = buffer.limit();
    buffer.limit(buffer.position() + FileCalls.moved(buffer.remaining(), path));
    try {
      return move.run(buffer);
    } finally {
      buffer.limit(limit);
    }
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    return some("read", to, real::read);
  }

  @Override
  public int read(ByteBuffer to, long position) throws IOException {
    return some("read", to, some -> real.read(some, position));
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) throws IOException {
    FileCalls.check("read", path);
    return real.read(to, offset, length);
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return some("write", from, real::write);
  }

  @Override
  public int write(ByteBuffer from, long position) throws IOException {
    return some("write", from, some -> real.write(some, position));
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    FileCalls.check("write", path);
    return real.write(from, offset, length);
  }

  @Override
  public long position() throws IOException {
    return real.position();
  }

  @Override
  public FileChannel position(long position) throws IOException {
    real.position(position);
    return this;
  }

  @Override
  public long size() throws IOException {
    FileCalls.check("measure", path);
    return real.size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    FileCalls.check("cut", path);
    real.truncate(size);
    return this;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    FileCalls.check("force", path);
    real.force(metaData);
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel to) throws IOException {
    FileCalls.check("read", path);
    return real.transferTo(position, count, to);
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long position, long count) throws IOException {
    FileCalls.check("write", path);
    return real.transferFrom(from, position, count);
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    FileCalls.check("map", path);
    return real.map(mode, position, size);
  }

  @Override
  public MemorySegment map(MapMode mode, long position, long size, Arena arena) throws IOException {
    FileCalls.check("map", path);
    return real.map(mode, position, size, arena);
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    return real.lock(position, size, shared);
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    return real.tryLock(position, size, shared);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    real.close();
  }
}
