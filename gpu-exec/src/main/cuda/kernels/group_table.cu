// Numbering of distinct words in the order of their first appearance. See CudaGroupTable for the order of launches.
//
// Each word has an entry of 32 bits: the number of its group (top bit 0), or, while a batch is being taken in, NEW
// plus the first row that has the word, as far as is known; all ones if nothing is. So the least of all candidates
// wins by an unsigned minimum, which never touches the number of a group.
//
// Entries lie in an array by word (direct), or behind the words in 16-byte slots (hashed): word (8), entry (4),
// unused (4). A free slot is full of ones; the word that is all ones has the slot behind the others for itself.
#include "agent/hash_table.cuh"
#include "warp/scan.cuh"

namespace ara {

HOST_SHARED struct GroupTablePolicy {
  static constexpr int ITEMS = 4;
  static constexpr int TILE = BlockPolicy::THREADS * ITEMS;
  // Rows of a block of ara_group_first and ara_group_number, a multiple of 32.
  static constexpr int SPAN = 4096;
  // Of the largest table: slot numbers and their complements are told apart by the sign.
  static constexpr u64 MOST_SLOTS = 1ull << 30;
};

// What lies in a slot of a hashed table.
HOST_SHARED struct GroupSlot {
  u64 word;
  u32 entry;
  u32 unused;
};

constexpr int ITEMS = GroupTablePolicy::ITEMS;
constexpr int TILE = GroupTablePolicy::TILE;
constexpr int SPAN = GroupTablePolicy::SPAN;

static_assert(sizeof(GroupSlot) == sizeof(ulonglong2), "slots are loaded as such");

constexpr u32 NEW = 1u << 31;

// Slots visited for a word before the table counts as too full: of tables that are full by half at most, where longer runs of
// taken slots are not to be expected (one in 10^8 tables of 2^27), and of the largest, which may be fuller.
constexpr int MAX_STEPS = 192;
constexpr int MAX_STEPS_LARGEST = 1024;
constexpr u64 LARGEST = GroupTablePolicy::MOST_SLOTS;

// So often a look at whether others have found it so, a power of two.
constexpr int LOOK_STEPS = 16;

HOST_SHARED struct GroupStatus {
  // Slots taken since the batch began.
  u32 claimed;
  // Not zero: the table has to change before the batch can be taken in.
  u32 stop;
  // Whether a row has a word whose group has no number yet.
  u32 pending;
  u32 unused;
  // The greatest word that a direct table has no entry for.
  u64 largest;
};

}  // namespace ara

using namespace ara;

// The bits that occur in words.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_group_bits(const u64* __restrict__ words, u32 count, u64* out) {
  u64 step = (u64)gridDim.x * THREADS;
  u64 bits = 0;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    bits |= words[i];
  }
  u32 low = __reduce_or_sync(~0u, (u32)bits);
  u32 high = __reduce_or_sync(~0u, (u32)(bits >> 32));
  if (lane() == 0) {
    bits = (u64)high << 32 | low;
    if ((bits & ~*(volatile u64*)out) != 0) {
      atomicOr(out, bits);
    }
  }
}

// What is known of a row's word after its entry has been visited.
struct Found {
  u32 out;
  bool pending;
  // Whether this row may be the first of its word.
  bool candidate;
};

// entry: the entry's address; known: its value, which may be older than what is in memory.
__device__ __forceinline__ Found visit(u32* entry, u32 known, u32 row, u32 slot) {
  Found found;
  found.out = known;
  found.pending = false;
  found.candidate = false;
  if (known >= NEW) {
    u32 code = NEW | row;
    if (known > code) {
      known = __ldcg(entry);
      if (known > code) {
        atomicMin(entry, code);
        known = code;
      }
    }
    found.pending = true;
    found.candidate = known == code;
    found.out = ~slot;
  }
  return found;
}

__device__ __forceinline__ void note(const Found& found, u64 i, u32 end, int* out, u32* candidates, GroupStatus* status) {
  if (i < end) {
    out[i] = (int)found.out;
  }
  u32 bits = __ballot_sync(~0u, i < end && found.candidate);
  if (lane() == 0 && i < end) {
    candidates[i / 32] = bits;
  }
  if (__any_sync(~0u, i < end && found.pending) && lane() == 0) {
    if (*(volatile u32*)&status->pending == 0) {
      status->pending = 1;
    }
  }
}

// Rows from..end: out[i] = the group of the word, or the complement of its slot if it has no number yet.
// candidates: a bit a row, whether it may be the first of its word. from is a multiple of TILE.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_group_assign_direct(const u64* __restrict__ words, u32 from, u32 end, u32* entries, u64 capacity, int* out,
                        u32* candidates, GroupStatus* status) {
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
    Found found = {0, false, false};
    if (i < end) {
      if (word[j] < capacity) {
        found = visit(entries + word[j], known[j], (u32)i, (u32)word[j]);
      } else {
        status->stop = 1;
        if (word[j] > *(volatile u64*)&status->largest) {
          atomicMax(&status->largest, word[j]);
        }
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
    Found found = {0, false, false};
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

// The entry of a slot; entries and stride: the first entry's address and the distance of two in 32-bit words.
__device__ __forceinline__ u32* entryOf(u32* entries, int stride, int code) {
  return entries + (u64)(u32)~code * (u32)stride;
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

// Adds a word that is not there, with its entry, to a hashed table.
__device__ __forceinline__ void insert(ulonglong2* slots, u64 mask, int shift, u64 word, u32 entry) {
  u64 slot = mix(word) >> shift;
  while (atomicCAS(&slots[slot].x, FREE, word) != FREE) {
    slot = (slot + 1) & mask;
  }
  *reinterpret_cast<u32*>(&slots[slot].y) = entry;
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
