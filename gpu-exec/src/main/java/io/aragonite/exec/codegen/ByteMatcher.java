package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.LikePattern;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.Mem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * LIKE over the bytes of UTF-8 text. The pattern is cut at its {@code %} into pieces: a prefix, a
 * suffix, and pieces between them that are searched from left to right, each at its first place,
 * which is all that LIKE needs.
 */
final class ByteMatcher {
  /** Places of a text between two looks whether the query is to end. */
  private static final long LOOK = 1 << 12;

  /** Bytes between the anchors of a literal at most: 32 bits and the next ones have both. */
  private static final int REACH = 3;

  /** Words of a piece in a program before its tokens. */
  private static final int PIECE_WORDS = 9;

  private static final long ONES = 0x0101010101010101L;
  private static final long LOW_BITS = 0x7F7F7F7F7F7F7F7FL;

  /** Letters from the most to the least frequent in English text, for the choice of anchors. */
  private static final String FREQUENT = " etaoinsrhldcumfpgwybvkxjqz";

  /** A piece without {@code %}; tokens are bytes, or ANY for one code point. */
  private static final class Piece {
    final int[] tokens;
    final boolean literal;

    /** Bytes that it takes at least. */
    final int minimum;

    /**
     * Two places of a literal whose bytes are rare, the second at most three behind the first, and
     * these bytes eight times over.
     */
    int first;

    int second;
    long firstBytes;
    long secondBytes;

    Piece(int[] points) {
      int[] bytes = new int[4 * points.length];
      int count = 0;
      boolean plain = true;
      for (int point : points) {
        if (point == LikePattern.ANY) {
          bytes[count++] = LikePattern.ANY;
          plain = false;
        } else {
          for (byte b : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
            bytes[count++] = b & 0xFF;
          }
        }
      }
      tokens = java.util.Arrays.copyOf(bytes, count);
      literal = plain;
      minimum = count;
      if (plain && count > 0) {
        int rare = rarest(0, count, -1);
        int other =
            count > 1
                ? rarest(Math.max(0, rare - REACH), Math.min(count, rare + REACH + 1), rare)
                : rare;
        first = Math.min(rare, other);
        second = Math.max(rare, other);
        firstBytes = ONES * tokens[first];
        secondBytes = ONES * tokens[second];
      }
    }

    /** Its words in a program. */
    void write(long[] program, int start, int literals) {
      int at = start;
      program[at++] = tokens.length;
      program[at++] = literals;
      program[at++] = minimum;
      program[at++] = first;
      program[at++] = firstBytes;
      program[at++] = second;
      program[at++] = secondBytes;
      program[at++] = fourBytes(0) | fourBytes(Math.max(tokens.length - 4, 0)) << 32;
      program[at++] = (1L << 8 * Math.min(tokens.length, 4)) - 1;
      for (int t = 0; t < tokens.length; t++) {
        program[at + t / 2] |= (tokens[t] & 0xFFFFFFFFL) << 32 * (t & 1);
      }
    }

    private long fourBytes(int from) {
      long bytes = 0;
      for (int i = 0; i < Math.min(tokens.length - from, 4); i++) {
        bytes |= (tokens[from + i] & 0xFFL) << 8 * i;
      }
      return bytes;
    }

    private int rarest(int from, int to, int except) {
      int best = -1;
      int bestRank = -1;
      for (int i = from; i < to; i++) {
        int rank = FREQUENT.indexOf(tokens[i]);
        if (i != except && (rank < 0 ? FREQUENT.length() : rank) > bestRank) {
          best = i;
          bestRank = rank < 0 ? FREQUENT.length() : rank;
        }
      }
      return best;
    }

    /** Whether a literal stands at an address. */
    boolean standsAt(long address) {
      for (int i = 0; i < tokens.length; i++) {
        if ((Mem.getByte(address + i) & 0xFF) != tokens[i]) {
          return false;
        }
      }
      return true;
    }

    /** Where a match that starts at an address ends, or -1. */
    long matchAt(long address, long end) {
      long at = address;
      for (int token : tokens) {
        if (at >= end) {
          return -1;
        }
        int b = Mem.getByte(at++) & 0xFF;
        if (token == LikePattern.ANY) {
          while (at < end && (Mem.getByte(at) & 0xC0) == 0x80) {
            at++;
          }
        } else if (token != b) {
          return -1;
        }
      }
      return at;
    }

    /** Where the first match from an address on ends, or -1. */
    long find(long address, long end) {
      return literal ? findLiteral(address, end) : findPattern(address, end);
    }

