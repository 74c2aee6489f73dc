// A page of a column of a file, decoded by a block: levels to bits, values one behind the other, then to their rows.
//
// A page is what a file says, and may say anything: PageCursor checks lengths, and whatever else is a number in a page is checked
// where it is used. What is wrong is the same in all threads when a function returns it.
#pragma once
#include "agent/hybrid_runs.cuh"
#include "block/byte_tile.cuh"
#include "block/sum.cuh"
#include "thread/load.cuh"
#include "warp/scan.cuh"

namespace ara {

// As EncodedPage of Java.
HOST_SHARED struct PageArgs {
  u64 offset;
  u32 bytes;
  int levelBytes;
  u32 encoding;
  u32 rows;
  u32 firstRow;
  u32 dictionaryFirst;
  u32 dictionaryCount;
  u32 unused;
};

HOST_SHARED enum PageLevels { NO_LEVELS = -1, LENGTH_FIRST = -2 };

HOST_SHARED enum PageCoding { PLAIN, DICTIONARY, DELTA, DELTA_LENGTH, DELTA_STRINGS };

HOST_SHARED enum PageConversion { COPY4, COPY8, WIDEN, BYTES_REVERSED, TEXT_LENGTHS };

// What is the same for all pages of a launch.
struct PageTarget {
  const u8* in;
  const void* dictionary;
  void* values;
  u32* validity;
  u32 form;
  u32 width;

  __device__ __forceinline__ u32 inWidth() const { return form == COPY8 ? 8 : form == BYTES_REVERSED ? width : 4; }

