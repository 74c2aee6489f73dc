// Compression of the LZ77 family undone by a block.
//
// An element says how long it is, so that the next one's place follows from it, and it may copy what the one before brought. Both are
// chains, which are doubled instead of walked. Of each byte in a tile of the page it is known where the next element would begin if
// one began there; jumps of 1, 2, 4, ... elements mark all that the first leads to. The sums of their lengths say where their bytes
// go. Each byte that comes out is a literal's, or a copy of a byte before it; links from copy to source are doubled too, until each
// leads to a literal or to what came out of earlier tiles.
#pragma once
#include "block/byte_tile.cuh"
#include "thread/lz_element.cuh"
#include "warp/scan.cuh"

namespace ara {

// Bytes of a page whose elements are looked for together, and those of a thread.
constexpr u32 LZ_TILE = 1024;
constexpr u32 LZ_OWN = LZ_TILE / THREADS;
static_assert(LZ_OWN == 4, "marks of a thread are a word");

// Bytes that come out together, and those of a thread.
constexpr u32 LZ_OUT = 4096;
constexpr u32 LZ_BYTES = LZ_OUT / THREADS;

// The bit of an origin that is an offset; else it is a place in the page.
constexpr u32 LZ_COPY = 1u << 31;

struct LzMemory {
  u32 tile[tile_words(LZ_TILE)];
  // By position in the tile: where elements lead, and bytes that say whether one begins.
  u64 next[THREADS];
  u32 marks[THREADS];
  // Literals and copies of the tile's elements: where their bytes begin, behind what has come out, and where they are from.
  u32 begin[LZ_TILE + 1];
  u32 origin[LZ_TILE];
  u64 sums[WARPS];
  // Of bytes that come out together: bits where a literal or a copy begins, and how many do in the words before.
  u32 begins[LZ_OUT / 32];
  u32 before[LZ_OUT / 32];
  u32 first;
  u16 source[LZ_OUT];
  u8 value[LZ_OUT];
  // Bytes of the tile's elements, the last one's too.
  u32 taken;
  // The first thing that is wrong in a tile, below its position; all ones: nothing.
  u32 wrong;
};

// Marks where elements begin in the tile's first `limit` bytes.
template <class Codec>
__device__ __forceinline__ void lz_marks(LzMemory& memory, const u8* tile, u32 limit) {
  const u16* nexts = (const u16*)memory.next;
  u8* marks = (u8*)memory.marks;
  u32 jump[LZ_OWN];
  u64 packed = 0;
#pragma unroll
  for (u32 i = 0; i < LZ_OWN; i++) {
    u32 at = LZ_OWN * threadIdx.x + i;
    u64 next = at < limit ? Codec::next(tile, at, limit) : limit;
    jump[i] = next < limit ? (u32)next : limit;
    packed |= (u64)jump[i] << 16 * i;
  }
  memory.next[threadIdx.x] = packed;
  memory.marks[threadIdx.x] = threadIdx.x == 0;
  // As many elements are marked as the jumps are long.
  while (!__syncthreads_and(threadIdx.x > 0 || jump[0] == limit)) {
    u32 own = memory.marks[threadIdx.x];
    u32 far[LZ_OWN];
#pragma unroll
    for (u32 i = 0; i < LZ_OWN; i++) {
      far[i] = jump[i] < limit ? nexts[jump[i]] : limit;
    }
    __syncthreads();
    packed = 0;
#pragma unroll
    for (u32 i = 0; i < LZ_OWN; i++) {
      if ((own >> 8 * i & 1) != 0 && jump[i] < limit) {
        marks[jump[i]] = 1;
      }
      jump[i] = far[i];
      packed |= (u64)far[i] << 16 * i;
    }
    memory.next[threadIdx.x] = packed;
  }
}

// The sum of the threads before, and of all.
__device__ __forceinline__ u64 lz_sums(LzMemory& memory, u64 value, u64& total) {
  u64 upTo = warp_inclusive(value);
  if (lane() == 31) {
    memory.sums[warp()] = upTo;
  }
  __syncthreads();
  u64 before = upTo - value;
  total = 0;
#pragma unroll
  for (u32 w = 0; w < WARPS; w++) {
    before += w < warp() ? memory.sums[w] : 0;
    total += memory.sums[w];
  }
  return before;
}

// What is wrong with an element behind `done` bytes, if anything.
template <class Codec>
__device__ __forceinline__ u32 lz_fault(const LzElement& element, u32 fault, u64 done, u32 size) {
  if (fault != SOUND) {
    return fault;
  }
  u64 literals = done + element.literals;
  bool sound = literals + element.copied <= size && (element.copied == 0 || (element.offset > 0 && element.offset <= literals));
  return sound ? SOUND : Codec::WRONG;
}

// Finds the literals and copies of a tile, whose bytes begin at `from`, and returns how many there are; `bytes` becomes how many
// bytes come out. What is wrong is in memory.wrong behind the next barrier.
template <class Codec>
__device__ __forceinline__ u32 lz_parts(
    LzMemory& memory, const PageCursor& page, const u8* from, u32 limit, u32 done, u32 size, u32& bytes) {
  u32 own = memory.marks[threadIdx.x];
  LzElement elements[LZ_OWN];
  u32 faults[LZ_OWN];
  u64 sum = 0;
#pragma unroll
  for (u32 i = 0; i < LZ_OWN; i++) {
    elements[i] = {from, 0, 0, 0};
    faults[i] = SOUND;
    if ((own >> 8 * i & 1) != 0) {
      PageCursor in = {from + LZ_OWN * threadIdx.x + i, page.end, SOUND};
      elements[i] = Codec::take(in);
      faults[i] = in.fault;
      // What is longer than the page is wrong, and must not make the sums wrong.
      if (in.fault != SOUND || elements[i].literals > size || elements[i].copied > size) {
        faults[i] = in.fault != SOUND ? in.fault : Codec::WRONG;
        elements[i] = {from, 0, 0, 0};
      }
      if (in.at - from >= limit) {
        memory.taken = (u32)(in.at - from);
      }
    }
    u32 parts = (elements[i].literals > 0) + (elements[i].copied > 0);
    sum += (u64)parts << 40 | ((u64)elements[i].literals + elements[i].copied);
  }
  u64 total;
  u64 before = lz_sums(memory, sum, total);
  u32 part = (u32)(before >> 40);
  u64 behind = before & ((1ull << 40) - 1);
#pragma unroll
  for (u32 i = 0; i < LZ_OWN; i++) {
    LzElement& element = elements[i];
    u32 fault = lz_fault<Codec>(element, faults[i], done + behind, size);
    if (fault != SOUND) {
      atomicMin(&memory.wrong, (LZ_OWN * threadIdx.x + i) << 8 | fault);
    }
    if (element.literals > 0) {
      memory.begin[part] = (u32)behind;
      memory.origin[part++] = (u32)(element.literal - page.at);
    }
    if (element.copied > 0) {
      memory.begin[part] = (u32)behind + element.literals;
      memory.origin[part++] = LZ_COPY | element.offset;
    }
    behind += (u64)element.literals + element.copied;
  }
  u32 parts = (u32)(total >> 40);
  u64 all = total & ((1ull << 40) - 1);
  bytes = (u32)all;
  if (threadIdx.x == 0) {
    memory.begin[parts] = bytes;
  }
  return parts;
}

// Which literals and copies begin in `count` bytes from `base` on, and which has the first byte.
__device__ __forceinline__ void lz_ranks(LzMemory& memory, u32 parts, u32 base, u32 count) {
  for (u32 word = threadIdx.x; word < LZ_OUT / 32; word += THREADS) {
    memory.begins[word] = 0;
  }
  __syncthreads();
  for (u32 part = threadIdx.x; part < parts; part += THREADS) {
    u32 begin = memory.begin[part];
    if (begin <= base) {
      if (memory.begin[part + 1] > base) {
        memory.first = part;
      }
    } else if (begin - base < count) {
      atomicOr(&memory.begins[(begin - base) >> 5], 1u << (begin - base & 31));
    }
  }
  __syncthreads();
  if (warp() == 0) {
    constexpr u32 WORDS = LZ_OUT / 32 / 32;
    u32 ones = 0;
    for (u32 i = 0; i < WORDS; i++) {
      ones += __popc(memory.begins[WORDS * lane() + i]);
    }
    u32 before = warp_inclusive(ones) - ones;
    for (u32 i = 0; i < WORDS; i++) {
      memory.before[WORDS * lane() + i] = before;
      before += __popc(memory.begins[WORDS * lane() + i]);
    }
  }
  __syncthreads();
}

// Writes `count` bytes from `base` on, behind the `done` that came out of earlier tiles; `page` is where origins are in.
__device__ __forceinline__ void lz_bytes(LzMemory& memory, const u8* page, u8* to, u32 done, u32 base, u32 count) {
  u32 source[LZ_BYTES];
  bool open = false;
#pragma unroll
  for (u32 k = 0; k < LZ_BYTES; k++) {
    u32 i = k * THREADS + threadIdx.x;
    source[k] = i;
    if (i < count) {
      u32 upTo = (2u << (i & 31)) - 1;
      u32 part = memory.first + memory.before[i >> 5] + __popc(memory.begins[i >> 5] & upTo);
      u32 begin = memory.begin[part];
      u32 origin = memory.origin[part];
      u32 within = base + i - begin;
      u32 offset = origin & ~LZ_COPY;
      if (origin < LZ_COPY) {
        memory.value[i] = page[offset + within];
      } else {
        // A copy may run into itself: then its beginning comes again and again.
        i64 from = (i64)begin - offset + (within < offset ? within : within % offset);
        if (from < (i64)base) {
          memory.value[i] = to[(i64)done + from];
        } else {
          source[k] = (u32)from - base;
          open = true;
        }
      }
      memory.source[i] = (u16)source[k];
    }
  }
  while (!__syncthreads_and(!open)) {
    u32 named[LZ_BYTES];
#pragma unroll
    for (u32 k = 0; k < LZ_BYTES; k++) {
      u32 i = k * THREADS + threadIdx.x;
      named[k] = i < count ? memory.source[source[k]] : source[k];
    }
    __syncthreads();
    open = false;
#pragma unroll
    for (u32 k = 0; k < LZ_BYTES; k++) {
      if (named[k] != source[k]) {
        source[k] = named[k];
        memory.source[k * THREADS + threadIdx.x] = (u16)named[k];
        open = true;
      }
    }
  }
#pragma unroll
  for (u32 k = 0; k < LZ_BYTES; k++) {
    u32 i = k * THREADS + threadIdx.x;
    if (i < count) {
      to[done + base + i] = memory.value[source[k]];
    }
  }
  // What has been read is written next, and what has been written is read.
  __syncthreads();
}

// Decompresses a page to exactly `size` bytes at `to`; what is wrong, if anything.
template <class Codec>
__device__ __forceinline__ u32 lz(LzMemory& memory, PageCursor page, u8* to, u32 size) {
  Codec::size(page, size);
  if (page.fault != SOUND) {
    return page.fault;
  }
  const u8* from = page.at;
  u32 done = 0;
  while (from < page.end) {
    u32 limit = (u32)min((u64)(page.end - from), (u64)LZ_TILE);
    if (threadIdx.x == 0) {
      memory.wrong = ~0u;
    }
    const u8* tile = byte_tile(memory.tile, from, limit);
    lz_marks<Codec>(memory, tile, limit);
    u32 bytes;
    u32 parts = lz_parts<Codec>(memory, page, from, limit, done, size, bytes);
    __syncthreads();
    if (memory.wrong != ~0u) {
      return memory.wrong & 0xff;
    }
    from += memory.taken;
    for (u32 base = 0; base < bytes; base += LZ_OUT) {
      u32 count = bytes - base < LZ_OUT ? bytes - base : LZ_OUT;
      lz_ranks(memory, parts, base, count);
      lz_bytes(memory, page.at, to, done, base, count);
    }
    done += bytes;
  }
  return done == size ? SOUND : Codec::WRONG;
}

}  // namespace ara
