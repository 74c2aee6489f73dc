// Numbering of distinct words in the order of their first appearance. See CudaGroupTable for the order of launches.
//
// Each word has an entry of 32 bits: the number of its group (top bit 0), or, while a batch is being taken in, NEW
// plus the first row that has the word, as far as is known; all ones if nothing is. So the least of all candidates
// wins by an unsigned minimum, which never touches the number of a group.
//
// Entries lie in an array by word (direct), or behind the words in 16-byte slots (hashed): word (8), entry (4),
// unused (4). A free slot is full of ones; the word that is all ones has the slot behind the others for itself.
#pragma once
#include "agent/hash_table.cuh"

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
};

// What is known of a row's word after its entry has been visited.
struct SlotVisit {
  u32 out;
  bool pending;
  // Whether this row may be the first of its word.
  bool candidate;
};

// entry: the entry's address; known: its value, which may be older than what is in memory.
__device__ __forceinline__ SlotVisit visit(u32* entry, u32 known, u32 row, u32 slot) {
  SlotVisit found;
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

__device__ __forceinline__ void note(const SlotVisit& found, u64 i, u32 end, int* out, u32* candidates, GroupStatus* status) {
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

// The entry of a slot; entries and stride: the first entry's address and the distance of two in 32-bit words.
__device__ __forceinline__ u32* entryOf(u32* entries, int stride, int code) {
  return entries + (u64)(u32)~code * (u32)stride;
}

// Adds a word that is not there, with its entry, to a hashed table.
__device__ __forceinline__ void insert(ulonglong2* slots, u64 mask, int shift, u64 word, u32 entry) {
  u64 slot = mix(word) >> shift;
  while (atomicCAS(&slots[slot].x, FREE, word) != FREE) {
    slot = (slot + 1) & mask;
  }
  *reinterpret_cast<u32*>(&slots[slot].y) = entry;
}

}  // namespace ara
