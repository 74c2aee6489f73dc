// Hash tables of joins: build, lookup, probe. See CudaHashTable for the order of launches.
//
// A build inserts the words, each with its row as id, and notes the slot of each. If the words turn out to
// be unique, that is all. Otherwise the rows of each slot are counted, every used slot gets a range of a list
// and its number as id, and the rows are written to their ranges. Many rows are sorted by their words instead, which
// makes the list at once: counting and writing by slots goes to memory at random three times a row.
#include "table.cuh"

static constexpr int THREADS = 256;
static constexpr int ITEMS = 4;
static constexpr int TILE = THREADS * ITEMS;

// The table is passed as a few numbers whose meaning depends on the layout.
#define TABLE_ARGS u64 address, u64 base, u64 range, u64 mask, int shift, int idBits
#define DIRECT DirectTable{(int*)address, base, range + 1}
#define PACKED PackedTable{(u64*)address, base, range, mask, shift, idBits}
#define WIDE WideTable{(ulonglong2*)address, mask, shift}

// Words of four bytes are signed.
__device__ __forceinline__ u64 wide(u64 word) { return word; }

__device__ __forceinline__ u64 wide(int word) { return (u64)(i64)word; }

__device__ __forceinline__ u64 warpMin(u64 v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
    u64 o = __shfl_down_sync(~0u, v, d);
    v = o < v ? o : v;
  }
  return v;
}

// Bounds of words: out[0] the least and out[1] the complement of the greatest as unsigned numbers, out[2] and
// out[3] the same for words with the top bit flipped (signed order), out[4] the complement of the greatest row id.
// out must be full of 0xFF bytes.
template <class W>
__device__ __forceinline__ void bounds(const W* __restrict__ words, const u32* __restrict__ rows, u32 count, u64* out) {
  u64 low = FREE, high = FREE, signedLow = FREE, signedHigh = FREE, row = FREE;
  u64 step = (u64)gridDim.x * THREADS;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
    u64 w = wide(words[i]);
    u64 s = w ^ (1ull << 63);
    low = min(low, w);
    high = min(high, ~w);
    signedLow = min(signedLow, s);
    signedHigh = min(signedHigh, ~s);
    if (rows != nullptr) {
      row = min(row, ~(u64)rows[i]);
    }
  }
  low = warpMin(low);
  high = warpMin(high);
  signedLow = warpMin(signedLow);
  signedHigh = warpMin(signedHigh);
  row = warpMin(row);
  if (lane() == 0) {
    // Many warps, few that have something new to say.
    volatile u64* known = out;
    if (low < known[0]) atomicMin(out, low);
    if (high < known[1]) atomicMin(out + 1, high);
    if (signedLow < known[2]) atomicMin(out + 2, signedLow);
    if (signedHigh < known[3]) atomicMin(out + 3, signedHigh);
    if (row < known[4]) atomicMin(out + 4, row);
  }
}

// Direct layout: whichever row of a word is stored last stays. The used entries are counted afterwards.
template <class W>
__device__ __forceinline__ void insertDirect(const W* __restrict__ words, const int* __restrict__ rows, u32 count,
                                             int* ids, u64 base, u32* slotOf) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u64 words4[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    words4[j] = i < count ? wide(words[i]) : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      u32 slot = (u32)(words4[j] - base);
      ids[slot] = rows == nullptr ? (int)i : rows[i];
      slotOf[i] = slot;
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_used_direct(const int* __restrict__ ids, u64 entries, u64* claimed) {
  u64 step = (u64)gridDim.x * THREADS;
  u64 used = 0;
  for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < entries; i += step) {
    used += ids[i] >= 0;
  }
  used = warpSum(used);
  if (lane() == 0 && used > 0) {
    atomicAdd(claimed, used);
  }
}

