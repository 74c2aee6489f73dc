package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryReservation;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.util.Arrays;

/** A column of values within lists, structs and maps: its levels, and where its values are. */
final class ShreddedLeaf implements EntryLevels {
  private static final int BYTE_MASK = 0xFF;

  private final DataType type;
  private final Storage storage;
  private final int mostDefinition;
  private final int mostRepetition;
  private final MemoryReservation account;

  // By entry.
  private byte[] definitions;
  private byte[] repetitions;
  private int entries;

  // By value.
  private long[] values;
  private int[] lengths;
  private int count;

  // By row: where the next one begins.
  private final int[] entryEnds;
  private final int[] valueEnds;
  private int rows;

  private int[] page = new int[0];
  private long counted;

  /**
   * @param mostDefinition the definition level of a value
   * @param mostRepetition the lists that it is in
   * @param mostRows which it will have
   */
  ShreddedLeaf(
      DataType type,
      int mostDefinition,
      int mostRepetition,
      int mostRows,
      MemoryReservation account) {
    this.type = type;
    this.storage = Storage.of(type);
    this.mostDefinition = mostDefinition;
    this.mostRepetition = mostRepetition;
    this.account = account;
    count(2L * Integer.BYTES * (mostRows + 1));
    this.entryEnds = new int[mostRows + 1];
    this.valueEnds = new int[mostRows + 1];
    int room = Math.max(16, mostRows);
    count(entryBytes() * room);
    this.definitions = new byte[room];
    this.repetitions = new byte[mostRepetition > 0 ? room : 0];
    count(valueBytes() * room);
    this.values = new long[room];
    this.lengths = new int[storage == Storage.BYTES ? room : 0];
  }

  private long entryBytes() {
    return mostRepetition > 0 ? 2 : 1;
  }

  private long valueBytes() {
    return storage == Storage.BYTES ? Long.BYTES + Integer.BYTES : Long.BYTES;
  }

  private void count(long bytes) {
    account.add(bytes);
    counted += bytes;
  }

  private static int larger(int room) {
    return (int) Math.min(Integer.MAX_VALUE - 8L, 2L * room);
  }

  private void entry(int repetition, int definition) {
    if (entries == definitions.length) {
      int room = larger(entries);
      count(entryBytes() * (room - entries));
      definitions = Arrays.copyOf(definitions, room);
      if (mostRepetition > 0) {
        repetitions = Arrays.copyOf(repetitions, room);
      }
    }
    definitions[entries] = (byte) definition;
    if (mostRepetition > 0) {
      repetitions[entries] = (byte) repetition;
    }
    entries++;
  }

  /** Adds an entry that has no value. */
  void missing(int repetition, int definition) {
    entry(repetition, definition);
  }

  /** Adds a value, and returns where its bytes end. */
  long value(int repetition, long at) {
    entry(repetition, mostDefinition);
    if (count == values.length) {
      int room = larger(count);
      count(valueBytes() * (room - count));
      values = Arrays.copyOf(values, room);
      if (storage == Storage.BYTES) {
        lengths = Arrays.copyOf(lengths, room);
      }
    }
    int i = count++;
    switch (storage) {
      case BYTE -> values[i] = Mem.getByte(at);
      case SHORT -> values[i] = Mem.getShort(at);
      case INT, FLOAT -> values[i] = Mem.getInt(at);
      case LONG128 -> values[i] = at;
      case BYTES -> {
        int length = Mem.getInt(at);
        lengths[i] = length;
        values[i] = at + Integer.BYTES;
        return at + Integer.BYTES + length;
      }
      default -> values[i] = Mem.getLong(at);
    }
    return at + storage.width();
  }

  /** Ends a row. */
  void endRow() {
    rows++;
    entryEnds[rows] = entries;
    valueEnds[rows] = count;
  }

  /** The values; their memory is that of the rows. */
  ChunkEncoder encoder(ParquetField field, EncodeScratch scratch) {
    scratch.reserveCodes(count);
    return switch (field.stored()) {
      case BYTE_ARRAY -> new TextChunk(values, lengths, count, scratch);
      case FIXED_LEN_BYTE_ARRAY -> new WideChunk(values);
      default -> new FixedChunk(field.stored(), values, count, scratch);
    };
  }

  /** What it takes counts no more. */
  void release() {
    account.remove(counted);
    counted = 0;
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public int entries(int from, int to) {
    return entryEnds[to] - entryEnds[from];
  }

  @Override
  public int values(int from, int to) {
    return valueEnds[to] - valueEnds[from];
  }

  @Override
  public void addLevels(int from, int to, int valueCount, NativeBytes out) {
    if (mostRepetition > 0) {
      addLevels(repetitions, from, to, mostRepetition, out);
    }
    addLevels(definitions, from, to, mostDefinition, out);
  }

  private void addLevels(byte[] levels, int from, int to, int most, NativeBytes out) {
    int some = entries(from, to);
    if (page.length < some) {
      count((long) Integer.BYTES * (some - page.length));
      page = new int[some];
    }
    int first = entryEnds[from];
    for (int i = 0; i < some; i++) {
      page[i] = levels[first + i] & BYTE_MASK;
    }
    long start = out.size();
    out.putInt(0);
    BitPacker.runs(page, 0, some, BitPacker.width(most + 1), out);
    Mem.putInt(out.address() + start, (int) (out.size() - start - Integer.BYTES));
  }
}
