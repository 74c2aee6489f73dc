// Stands for NVIDIA's driver where there is none: the functions that the CUDA device calls, over host memory. Kernels are
// those of the libraries beside this one (simt.h). Buffers are poisoned and have an inaccessible page behind their end, up
// to 255 bytes of padding aside, and one before the page that they begin in. EMULATED_GPUS says how many there are (1); with
// EMULATED_UNREACHED none reads another's memory.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

typedef unsigned long long Address;

enum Result { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_FOUND = 500, NOT_READY = 600, LAUNCH_FAILED = 719 };

constexpr size_t PAGE = 4096;
constexpr size_t MEMORY = size_t{8} << 30;
constexpr size_t INLINE = 64 << 10;

// As the generated libraries have it.
struct Kernel {
  const char* name;
  void (*run)(unsigned blocks, unsigned threads, void** arguments);
  int (*widths)(int* out);
};

std::mutex lock;
std::map<std::string, const Kernel*> kernels;
std::map<Address, size_t> buffers;
std::map<const char*, size_t> pinned;
size_t taken = 0;
size_t held = 0;
std::atomic<long> heavyCalls{0};
std::atomic<long> wrongFrees{0};

// After ara_trap, the kernel of a test, its stream does not go on, nor does what waits for an event behind it. Who asks its
// GPU finds that nothing works there any more, as after any kernel that failed; nor on any other GPU, unless EMULATED_APART
// is set.
struct Stream {
  int device;
  bool stuck;
};

struct Event {
  int device;
  bool stuck;
};

constexpr int MOST = 16;
thread_local int current = 0;
std::vector<Stream*> streams;
bool failing[MOST];
std::atomic<bool> failed[MOST];
Stream* running = nullptr;

int devices() {
  const char* count = std::getenv("EMULATED_GPUS");
  return count == nullptr ? 1 : std::min(MOST, std::max(1, std::atoi(count)));
}

bool stuck(void* stream) { return stream != nullptr && static_cast<Stream*>(stream)->stuck; }

// Whether the GPU is found not to work.
bool found(int device) {
  if (failing[device]) {
    bool apart = std::getenv("EMULATED_APART") != nullptr;
    for (int i = 0; i < MOST; i++) {
      failed[i] = failed[i] || i == device || !apart;
    }
  }
  return failed[device];
}

int state(int device, bool isStuck) { return found(device) ? LAUNCH_FAILED : isStuck ? NOT_READY : SUCCESS; }

int wait(int device, const bool* isStuck) {
  while (true) {
    int result = state(device, *isStuck);
    if (result != NOT_READY) {
      return result;
    }
    usleep(1000);
  }
}

// Whether all that was given to the GPU has ended.
int waitForAll(int device) {
  std::vector<Stream*> all;
  {
    std::lock_guard<std::mutex> guard(lock);
    all = streams;
  }
  for (Stream* stream : all) {
    int result = stream->device == device ? wait(device, &stream->stuck) : SUCCESS;
    if (result != SUCCESS) {
      return result;
    }
  }
  return found(device) ? LAUNCH_FAILED : SUCCESS;
}

int copy(void* to, const void* from, size_t bytes, void* stream) {
  if (!stuck(stream)) {
    std::memcpy(to, from, bytes);
  }
  return SUCCESS;
}

bool isPinned(const void* memory) {
  std::lock_guard<std::mutex> guard(lock);
  auto behind = pinned.upper_bound(static_cast<const char*>(memory));
  return behind != pinned.begin() && memory < std::prev(behind)->first + std::prev(behind)->second;
}

// A copy of the host's memory, which is made within the call where it is pageable and not small.
int copyOfHost(void* to, const void* from, size_t bytes, void* stream, const void* host) {
  if (bytes > INLINE && !isPinned(host)) {
    Stream* of = static_cast<Stream*>(stream);
    int result = wait(of->device, &of->stuck);
    if (result != SUCCESS) {
      return result;
    }
  }
  return copy(to, from, bytes, stream);
}

int noWidths(int*) { return 0; }
void nothing(unsigned, unsigned, void**) {}
const Kernel NOTHING = {"", nothing, noWidths};
void trap(unsigned, unsigned, void**) {
  running->stuck = true;
  failing[running->device] = true;
}
const Kernel TRAP = {"ara_trap", trap, noWidths};

void load() {
  Dl_info here;
  dladdr(reinterpret_cast<void*>(&load), &here);
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(here.dli_fname).parent_path())) {
    if (file.path().extension() != ".kernels") {
      continue;
    }
    void* library = dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::fprintf(stderr, "emulated GPU: %s\n", dlerror());
      std::abort();
    }
    auto list = reinterpret_cast<const Kernel* (*)()>(dlsym(library, "simtKernels"));
    for (const Kernel* kernel = list(); kernel->name != nullptr; kernel++) {
      kernels[kernel->name] = kernel;
    }
  }
}

// Notes a call that makes or ends something, or waits for the whole GPU; EMULATED_HEAVY has it print which.
void heavy(const char* name) {
  heavyCalls++;
  if (std::getenv("EMULATED_HEAVY") != nullptr) {
    std::fprintf(stderr, "emulated GPU: %s\n", name);
  }
}