template <class W>
__device__ __forceinline__ void insertPacked(const W* __restrict__ words, const u32* __restrict__ rows, u32 count,
                                             u64* slots, u64 base, u64 mask, int shift, int idBits, u32* slotOf,
                                             u64* claimed) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u64 keys[ITEMS], places[ITEMS], items[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    keys[j] = i < count ? wide(words[i]) - base : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    places[j] = mixWord(keys[j]) >> shift;
    items[j] = __ldcg(slots + places[j]);
  }
  u64 mine = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      u64 slot = places[j];
      u64 item = items[j];
      u64 wanted = keys[j] << idBits | (rows == nullptr ? (u32)i : rows[i]);
      while (true) {
        if (item == FREE) {
          item = atomicCAS(slots + slot, FREE, wanted);
          if (item == FREE) {
            mine++;
            break;
          }
        }
        if (item >> idBits == keys[j]) {
          break;
        }
        slot = (slot + 1) & mask;
        item = __ldcg(slots + slot);
      }
      slotOf[i] = (u32)slot;
    }
  }
  mine = warpSum(mine);
  if (lane() == 0 && mine > 0) {
    atomicAdd(claimed, mine);
  }
}

template <class W>
__device__ __forceinline__ void insertWide(const W* __restrict__ words, const u32* __restrict__ rows, u32 count,
                                           u64* slots, u64 mask, int shift, u32* slotOf, u64* claimed) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u64 keys[ITEMS], places[ITEMS], items[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    keys[j] = i < count ? wide(words[i]) : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    places[j] = keys[j] == FREE ? mask + 1 : mixWord(keys[j]) >> shift;
    items[j] = __ldcg(slots + 2 * places[j]);
  }
  u64 mine = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      u64 slot = places[j];
      u64 item = items[j];
      u32 row = rows == nullptr ? (u32)i : rows[i];
      if (keys[j] == FREE) {
        // Its slot has no word to claim it by; the id tells.
        int* id = reinterpret_cast<int*>(slots + 2 * slot + 1);
        if (__ldcg(id) < 0 && atomicCAS(id, -1, (int)row) < 0) {
          mine++;
        }
      } else {
        while (true) {
          if (item == FREE) {
            item = atomicCAS(slots + 2 * slot, FREE, keys[j]);
            if (item == FREE) {
              *reinterpret_cast<u32*>(slots + 2 * slot + 1) = row;
              mine++;
              break;
            }
          }
          if (item == keys[j]) {
            break;
          }
          slot = (slot + 1) & mask;
          item = __ldcg(slots + 2 * slot);
        }
      }
      slotOf[i] = (u32)slot;
    }
  }
  mine = warpSum(mine);
  if (lane() == 0 && mine > 0) {
    atomicAdd(claimed, mine);
  }
}

// Words of 8 bytes, and with the suffix _4 words of 4 bytes.
#define BUILD(suffix, W)                                                                                        \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                         \
  ara_hash_bounds##suffix(const W* words, const u32* rows, u32 count, u64* out) {                               \
    bounds(words, rows, count, out);                                                                            \
  }                                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                         \
  ara_hash_insert_direct##suffix(const W* words, const int* rows, u32 count, int* ids, u64 base, u32* slotOf) { \
    insertDirect(words, rows, count, ids, base, slotOf);                                                        \
  }                                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                         \
  ara_hash_insert_packed##suffix(const W* words, const u32* rows, u32 count, u64* slots, u64 base, u64 mask,    \
                                 int shift, int idBits, u32* slotOf, u64* claimed) {                            \
    insertPacked(words, rows, count, slots, base, mask, shift, idBits, slotOf, claimed);                        \
  }                                                                                                             \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                         \
  ara_hash_insert_wide##suffix(const W* words, const u32* rows, u32 count, u64* slots, u64 mask, int shift,     \
                               u32* slotOf, u64* claimed) {                                                     \
    insertWide(words, rows, count, slots, mask, shift, slotOf, claimed);                                        \
  }
BUILD(, u64)
BUILD(_4, int)

// counts[slotOf[i]]++ ; counts start at 0.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_count(const u32* __restrict__ slotOf, u32 count, u32* counts) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      countUp(counts, slotOf[i]);
    }
  }
}

