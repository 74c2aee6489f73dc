// The kernels that number distinct words. See CudaGroupTable for the order of launches.
#include "agent/group_table.cuh"
#include "warp/reduce.cuh"
#include "warp/scan.cuh"

using namespace ara;

// The bits that occur in words.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_group_bits(const u64* __restrict__ words, u32 count, u64* out) {
  u64 step = (u64)gridDim.x * THREADS;
  u64 bits = 0;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    bits |= words[i];
  }
  bits = warp_or(bits);
  if (lane() == 0) {
    if ((bits & ~*(volatile u64*)out) != 0) {
      atomicOr(out, bits);
    }
  }
}

// Rows from..end: out[i] = the group of the word, or the complement of its slot if it has no number yet.
// candidates: a bit a row, whether it may be the first of its word. from is a multiple of TILE.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_group_assign_direct(const u64* __restrict__ words, u32 from, u32 end, u32* entries, u64 capacity, int* out,
                        u32* candidates, GroupStatus* status) {
  // The lanes of a warp must agree, even if the flag is set just now.
  if (__any_sync(~0u, *(volatile u32*)&status->stop != 0)) {
    return;
  }
  u64 first = from + (u64)blockIdx.x * TILE + threadIdx.x;
  u64 word[ITEMS];
  u32 known[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    word[j] = i < end ? __ldcs(words + i) : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    known[j] = word[j] < capacity ? entries[word[j]] : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    SlotVisit found = {0, false, false};
    if (i < end) {
      if (word[j] < capacity) {
        found = visit(entries + word[j], known[j], (u32)i, (u32)word[j]);
      } else if (*(volatile u32*)&status->stop == 0) {
        status->stop = 1;
      }
    }
    note(found, i, end, out, candidates, status);
  }
}

// As above for a hashed table of mask + 1 slots. room: how many more slots may be taken before the table counts as
// too full. cached: whether slots are worth keeping in the SM's own cache.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_group_assign_hashed(const u64* __restrict__ words, u32 from, u32 end, ulonglong2* slots, u64 mask, int shift,
                        u32 room, int cached, int* out, u32* candidates, GroupStatus* status) {
  // The lanes of a warp must agree, even if the flag is set just now.
  if (__any_sync(~0u, *(volatile u32*)&status->stop != 0)) {
    return;
  }
  u64 first = from + (u64)blockIdx.x * TILE + threadIdx.x;
  u64 word[ITEMS];
  u64 place[ITEMS];
  ulonglong2 seen[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    word[j] = i < end ? __ldcs(words + i) : FREE;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    place[j] = word[j] == FREE ? mask + 1 : mix(word[j]) >> shift;
    seen[j] = cached ? __ldca(slots + place[j]) : __ldcg(slots + place[j]);
  }
  u32 claimed = 0;
  int maxSteps = mask + 1 < LARGEST ? MAX_STEPS : MAX_STEPS_LARGEST;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    SlotVisit found = {0, false, false};
    if (i < end) {
      u64 slot = place[j];
      ulonglong2 item = seen[j];
      int steps = 0;
      while (item.x != word[j]) {
        if (item.x == FREE) {
          // What the SM's cache has may be old: ask again before an atomic operation.
          item = __ldcg(slots + slot);
          if (item.x == FREE) {
            u64 before = atomicCAS(&slots[slot].x, FREE, word[j]);
            if (before == FREE) {
              claimed++;
              item.x = word[j];
            } else {
              item.x = before;
            }
            // The entry may have been set since; visit() looks again.
            item.y = ~0ull;
          }
          continue;
        }
        slot = (slot + 1) & mask;
        item = cached ? __ldca(slots + slot) : __ldcg(slots + slot);
        // In a table that has become full nobody finds a place; others have said so before this one has seen it all.
        if ((++steps & (LOOK_STEPS - 1)) == 0 && (steps >= maxSteps || *(volatile u32*)&status->stop != 0)) {
          status->stop = 1;
          break;
        }
      }
      if (item.x == word[j]) {
        found = visit(reinterpret_cast<u32*>(&slots[slot].y), (u32)item.y, (u32)i, (u32)slot);
      }
    }
    note(found, i, end, out, candidates, status);
  }
  claimed = __reduce_add_sync(~0u, claimed);
  if (lane() == 0 && claimed > 0) {
    if (atomicAdd(&status->claimed, claimed) + claimed > room) {
      status->stop = 1;
    }
  }
}