    private long findPattern(long address, long end) {
      @Nullable StopCheck stopCheck = null;
      for (long at = address; at <= end - minimum; at++) {
        if ((at - address & LOOK - 1) == LOOK - 1) {
          stopCheck = stopCheck == null ? StopCheck.current() : stopCheck;
          stopCheck.work(LOOK * (long) tokens.length);
        }
        // A match starts with a code point, not within one.
        if (at < end && (Mem.getByte(at) & 0xC0) == 0x80) {
          continue;
        }
        long matched = matchAt(at, end);
        if (matched >= 0) {
          return matched;
        }
      }
      return -1;
    }

    private long findLiteral(long address, long end) {
      long last = end - tokens.length;
      long at = address;
      if (last - at >= 7) {
        // Eight places at a time; the last eight overlap those before.
        for (long next = at + LOOK; ; ) {
          if (at >= next) {
            StopCheck.current().work(LOOK);
            next = at + LOOK;
          }
          long x = Mem.getLong(at + first) ^ firstBytes;
          long y = Mem.getLong(at + second) ^ secondBytes;
          long both = x | y;
          long hits = ~((both & LOW_BITS) + LOW_BITS | both | LOW_BITS);
          while (hits != 0) {
            long place = at + (Long.numberOfTrailingZeros(hits) >> 3);
            if (standsAt(place)) {
              return place + tokens.length;
            }
            if (tokens.length >= LOOK) {
              StopCheck.current().work(tokens.length);
            }
            hits &= hits - 1;
          }
          if (at == last - 7) {
            return -1;
          }
          at = Math.min(at + 8, last - 7);
        }
      }
      for (; at <= last; at++) {
        if (standsAt(at)) {
          return at + tokens.length;
        }
      }
      return -1;
    }
  }

  private final Piece prefix;
  private final Piece suffix;
  private final Piece[] middle;

  /** Whether there is a percent sign at all. */
  private final boolean open;

  ByteMatcher(LikePattern pattern) {
    int[] tokens = pattern.tokens();
    List<Piece> pieces = new ArrayList<>();
    int start = 0;
    for (int i = 0; i <= tokens.length; i++) {
      if (i == tokens.length || tokens[i] == LikePattern.MANY) {
        pieces.add(new Piece(java.util.Arrays.copyOfRange(tokens, start, i)));
        start = i + 1;
      }
    }
    open = pieces.size() > 1;
    prefix = pieces.getFirst();
    suffix = pieces.getLast();
    middle =
        pieces.stream()
            .skip(1)
            .limit(Math.max(pieces.size() - 2, 0))
            .filter(piece -> piece.tokens.length > 0)
            .toArray(Piece[]::new);
  }

  /**
   * The pattern as words for matchers on other devices: whether there is a percent sign; the number
   * of pieces; for each piece, prefix first and suffix last, where it starts in bytes. A piece is
   * its number of tokens; how many literals there are from it on before a piece that is none, or
   * the last one of all; minimum; first, firstBytes, second, secondBytes; its first and its last
   * four bytes; a mask of four of its bytes; its tokens, 32 bits each.
   */
  long[] program() {
    List<Piece> pieces = new ArrayList<>();
    pieces.add(prefix);
    if (open) {
      pieces.addAll(List.of(middle));
      pieces.add(suffix);
    }
    int words = 2 + pieces.size();
    for (Piece piece : pieces) {
      words += PIECE_WORDS + (piece.tokens.length + 1) / 2;
    }
    long[] program = new long[words];
    program[0] = open ? 1 : 0;
    program[1] = pieces.size();
    int at = words;
    int literals = 0;
    for (int i = pieces.size() - 1; i >= 0; i--) {
      Piece piece = pieces.get(i);
      // The suffix stands at the end, and is not searched.
      literals = !piece.literal ? 0 : i == pieces.size() - 2 ? 1 : literals + 1;
      at -= PIECE_WORDS + (piece.tokens.length + 1) / 2;
      program[2 + i] = 8L * at;
      piece.write(program, at, literals);
    }
    return program;
  }

  boolean matches(long address, int length) {
    long end = address + length;
    long at = prefix.matchAt(address, end);
    if (at < 0) {
      return false;
    }
    if (!open) {
      return at == end;
    }
    for (Piece piece : middle) {
      at = piece.find(at, end);
      if (at < 0) {
        return false;
      }
    }
    return endsWithSuffix(at, end);
  }

  private boolean endsWithSuffix(long from, long end) {
    if (suffix.literal) {
      return end - from >= suffix.minimum && suffix.standsAt(end - suffix.minimum);
    }
    // The suffix has a fixed number of code points: go back that many.
    long at = end;
    for (int i = suffix.tokens.length - 1; i >= 0; i--) {
      if (at <= from) {
        return false;
      }
      at--;
      int b = Mem.getByte(at) & 0xFF;
      if (suffix.tokens[i] == LikePattern.ANY) {
        while (at > from && (Mem.getByte(at) & 0xC0) == 0x80) {
          at--;
        }
      } else if (suffix.tokens[i] != b) {
        return false;
      }
    }
    return true;
  }
}