// Numbers the used slots, gives each a range of the list and sets its id to its number. Afterwards counts[slot]
// is where its range starts, to be counted up by ara_hash_scatter.
// cursor: used slots so far << 32 | rows so far. most: the largest count.
template <class Table>
__device__ __forceinline__ void assignRanges(const Table& table, u32* counts, u64 slots, u64* cursor,
                                             u32* starts, u32* most) {
  __shared__ u64 warpTotals[THREADS / 32];
  __shared__ u64 tileStart;
  u64 first = ((u64)blockIdx.x * THREADS + threadIdx.x) * ITEMS;
  u32 mine[ITEMS];
  u64 sum = 0;
  u32 largest = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    mine[j] = first + j < slots ? counts[first + j] : 0;
    largest = max(largest, mine[j]);
    sum += mine[j] > 0 ? (1ull << 32) + mine[j] : 0;
  }
  u64 inclusive = sum;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    u64 other = __shfl_up_sync(~0u, inclusive, d);
    inclusive += lane() >= d ? other : 0;
  }
  int warp = threadIdx.x / 32;
  if (lane() == 31) {
    warpTotals[warp] = inclusive;
  }
  largest = __reduce_max_sync(~0u, largest);
  if (lane() == 0 && largest > *(volatile u32*)most) {
    atomicMax(most, largest);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    u64 total = 0;
    for (int w = 0; w < THREADS / 32; w++) {
      u64 t = warpTotals[w];
      warpTotals[w] = total;
      total += t;
    }
    tileStart = total == 0 ? 0 : atomicAdd(cursor, total);
  }
  __syncthreads();
  u64 place = tileStart + warpTotals[warp] + inclusive - sum;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    if (mine[j] > 0) {
      u32 number = (u32)(place >> 32);
      starts[number] = (u32)place;
      counts[first + j] = (u32)place;
      table.setId(first + j, number);
      place += (1ull << 32) + mine[j];
    }
  }
}

#define RANGES(name, table)                                                                          \
  extern "C" __global__ void __launch_bounds__(THREADS)                                              \
  ara_hash_ranges_##name(TABLE_ARGS, u32* counts, u64 slots, u64* cursor, u32* starts, u32* most) {  \
    assignRanges(table, counts, slots, cursor, starts, most);                                        \
  }

// Of many rows, duplicates are found by sorting: keys are distances from the base, values are rows.
template <class W, class K>
__device__ __forceinline__ void sortKeys(const W* __restrict__ words, const u32* __restrict__ rows, u32 count, u64 base,
                                         K* keys, u32* values) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  W some[ITEMS];
  u32 row[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    some[j] = i < count ? __ldcs(words + i) : 0;
    row[j] = rows != nullptr && i < count ? __ldcs(rows + i) : (u32)i;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      __stcs(keys + i, (K)(wide(some[j]) - base));
      __stcs(values + i, row[j]);
    }
  }
}

#define SORT_KEYS(name, W, K)                                                                               \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                     \
  ara_hash_keys_##name(const W* words, const u32* rows, u32 count, u64 base, K* keys, u32* values) {        \
    sortKeys(words, rows, count, base, keys, values);                                                       \
  }
SORT_KEYS(4_4, int, u32)
SORT_KEYS(4_8, int, u64)
SORT_KEYS(8_4, u64, u32)
SORT_KEYS(8_8, u64, u64)

__device__ __forceinline__ void place(const DirectTable& table, u64 key, u32 id) { table.ids[key] = (int)id; }

__device__ __forceinline__ void place(const PackedTable& table, u64 key, u32 id) {
  u64 slot = mixWord(key) >> table.shift;
  while (atomicCAS(table.slots + slot, FREE, key << table.idBits | id) != FREE) {
    slot = (slot + 1) & table.mask;
  }
}