size_t pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

}  // namespace

extern "C" {

int cuInit(unsigned) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && *visible == 0) {
    return 100;  // CUDA_ERROR_NO_DEVICE
  }
  std::lock_guard<std::mutex> guard(lock);
  if (kernels.empty()) {
    load();
    kernels[TRAP.name] = &TRAP;
  }
  return SUCCESS;
}

int cuDriverGetVersion(int* version) { return *version = 13000, SUCCESS; }
int cuDeviceGetCount(int* count) { return *count = devices(), SUCCESS; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, SUCCESS; }
int cuDeviceGetName(char* name, int length, int) { return std::snprintf(name, length, "Emulated GPU"), SUCCESS; }
int cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = MEMORY, SUCCESS; }
int cuDeviceCanAccessPeer(int* can, int, int) { return *can = std::getenv("EMULATED_UNREACHED") == nullptr, SUCCESS; }

int cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 16: *value = 2; break;          // multiprocessors
    case 38: *value = 1 << 20; break;    // bytes of L2
    case 75: *value = 9; break;          // compute capability, major
    case 97: *value = 227 << 10; break;  // shared memory of a block
    default: *value = 0;
  }
  return SUCCESS;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  return *context = reinterpret_cast<void*>(device + 1L), SUCCESS;
}
int cuCtxSetCurrent(void* context) { return current = static_cast<int>(reinterpret_cast<long>(context)) - 1, SUCCESS; }
int cuCtxEnablePeerAccess(void*, unsigned) { return SUCCESS; }
int cuCtxSynchronize() { return heavy(__func__), waitForAll(current); }
int cuMemGetInfo_v2(size_t* free, size_t* total) {
  heavy(__func__);
  if (failed[current]) {
    return LAUNCH_FAILED;
  }
  std::lock_guard<std::mutex> guard(lock);
  *total = MEMORY;
  *free = MEMORY - taken;
  return SUCCESS;
}
int cuDeviceGetDefaultMemPool(void** pool, int) { return *pool = reinterpret_cast<void*>(1), SUCCESS; }
int cuMemPoolSetAttribute(void*, int, void*) { return SUCCESS; }
int cuMemPoolTrimTo(void*, size_t) { return heavy(__func__), SUCCESS; }
int cuMemPoolSetAccess(void*, const void*, size_t) { return SUCCESS; }

int cuStreamCreate(void** stream, unsigned) {
  heavy(__func__);
  std::lock_guard<std::mutex> guard(lock);
  streams.push_back(new Stream{current, false});
  return *stream = streams.back(), SUCCESS;
}
int cuStreamDestroy_v2(void* stream) {
  heavy(__func__);
  std::lock_guard<std::mutex> guard(lock);
  streams.erase(std::find(streams.begin(), streams.end(), static_cast<Stream*>(stream)));
  return delete static_cast<Stream*>(stream), SUCCESS;
}
int cuStreamSynchronize(void* stream) {
  Stream none{current, false};
  Stream* of = stream == nullptr ? &none : static_cast<Stream*>(stream);
  return wait(of->device, &of->stuck);
}
int cuStreamQuery(void* stream) {
  Stream* of = static_cast<Stream*>(stream);
  return state(of->device, of->stuck);
}
int cuEventCreate(void** event, unsigned) { return heavy(__func__), *event = new Event{current, false}, SUCCESS; }
int cuEventDestroy_v2(void* event) { return heavy(__func__), delete static_cast<Event*>(event), SUCCESS; }
int cuEventRecord(void* event, void* stream) { return static_cast<Event*>(event)->stuck = stuck(stream), SUCCESS; }
int cuEventSynchronize(void* event) {
  Event* of = static_cast<Event*>(event);
  return wait(of->device, &of->stuck);
}
int cuEventQuery(void* event) {
  Event* of = static_cast<Event*>(event);
  return state(of->device, of->stuck);
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  static_cast<Stream*>(stream)->stuck |= static_cast<Event*>(event)->stuck;
  return SUCCESS;
}
int cuEventElapsedTime(float* millis, void*, void*) { return *millis = 0, SUCCESS; }

int cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  heavy(__func__);
  *memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  std::lock_guard<std::mutex> guard(lock);
  pinned[static_cast<char*>(*memory)] = bytes;
  return SUCCESS;
}

int cuMemFreeHost(void* memory) {
  heavy(__func__);
  std::lock_guard<std::mutex> guard(lock);
  pinned.erase(static_cast<char*>(memory));
  return std::free(memory), SUCCESS;
}

int cuMemAllocAsync(Address* address, size_t bytes, void*) {
  if (failed[current]) {
    return LAUNCH_FAILED;
  }
  std::lock_guard<std::mutex> guard(lock);
  size_t padded = (bytes + 255) / 256 * 256;
  size_t inside = pages(padded);
  if (inside > MEMORY - taken) {
    return OUT_OF_MEMORY;
  }
  void* memory = mmap(nullptr, inside + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return OUT_OF_MEMORY;
  }
  char* first = static_cast<char*>(memory) + PAGE;
  // The system has some 65,000 mappings for a process, of which each buffer takes two or three.
  if (mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) {
    munmap(memory, inside + 2 * PAGE);
    return OUT_OF_MEMORY;
  }
  char* start = first + (inside - padded);
  std::memset(start, 0xA5, padded);
  *address = reinterpret_cast<Address>(start);
  buffers[*address] = inside;
  taken += inside;
  return SUCCESS;
}