// Leaves the bits of rows that are the first of their word, and counts them for each span.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_group_first(const int* __restrict__ out, u32 count, u32* entries, int stride, u32* candidates, u32* spanCounts) {
  __shared__ u32 total;
  if (threadIdx.x == 0) {
    total = 0;
  }
  __syncthreads();
  u64 begin = (u64)blockIdx.x * SPAN;
  u32 mine = 0;
  for (u64 i = begin + threadIdx.x; i < begin + SPAN; i += THREADS) {
    // Uniform in a warp.
    if (i - lane() >= count) {
      break;
    }
    u32 bits = candidates[i / 32];
    if (bits == 0) {
      continue;
    }
    bool isFirst = (bits >> lane() & 1) != 0 && *entryOf(entries, stride, out[i]) == (NEW | (u32)i);
    u32 firsts = __ballot_sync(~0u, isFirst);
    if (lane() == 0) {
      candidates[i / 32] = firsts;
      mine += __popc(firsts);
    }
  }
  if (lane() == 0 && mine > 0) {
    atomicAdd(&total, mine);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    spanCounts[blockIdx.x] = total;
  }
}

// Numbers the new groups from firstGroup; newRows get their first rows, to which firstRow is added. spanStarts: the
// exclusive sum of ara_group_first's counts.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_group_number(int* out, u32 count, u32* entries, int stride, const u32* __restrict__ firsts,
                 const u64* __restrict__ spanStarts, u32 firstGroup, u32 firstRow, int* newRows) {
  static constexpr int WORDS = SPAN / 32;
  __shared__ u32 before[WORDS];
  __shared__ u32 warpTotals[WORDS / 32];
  u64 begin = (u64)blockIdx.x * SPAN;
  u32 start = (u32)spanStarts[blockIdx.x];
  if (start == (u32)spanStarts[blockIdx.x + 1]) {
    return;
  }
  u32 mine = 0;
  u32 sum = 0;
  if (threadIdx.x < WORDS) {
    mine = begin + 32 * threadIdx.x < count ? __popc(firsts[begin / 32 + threadIdx.x]) : 0;
    sum = warp_inclusive(mine);
    if (lane() == 31) {
      warpTotals[threadIdx.x / 32] = sum;
    }
  }
  __syncthreads();
  if (threadIdx.x < WORDS) {
    sum -= mine;
    for (int w = 0; w < (int)threadIdx.x / 32; w++) {
      sum += warpTotals[w];
    }
    before[threadIdx.x] = sum;
  }
  __syncthreads();
  for (u64 i = begin + threadIdx.x; i < begin + SPAN && i < count; i += THREADS) {
    u32 bits = firsts[i / 32];
    if ((bits >> lane() & 1) != 0) {
      u32 place = start + before[(i - begin) / 32] + __popc(bits & lanes_below());
      newRows[place] = (int)(firstRow + i);
      *entryOf(entries, stride, out[i]) = firstGroup + place;
      out[i] = (int)(firstGroup + place);
    }
  }
}

// The numbers of the rows that were not the first of their word.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_group_resolve(int* out, u32 count, const u32* __restrict__ entries, int stride) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int code[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    code[j] = i < count ? out[i] : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (code[j] < 0) {
      out[i] = (int)__ldg(entries + (u64)(u32)~code[j] * (u32)stride);
    }
  }
}

// Moves all words of a hashed table to a larger one, which is empty.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_group_grow(const ulonglong2* __restrict__ old, u64 oldSlots, ulonglong2* slots, u64 mask, int shift) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < oldSlots) {
    ulonglong2 item = old[i];
    if (item.x != FREE) {
      insert(slots, mask, shift, item.x, (u32)item.y);
    }
  } else if (i == oldSlots) {
    *reinterpret_cast<u32*>(&slots[mask + 1].y) = (u32)old[i].y;
  }
}

// Moves the numbered words of a direct table to a hashed one, which is empty.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_group_to_hashed(const u32* __restrict__ entries, u64 capacity, ulonglong2* slots, u64 mask, int shift) {
  u64 word = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (word < capacity && entries[word] < NEW) {
    insert(slots, mask, shift, word, entries[word]);
  }
}