__device__ __forceinline__ void place(const WideTable& table, u64 key, u32 id) {
  u64 slot = key == FREE ? table.mask + 1 : mixWord(key) >> table.shift;
  // The slot of FREE is its own: it is taken as it is.
  while (atomicCAS(&table.slots[slot].x, FREE, key) != FREE && key != FREE) {
    slot = (slot + 1) & table.mask;
  }
  table.setId(slot, id);
}

// Puts distinct keys into an empty table: key n is that of the sorted rows from starts[n] to starts[n + 1], and n its
// id. most: the most rows of a key.
template <class Table, class K>
__device__ __forceinline__ void placeRuns(const Table& table, const K* __restrict__ keys, const u32* __restrict__ starts,
                                          u32 distinct, u32* most) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  u32 start[ITEMS];
  u32 largest = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 n = first + j * THREADS;
    start[j] = n < distinct ? __ldg(starts + n) : 0;
    largest = n < distinct ? max(largest, __ldg(starts + n + 1) - start[j]) : largest;
  }
  u64 key[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    key[j] = first + j * THREADS < distinct ? (u64)__ldg(keys + start[j]) : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 n = first + j * THREADS;
    if (n < distinct) {
      place(table, key[j], (u32)n);
    }
  }
  largest = __reduce_max_sync(~0u, largest);
  if (lane() == 0 && largest > *(volatile u32*)most) {
    atomicMax(most, largest);
  }
}

#define PLACE(name, table, width, K)                                                                        \
  extern "C" __global__ void __launch_bounds__(THREADS)                                                     \
  ara_hash_place_##name##_##width(TABLE_ARGS, const K* keys, const u32* starts, u32 distinct, u32* most) {  \
    placeRuns(table, keys, starts, distinct, most);                                                         \
  }
PLACE(direct, DIRECT, 4, u32)
PLACE(packed, PACKED, 4, u32)
PLACE(packed, PACKED, 8, u64)
PLACE(wide, WIDE, 8, u64)

// The end of the last range.
extern "C" __global__ void ara_hash_seal(u32* starts, u32 distinct, u32 count) { starts[distinct] = count; }

// list[next free place of the row's slot] = row.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_scatter(const u32* __restrict__ slotOf, const u32* __restrict__ rows, u32 count, u32* places,
                 u32* list) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      u32 place = countUp(places, slotOf[i]);
      list[place] = rows == nullptr ? (u32)i : rows[i];
    }
  }
}

template <class Table, class W>
__device__ __forceinline__ void load4(const Table& table, const W* __restrict__ words, u64 first, u32 count,
                                      int (&ids)[ITEMS]) {
  u64 words4[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    words4[j] = i < count ? wide(__ldcs(words + i)) : 0;
  }
  findAll(table, words4, ids);
}

// The first row of each range of the list, so that a lookup need not pass through both.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_firsts(const u32* __restrict__ starts, const int* __restrict__ list, u32 distinct, int* out) {
  u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
  if (i < distinct) {
    out[i] = list[starts[i]];
  }
}

// A row of each word, or -1. firstRows: of ara_hash_firsts; null if words are unique.
template <class Table, class W>
__device__ __forceinline__ void lookup(const Table& table, const W* words, u32 count, const int* firstRows,
                                       int* out) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  load4(table, words, first, count, ids);
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      out[i] = firstRows == nullptr || ids[j] < 0 ? ids[j] : __ldg(firstRows + ids[j]);
    }
  }
}

#define LOOKUP(name, table, W)                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS)                                               \
  ara_hash_lookup_##name(TABLE_ARGS, const W* __restrict__ words, u32 count,                        \
                         const int* __restrict__ firstRows, int* out) {                               \
    lookup(table, words, count, firstRows, out);                                                      \
  }

// Unique words: the row of each, or -1, and how many rows of each tile of TILE words have one.
template <class Table, class W>
__device__ __forceinline__ void match(const Table& table, const W* words, u32 count, int* found,
                                      u32* tileCounts) {
  __shared__ u32 matches;
  if (threadIdx.x == 0) {
    matches = 0;
  }
  __syncthreads();
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  load4(table, words, first, count, ids);
  u32 mine = 0;
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      found[i] = ids[j];
      mine += ids[j] >= 0;
    }
  }
  mine = __reduce_add_sync(~0u, mine);
  if (lane() == 0) {
    atomicAdd(&matches, mine);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    tileCounts[blockIdx.x] = matches;
  }
}