int cuMemFreeAsync(Address address, void*) {
  std::lock_guard<std::mutex> guard(lock);
  auto found = buffers.find(address);
  if (found == buffers.end()) {
    wrongFrees++;
    return INVALID_VALUE;
  }
  munmap(reinterpret_cast<void*>(address / PAGE * PAGE - PAGE), found->second + 2 * PAGE);
  taken -= found->second;
  buffers.erase(found);
  return SUCCESS;
}

int cuMemAlloc_v2(Address* address, size_t bytes) { return heavy(__func__), cuMemAllocAsync(address, bytes, nullptr); }

int cuMemFree_v2(Address address) { return heavy(__func__), cuMemFreeAsync(address, nullptr); }

int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, void* stream) {
  return copyOfHost(to, reinterpret_cast<void*>(from), bytes, stream, to);
}
int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, void* stream) {
  return copyOfHost(reinterpret_cast<void*>(to), from, bytes, stream, from);
}
int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void* stream) {
  return copy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes, stream);
}
int cuMemcpyPeerAsync(Address to, void*, Address from, void*, size_t bytes, void* stream) {
  return copy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes, stream);
}
int cuMemsetD8Async(Address to, unsigned char value, size_t bytes, void* stream) {
  if (!stuck(stream)) {
    std::memset(reinterpret_cast<void*>(to), value, bytes);
  }
  return SUCCESS;
}

// PTX whose only kernel does nothing is the only one that can be run.
int cuModuleLoadData(void** module, const void* image) {
  heavy(__func__);
  const char* text = static_cast<const char*>(image);
  bool empty = std::strncmp(text, ".version", 8) == 0 && std::strstr(text, "() { ret; }") != nullptr;
  return *module = new bool(empty), SUCCESS;
}

// A linker gives back the text that it was given.
int cuLinkCreate_v2(unsigned, int*, void**, void** state) { return *state = new std::string, SUCCESS; }
int cuLinkAddData_v2(void* state, int, void* data, size_t bytes, const char*, unsigned, int*, void**) {
  return static_cast<std::string*>(state)->assign(static_cast<const char*>(data), bytes), SUCCESS;
}
int cuLinkComplete(void* state, void** image, size_t* bytes) {
  std::string* text = static_cast<std::string*>(state);
  return *image = text->data(), *bytes = text->size(), SUCCESS;
}
int cuLinkDestroy(void* state) { return delete static_cast<std::string*>(state), SUCCESS; }

int cuModuleUnload(void* module) { return heavy(__func__), delete static_cast<bool*>(module), SUCCESS; }

int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (*static_cast<bool*>(module)) {
    return *function = const_cast<Kernel*>(&NOTHING), SUCCESS;
  }
  auto found = kernels.find(name);
  if (found == kernels.end()) {
    std::fprintf(stderr, "emulated GPU: there is no kernel %s\n", name);
    return NOT_FOUND;
  }
  *function = const_cast<Kernel*>(found->second);
  return SUCCESS;
}

int cuFuncSetAttribute(void*, int, int) { return SUCCESS; }

int cuFuncGetParamInfo(void* function, size_t index, size_t* offset, size_t* size) {
  int widths[64];
  int count = static_cast<Kernel*>(function)->widths(widths);
  if (index >= static_cast<size_t>(count)) {
    return INVALID_VALUE;
  }
  *offset = 0;
  *size = widths[index];
  return SUCCESS;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, size_t) { return *blocks = 2, SUCCESS; }

int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned, void* stream, void** arguments, void**) {
  // One launch at a time, whichever the GPU.
  std::lock_guard<std::mutex> guard(lock);
  if (failed[current]) {
    return LAUNCH_FAILED;
  }
  if (!stuck(stream)) {
    running = static_cast<Stream*>(stream);
    static_cast<Kernel*>(function)->run(blocks, threads, arguments);
  }
  return SUCCESS;
}

// For tests: calls that make or end something, or wait for the whole GPU; frees of what nobody has; what there is; and bytes of memory that another
// process seems to hold.
long emulatedHeavyCalls() { return heavyCalls; }
long emulatedWrongFrees() { return wrongFrees; }
long emulatedStreams() {
  std::lock_guard<std::mutex> guard(lock);
  return static_cast<long>(streams.size());
}
size_t emulatedPinned() {
  std::lock_guard<std::mutex> guard(lock);
  size_t bytes = 0;
  for (const auto& block : pinned) {
    bytes += block.second;
  }
  return bytes;
}
void emulatedHold(size_t bytes) {
  std::lock_guard<std::mutex> guard(lock);
  taken += bytes - held;
  held = bytes;
}

}  // extern "C"