  __device__ __forceinline__ bool wide() const { return form != COPY4 && form != TEXT_LENGTHS; }
};

// Bytes of a page that a thread looks for texts in at a time.
constexpr u32 TEXT_TILE = 8192;

struct PageMemory {
  HybridRuns runs;
  u32 present;
  u32 wrong;
  u32 sums[WARPS];
  u64 longSums[WARPS];
  u64 nextText;
  // Bytes behind differences, and those of their texts.
  u64 left;
  u64 total;
  bool moreTexts;
  u32 tile[tile_words(TEXT_TILE)];
};

// The bits of `word`, of 32 rows from `row` on, into a bitmap whose bits they are 0 in; called by one lane.
__device__ __forceinline__ void or_bits(u32* bitmap, u32 row, u32 word) {
  u32 shift = row & 31;
  if (word << shift != 0) {
    atomicOr(bitmap + (row >> 5), word << shift);
  }
  u32 high = shift == 0 ? 0 : word >> (32 - shift);
  if (high != 0) {
    atomicOr(bitmap + (row >> 5) + 1, high);
  }
}

// Levels to bits of the page's rows; memory.present becomes how many are on.
__device__ __forceinline__ u32 page_levels(PageMemory& memory, PageCursor in, const PageArgs& args, u32* bitmap) {
  const u8* from = in.at;
  u32 ones = 0;
  u32 fault = hybrid(memory.runs, in, from, 1, args.rows, [&](u32 done, u32 end, const HybridRuns& runs) {
    for (u32 row = done + warp() * 32; row < end; row += THREADS) {
      u32 i = row + lane();
      u32 word = __ballot_sync(ALL, i < end && runs.value(from, 1, i) != 0);
      if (lane() == 0) {
        or_bits(bitmap, args.firstRow + row, word);
        ones += __popc(word);
      }
    }
  });
  if (lane() == 0 && ones > 0) {
    atomicAdd(&memory.present, ones);
  }
  __syncthreads();
  return fault;
}

__device__ __forceinline__ bool big_endian(const u8* from, u32 bytes, i64& value) {
  value = bytes == 0 ? 0 : (i64)(signed char)from[0];
  for (u32 i = 1; i < bytes; i++) {
    i64 high = value >> 55;
    if (high != 0 && high != -1) {
      return false;
    }
    value = (i64)((u64)value << 8 | from[i]);
  }
  return true;
}

// The lengths of `count` texts. Each lies in front of its bytes, so that a thread finds one behind the other; it looks
// for them in shared memory, where each step is short.
__device__ __forceinline__ u32 page_lengths(PageMemory& memory, PageCursor in, const PageTarget& target, u32 firstRow, u32 count) {
  u32* to = (u32*)target.values + firstRow;
  u64 bytes = in.left();
  u64 at = 0;
  u32 done = 0;
  do {
    u32 some = (u32)min(bytes - at, (u64)TEXT_TILE);
    const u8* tile = byte_tile(memory.tile, in.at + at, some);
    if (threadIdx.x == 0) {
      u64 place = 0;
      u32 fault = bytes - at < 4 && done < count ? TOO_SHORT : SOUND;
      while (done < count && fault == SOUND && place + 4 <= some) {
        u32 length = bytes4(tile + place);
        place += 4;
        if (length > bytes - at - place) {
          fault = WRONG_LENGTH;
        } else {
          to[done++] = length;
          place += length;
        }
      }
      memory.wrong = fault;
      memory.nextText = at + place;
      memory.moreTexts = done < count && fault == SOUND;
    }
    __syncthreads();
    at = memory.nextText;
  } while (memory.moreTexts);
  return memory.wrong;
}

// `count` values one behind the other, as they come out.
__device__ __forceinline__ u32 page_plain(PageMemory& memory, PageCursor in, const PageTarget& target, u32 firstRow, u32 count) {
  if (target.form == TEXT_LENGTHS) {
    return page_lengths(memory, in, target, firstRow, count);
  }
  const u8* from = in.take((u64)count * target.inWidth());
  if (in.fault != SOUND) {
    return in.fault;
  }
  u32* narrow = (u32*)target.values + firstRow;
  u64* wide = (u64*)target.values + firstRow;
  bool wrong = false;
  switch (target.form) {
    case COPY4:
      for (u32 i = threadIdx.x; i < count; i += THREADS) {
        narrow[i] = bytes4(from + 4ull * i);
      }
      return SOUND;
    case COPY8:
      for (u32 i = threadIdx.x; i < count; i += THREADS) {
        wide[i] = bytes8(from + 8ull * i);
      }
      return SOUND;
    case WIDEN:
      for (u32 i = threadIdx.x; i < count; i += THREADS) {
        wide[i] = (u64)(i64)(int)bytes4(from + 4ull * i);
      }
      return SOUND;
    default:
      for (u32 i = threadIdx.x; i < count; i += THREADS) {
        i64 value;
        wrong |= !big_endian(from + (u64)target.width * i, target.width, value);
        wide[i] = (u64)value;
      }
  }
  if (wrong) {
    memory.wrong = 1;
  }
  __syncthreads();
  return memory.wrong != 0 ? WRONG_DIGITS : SOUND;
}

// The values of indices.
template <class T>
__device__ __forceinline__ u32 page_indices(
    PageMemory& memory, PageCursor in, const PageTarget& target, const PageArgs& args, u32 count) {
  const u8* first = in.take(1);
  u32 width = in.fault == SOUND ? *first : 0;
  if (in.fault != SOUND || width > 32) {
    return in.fault != SOUND ? in.fault : WRONG_WIDTH;
  }
  const u8* page = in.at;
  T* to = (T*)target.values + args.firstRow;
  const T* dictionary = (const T*)target.dictionary + args.dictionaryFirst;
  bool wrong = false;
  u32 fault = hybrid(memory.runs, in, page, width, count, [&](u32 done, u32 end, const HybridRuns& runs) {
    for (u32 i = done + threadIdx.x; i < end; i += THREADS) {
      u32 index = runs.value(page, width, i);
      bool inside = index < args.dictionaryCount;
      wrong |= !inside;
      to[i] = inside ? dictionary[index] : T(0);
    }
  });
  if (fault != SOUND) {
    return fault;
  }
  if (wrong) {
    memory.wrong = 1;
  }
  __syncthreads();
  return memory.wrong != 0 ? WRONG_INDEX : SOUND;
}

// Called by the first warp: steps over blocks of differences, whose sums a scan makes, and puts `wanted` numbers, each by a lane.
template <class Put>
__device__ __forceinline__ u32 warp_differences(PageCursor& in, u32 wanted, Put put) {
  u32 blockValues = in.varint();
  u32 parts = in.varint();
  u32 count = in.varint();
  u64 value = (u64)in.zigzag();
  if (in.fault != SOUND) {
    return in.fault;
  }
  if (parts == 0 || blockValues % parts != 0 || blockValues / parts % 8 != 0 || (blockValues < parts && count > 1)) {
    return WRONG_BLOCKS;
  }
  if (count != wanted) {
    return WRONG_COUNT;
  }
  u32 partValues = blockValues / parts;
  if (lane() == 0) {
    put(0, value);
  }
  for (u32 done = 1; done < count;) {
    u64 least = (u64)in.zigzag();
    const u8* widths = in.take(parts);
    if (in.fault != SOUND) {
      return in.fault;
    }
    for (u32 part = 0; part < parts && done < count; part++) {
      u32 bits = widths[part];
      u32 n = partValues < count - done ? partValues : count - done;
      if (bits > 64) {
        return WRONG_WIDTH;
      }
      // The last part is whole in most files, though only what is used must be there.
      if (((u64)n * bits + 7) / 8 > in.left()) {
        return TOO_SHORT;
      }
      u64 bytes = (u64)partValues * bits / 8;
      const u8* from = in.take(bytes < in.left() ? bytes : in.left());
      for (u32 i = 0; i < n; i += 32) {
        u32 at = i + lane();
        u64 sum = warp_inclusive<u64>(at < n ? least + bits64(from, (u64)at * bits, bits) : 0);
        if (at < n) {
          put(done + at, value + sum);
        }
        value += __shfl_sync(ALL, sum, 31);
      }
      done += n;
    }
  }
  return SOUND;
}

__device__ __forceinline__ u32 page_differences(
    PageMemory& memory, PageCursor in, const PageTarget& target, u32 firstRow, u32 count) {
  if (warp() == 0) {
    bool wide = target.form == COPY8;
    u32 fault = warp_differences(in, count, [&](u32 i, u64 v) {
      if (target.wide()) {
        ((u64*)target.values)[firstRow + i] = wide ? v : (u64)(i64)(int)(u32)v;
      } else {
        ((u32*)target.values)[firstRow + i] = (u32)v;
      }
    });
    if (lane() == 0) {
      memory.wrong = fault;
      memory.left = in.left();
    }
  }
  __syncthreads();
  return memory.wrong;
}

// The lengths of `count` texts whose bytes are behind all of them.
__device__ __forceinline__ u32 page_length_differences(
    PageMemory& memory, PageCursor in, const PageTarget& target, u32 firstRow, u32 count) {
  u32 fault = page_differences(memory, in, target, firstRow, count);
  if (fault != SOUND) {
    return fault;
  }
  const u32* lengths = (const u32*)target.values + firstRow;
  u64 sum = 0;
  bool wrong = false;
  for (u32 i = threadIdx.x; i < count; i += THREADS) {
    wrong |= (int)lengths[i] < 0;
    sum += lengths[i];
  }
  if (threadIdx.x == 0) {
    memory.total = 0;
  }
  __syncthreads();
  if (sum > 0) {
    atomicAdd(&memory.total, sum);
  }
  // The total is there behind it, too.
  wrong = !__syncthreads_and(!wrong);
  return wrong || memory.total > memory.left ? WRONG_LENGTH : SOUND;
}

// The lengths of `count` texts, each of which begins as the one before does. No text is longer than all bytes behind the lengths.
__device__ __forceinline__ u32 page_string_lengths(
    PageMemory& memory, PageCursor in, const PageTarget& target, u32 firstRow, u32 count) {
  if (warp() == 0) {
    u32* to = (u32*)target.values + firstRow;
    PageCursor prefixes = in;
    u64 sum = 0;
    bool wrong = false;
    u32 fault = warp_differences(in, count, [&](u32 i, u64 v) { to[i] = (u32)v; });
    // Other lanes take what a lane has put.
    __syncwarp();
    if (fault == SOUND) {
      fault = warp_differences(in, count, [&](u32 i, u64 v) {
        wrong |= (int)v < 0;
        sum += (u32)v;
        to[i] += (u32)v;
      });
    }
    __syncwarp();
    sum = warp_inclusive<u64>(sum);
    if (__any_sync(ALL, wrong || (lane() == 31 && sum > in.left())) && fault == SOUND) {
      fault = WRONG_LENGTH;
    }
    if (fault == SOUND) {
      wrong = false;
      fault = warp_differences(prefixes, count, [&](u32 i, u64 v) { wrong |= (u32)v > (i == 0 ? 0 : to[i - 1]); });
      if (__any_sync(ALL, wrong) && fault == SOUND) {
        fault = WRONG_PREFIX;
      }
    }
    if (lane() == 0) {
      memory.wrong = fault;
    }
  }
  __syncthreads();
  return memory.wrong;
}

// Moves `present` values, which lie one behind the other, to the rows whose bits are on, the last first; the others become 0.
template <class T>
__device__ __forceinline__ void page_spread(PageMemory& memory, T* to, const u32* bitmap, u32 firstRow, u32 rows, u32 present) {
  u32 left = present;
  for (u32 end = rows; end > left;) {
    u32 begin = (end - 1) / THREADS * THREADS;
    u32 row = begin + threadIdx.x;
    u32 at = firstRow + row;
    // Others write bits of the same words, and a cache could have them from before.
    bool on = row < end && (load_relaxed(bitmap + (at >> 5)) >> (at & 31) & 1);
    u32 ones = __ballot_sync(ALL, on);
    u32 total = block_sum(lane() == 0 ? __popc(ones) : 0, memory.sums);
    u32 from = left - total + __popc(ones & lanes_below());
    for (u32 w = 0; w < warp(); w++) {
      from += memory.sums[w];
    }
    T value = on ? to[from] : T(0);
    // All have read, the sums too, before any writes.
    __syncthreads();
    if (row < end) {
      to[row] = value;
    }
    left -= total;
    end = begin;
    __syncthreads();
  }
}

// Decodes a page; its rows that are null are counted into `nulls`, in thread 0.
__device__ __forceinline__ u32 decode_page(PageMemory& memory, const PageTarget& target, const PageArgs& args, u32& nulls) {
  PageCursor in = {target.in + args.offset, target.in + args.offset + args.bytes, SOUND};
  if (threadIdx.x == 0) {
    memory.present = 0;
    memory.wrong = 0;
  }
  __syncthreads();
  u32 present = args.rows;
  if (args.levelBytes != NO_LEVELS) {
    i64 length = args.levelBytes;
    if (args.levelBytes == LENGTH_FIRST) {
      const u8* first = in.take(4);
      length = in.fault == SOUND ? (int)bytes4(first) : 0;
    }
    // A negative length is longer than any page.
    const u8* levels = in.take((u64)length);
    if (in.fault != SOUND) {
      return in.fault;
    }
    u32 fault = page_levels(memory, PageCursor{levels, in.at, SOUND}, args, target.validity);
    if (fault != SOUND) {
      return fault;
    }
    present = memory.present;
  }
  nulls = args.rows - present;
  u32 fault = SOUND;
  if (present > 0) {
    switch (args.encoding) {
      case PLAIN:
        fault = page_plain(memory, in, target, args.firstRow, present);
        break;
      case DICTIONARY:
        fault = target.wide() ? page_indices<u64>(memory, in, target, args, present)
                              : page_indices<u32>(memory, in, target, args, present);
        break;
      case DELTA_LENGTH:
        fault = page_length_differences(memory, in, target, args.firstRow, present);
        break;
      case DELTA_STRINGS:
        fault = page_string_lengths(memory, in, target, args.firstRow, present);
        break;
      default:
        fault = page_differences(memory, in, target, args.firstRow, present);
    }
  }
  if (fault == SOUND && present < args.rows) {
    // Values are read that other threads have written.
    __syncthreads();
    if (target.wide()) {
      page_spread(memory, (u64*)target.values + args.firstRow, target.validity, args.firstRow, args.rows, present);
    } else {
      page_spread(memory, (u32*)target.values + args.firstRow, target.validity, args.firstRow, args.rows, present);
    }
  }
  return fault;
}

}  // namespace ara