#define MATCH(name, table, W)                                                                            \
  extern "C" __global__ void __launch_bounds__(THREADS)                                               \
  ara_hash_match_##name(TABLE_ARGS, const W* __restrict__ words, u32 count, int* found,             \
                        u32* tileCounts) {                                                            \
    match(table, words, count, found, tileCounts);                                                    \
  }

// Compacts what ara_hash_match found; tileStarts is the exclusive sum of its tile counts.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_compact(const int* __restrict__ found, u32 count, const u64* __restrict__ tileStarts, int firstRow,
                 int* outProbe, int* outBuild) {
  __shared__ u32 warpCounts[ITEMS * THREADS / 32];
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int warp = threadIdx.x / 32;
  int ids[ITEMS];
  u32 below[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    ids[j] = i < count ? __ldcs(found + i) : -1;
    u32 votes = __ballot_sync(~0u, ids[j] >= 0);
    below[j] = __popc(votes & lanesBelow());
    if (lane() == 0) {
      warpCounts[j * (THREADS / 32) + warp] = __popc(votes);
    }
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    // 32 counts, in the order of rows.
    u32 mine = warpCounts[threadIdx.x];
    u32 sum = mine;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      u32 other = __shfl_up_sync(~0u, sum, d);
      sum += lane() >= d ? other : 0;
    }
    warpCounts[threadIdx.x] = sum - mine;
  }
  __syncthreads();
  u64 start = tileStarts[blockIdx.x];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    if (ids[j] >= 0) {
      u64 k = start + warpCounts[j * (THREADS / 32) + warp] + below[j];
      outProbe[k] = firstRow + (int)(blockIdx.x * (u32)TILE + threadIdx.x + j * THREADS);
      outBuild[k] = ids[j];
    }
  }
}

// Where each word's rows start in the list, and how many there are.
template <class Table, class W>
__device__ __forceinline__ void locate(const Table& table, const W* words, u32 count, const u32* starts,
                                       u32* outFirst, u32* outCounts) {
  u64 first = (u64)blockIdx.x * TILE + threadIdx.x;
  int ids[ITEMS];
  load4(table, words, first, count, ids);
  u32 from[ITEMS], to[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    from[j] = ids[j] < 0 ? 0 : __ldg(starts + ids[j]);
    to[j] = ids[j] < 0 ? 0 : __ldg(starts + ids[j] + 1);
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u64 i = first + j * THREADS;
    if (i < count) {
      outFirst[i] = from[j];
      outCounts[i] = to[j] - from[j];
    }
  }
}

#define LOCATE(name, table, W)                                                                           \
  extern "C" __global__ void __launch_bounds__(THREADS)                                               \
  ara_hash_locate_##name(TABLE_ARGS, const W* __restrict__ words, u32 count,                        \
                         const u32* __restrict__ starts, u32* outFirst, u32* outCounts) {             \
    locate(table, words, count, starts, outFirst, outCounts);                                         \
  }

RANGES(direct, DIRECT)
RANGES(packed, PACKED)
RANGES(wide, WIDE)

#define ALL(kernel)                                                                             \
  kernel(direct, DIRECT, u64) kernel(packed, PACKED, u64) kernel(wide, WIDE, u64)               \
  kernel(direct_4, DIRECT, int) kernel(packed_4, PACKED, int) kernel(wide_4, WIDE, int)
ALL(LOOKUP)
ALL(MATCH)
ALL(LOCATE)

// How many of sums[1..count] are not greater than position: the row that the position lies in.
__device__ __forceinline__ u32 rowOf(const u64* __restrict__ sums, u32 from, u32 to, u64 position) {
  while (from < to) {
    u32 middle = from + (to - from) / 2;
    if (__ldg(sums + middle + 1) <= position) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

static constexpr u32 MANY_ROWS = 16 * TILE;

// rowAt[k] = the row of pair begin + k, less firstRow, for the pairs of the rows from firstRow to lastRow.
// rowAt must be full of zeros.
__device__ __forceinline__ void markRows(const u64* __restrict__ sums, u32 firstRow, u32 lastRow, u64 begin,
                                         u32* rowAt) {
  __shared__ u32 warpMost[THREADS / 32];
  for (u32 row = firstRow + 1 + threadIdx.x; row <= lastRow; row += THREADS) {
    u64 start = sums[row];
    if (start < sums[row + 1]) {
      rowAt[start - begin] = row - firstRow;
    }
  }
  __syncthreads();
  // Each thread takes ITEMS neighbours.
  uint4 mine = reinterpret_cast<uint4*>(rowAt)[threadIdx.x];
  mine.y = max(mine.y, mine.x);
  mine.z = max(mine.z, mine.y);
  mine.w = max(mine.w, mine.z);
  u32 most = mine.w;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    u32 other = __shfl_up_sync(~0u, most, d);
    most = lane() >= d ? max(most, other) : most;
  }
  int warp = threadIdx.x / 32;
  if (lane() == 31) {
    warpMost[warp] = most;
  }
  u32 before = __shfl_up_sync(~0u, most, 1);
  before = lane() == 0 ? 0 : before;
  __syncthreads();
  for (int w = 0; w < warp; w++) {
    before = max(before, warpMost[w]);
  }
  mine.x = max(mine.x, before);
  mine.y = max(mine.y, before);
  mine.z = max(mine.z, before);
  mine.w = max(mine.w, before);
  reinterpret_cast<uint4*>(rowAt)[threadIdx.x] = mine;
  __syncthreads();
}

// The pairs from..from + outCount of all pairs: a block writes TILE of them. It finds the rows of its first and
// last pair, lets every row with pairs between them mark its first one, and spreads the marks by a running maximum.
// Without a list the places in it are what is wanted.
extern "C" __global__ void __launch_bounds__(THREADS)
ara_hash_expand(const u64* __restrict__ sums, const u32* __restrict__ firsts, const int* __restrict__ list,
                u32 count, u64 from, u32 outCount, int* outProbe, int* outBuild) {
  __shared__ __align__(16) u32 rowAt[TILE];
  __shared__ u32 edge[2];
  u32 tile = blockIdx.x * (u32)TILE;
  u32 pairs = min((u32)TILE, outCount - tile);
  u64 begin = from + tile;
  if (threadIdx.x < 2) {
    edge[threadIdx.x] = rowOf(sums, 0, count - 1, threadIdx.x == 0 ? begin : begin + pairs - 1);
  }
  for (u32 k = threadIdx.x; k < TILE; k += THREADS) {
    rowAt[k] = 0;
  }
  __syncthreads();
  u32 firstRow = edge[0];
  u32 lastRow = edge[1];
  if (lastRow - firstRow > MANY_ROWS) {
    // Hardly a row has pairs: searching for each pair takes fewer steps than visiting all rows.
    for (u32 k = threadIdx.x; k < pairs; k += THREADS) {
      rowAt[k] = rowOf(sums, firstRow, lastRow, begin + k) - firstRow;
    }
    __syncthreads();
  } else {
    markRows(sums, firstRow, lastRow, begin, rowAt);
  }
#pragma unroll
  for (int j = 0; j < ITEMS; j++) {
    u32 k = threadIdx.x + j * THREADS;
    if (k < pairs) {
      u32 row = firstRow + rowAt[k];
      u32 place = (u32)(begin + k - __ldg(sums + row));
      outProbe[tile + k] = (int)row;
      u32 at = __ldg(firsts + row) + place;
      outBuild[tile + k] = list == nullptr ? (int)at : __ldg(list + at);
    }
  }
}
