// A TensorFlow PluggableDevice whose "device memory" is host memory, so that everything up to running a kernel can be
// tested without a GPU: listing, visibility, memory growth, placement, out-of-memory, model.fit, and what goes wrong.
//
// This file is the device: memory, streams, registration. Its kernels are in pluggable_kernels.cc.

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "pluggable.h"
#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// ---- the device: memory, copies, streams that are always done -----------------------------------------------------

struct Device {
  std::mutex lock;
  std::map<void*, uint64_t> blocks;  // TensorFlow frees by address only
  int64_t used = 0, peak = 0, count = 0;
};

Device* Of(const SP_Device* device) { return static_cast<Device*>(device->device_handle); }

// TensorFlow's kernels check that a tensor begins at a multiple of 64 bytes.
void* Aligned(uint64_t size) {
  void* memory = nullptr;
  return posix_memalign(&memory, 256, size ? size : 1) == 0 ? memory : nullptr;
}

void Allocate(const SP_Device* handle, uint64_t size, int64_t, SP_DeviceMemoryBase* memory) {
  Device* device = Of(handle);
  std::lock_guard<std::mutex> hold(device->lock);
  *memory = {SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
  if (device->used + static_cast<int64_t>(size) > settings().memory) return;
  memory->opaque = Aligned(size);
  if (!memory->opaque) return;
  memory->size = size;
  device->blocks[memory->opaque] = size;
  device->used += size;
  device->peak = device->used > device->peak ? device->used : device->peak;
  ++device->count;
}

void Deallocate(const SP_Device* handle, SP_DeviceMemoryBase* memory) {
  Device* device = Of(handle);
  std::lock_guard<std::mutex> hold(device->lock);
  auto block = device->blocks.find(memory->opaque);
  if (block == device->blocks.end()) return;
  device->used -= block->second;
  device->blocks.erase(block);
  free(memory->opaque);
  memory->opaque = nullptr;
}

TF_Bool AllocatorStats(const SP_Device* handle, SP_AllocatorStats* stats) {
  Device* device = Of(handle);
  std::lock_guard<std::mutex> hold(device->lock);
  stats->struct_size = SP_ALLOCATORSTATS_STRUCT_SIZE;
  stats->num_allocs = device->count;
  stats->bytes_in_use = device->used;
  stats->peak_bytes_in_use = device->peak;
  stats->has_bytes_limit = 1;
  stats->bytes_limit = settings().memory;
  return 1;
}

// TensorFlow keeps a part of what it is told back for itself: 225 MiB, and from 2 GiB on 5 % but at least 300 MiB. This
// is added here, so that what is left for tensors is the size in the settings. That limit matters: where only Allocate
// refuses, TensorFlow's allocator asks for ever smaller blocks and may never stop.
TF_Bool MemoryUsage(const SP_Device*, int64_t* available, int64_t* total) {
  constexpr int64_t kMiB = 1 << 20;
  const int64_t memory = settings().memory;
  int64_t reported = memory + 225 * kMiB;
  if (reported >= 2048 * kMiB) reported = memory / 19 > 300 * kMiB ? memory + memory / 19 : memory + 300 * kMiB;
  *available = *total = reported;
  return !settings().Fault("create");
}

template <typename Pattern>
void FillMemory(SP_DeviceMemoryBase* memory, Pattern pattern, uint64_t size) {
  auto* target = static_cast<Pattern*>(memory->opaque);
  for (uint64_t i = 0; i < size / sizeof(Pattern); ++i) target[i] = pattern;
}

void FillStreamExecutor(SP_StreamExecutor* executor) {
  *executor = {SP_STREAMEXECUTOR_STRUCT_SIZE};
  executor->allocate = Allocate;
  executor->deallocate = Deallocate;
  executor->host_memory_allocate = [](const SP_Device*, uint64_t size) { return Aligned(size); };
  executor->host_memory_deallocate = [](const SP_Device*, void* memory) { free(memory); };
  executor->get_allocator_stats = AllocatorStats;
  executor->device_memory_usage = MemoryUsage;

  // Work is done at once, so a stream and an event carry no state; they only must not be null.
  executor->create_stream = [](const SP_Device*, SP_Stream* stream, TF_Status*) {
    *stream = reinterpret_cast<SP_Stream>(new char);
  };
  executor->destroy_stream = [](const SP_Device*, SP_Stream stream) { delete reinterpret_cast<char*>(stream); };
  executor->create_stream_dependency = [](const SP_Device*, SP_Stream, SP_Stream, TF_Status*) {};
  executor->get_stream_status = [](const SP_Device*, SP_Stream, TF_Status*) {};
  executor->create_event = [](const SP_Device*, SP_Event* event, TF_Status*) {
    *event = reinterpret_cast<SP_Event>(new char);
  };
  executor->destroy_event = [](const SP_Device*, SP_Event event) { delete reinterpret_cast<char*>(event); };
  executor->get_event_status = [](const SP_Device*, SP_Event) { return SE_EVENT_COMPLETE; };
  executor->record_event = [](const SP_Device*, SP_Stream, SP_Event, TF_Status*) {};
  executor->wait_for_event = [](const SP_Device*, SP_Stream, SP_Event, TF_Status*) {};
  executor->block_host_for_event = [](const SP_Device*, SP_Event, TF_Status*) {};
  executor->block_host_until_done = [](const SP_Device*, SP_Stream, TF_Status*) {};
  executor->synchronize_all_activity = [](const SP_Device*, TF_Status*) {};
  executor->create_timer = [](const SP_Device*, SP_Timer* timer, TF_Status*) {
    *timer = reinterpret_cast<SP_Timer>(new uint64_t(0));
  };
  executor->destroy_timer = [](const SP_Device*, SP_Timer timer) { delete reinterpret_cast<uint64_t*>(timer); };
  executor->start_timer = [](const SP_Device*, SP_Stream, SP_Timer, TF_Status*) {};
  executor->stop_timer = [](const SP_Device*, SP_Stream, SP_Timer, TF_Status*) {};

  executor->memcpy_dtoh = [](const SP_Device*, SP_Stream, void* to, const SP_DeviceMemoryBase* from, uint64_t size,
                             TF_Status*) { memcpy(to, from->opaque, size); };
  executor->memcpy_htod = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, const void* from, uint64_t size,
                             TF_Status*) { memcpy(to->opaque, from, size); };
  executor->memcpy_dtod = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from,
                             uint64_t size, TF_Status*) { memmove(to->opaque, from->opaque, size); };
  executor->sync_memcpy_dtoh = [](const SP_Device*, void* to, const SP_DeviceMemoryBase* from, uint64_t size,
                                  TF_Status*) { memcpy(to, from->opaque, size); };
  executor->sync_memcpy_htod = [](const SP_Device*, SP_DeviceMemoryBase* to, const void* from, uint64_t size,
                                  TF_Status*) { memcpy(to->opaque, from, size); };
  executor->sync_memcpy_dtod = [](const SP_Device*, SP_DeviceMemoryBase* to, const SP_DeviceMemoryBase* from,
                                  uint64_t size, TF_Status*) { memmove(to->opaque, from->opaque, size); };
  executor->mem_zero = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, uint64_t size, TF_Status*) {
    memset(to->opaque, 0, size);
  };
  executor->memset = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, uint8_t pattern, uint64_t size,
                        TF_Status*) { FillMemory(to, pattern, size); };
  executor->memset32 = [](const SP_Device*, SP_Stream, SP_DeviceMemoryBase* to, uint32_t pattern, uint64_t size,
                          TF_Status*) { FillMemory(to, pattern, size); };
  executor->host_callback = [](const SP_Device*, SP_Stream, SE_StatusCallbackFn callback, void* argument) -> TF_Bool {
    Status status;
    callback(argument, status.raw);
    return status.ok();
  };
}

}  // namespace

EXPORT void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status*) {
  *params->platform = {SP_PLATFORM_STRUCT_SIZE};
  params->platform->name = settings().platform.c_str();
  params->platform->type = settings().type.c_str();
  params->platform->use_bfc_allocator = 1;  // as CUDA does: then get_memory_info and the OOM text are the real ones
  *params->platform_fns = {SP_PLATFORM_FNS_STRUCT_SIZE};
  SP_PlatformFns* functions = params->platform_fns;
  functions->get_device_count = [](const SP_Platform*, int* count, TF_Status*) { *count = settings().count; };
  functions->create_device = [](const SP_Platform*, SE_CreateDeviceParams* params, TF_Status* status) {
    if (settings().Fault("refuse")) {
      TF_SetStatus(status, TF_INTERNAL, "devicekit simulated fault: the device cannot be created");
      return;
    }
    *params->device = {SP_DEVICE_STRUCT_SIZE};
    params->device->ordinal = params->ordinal;
    params->device->device_handle = new Device;
    params->device->hardware_name = settings().platform.c_str();
    params->device->device_vendor = "devicekit";
    params->device->pci_bus_id = "0000:00:00.0";
  };
  functions->destroy_device = [](const SP_Platform*, SP_Device* device) { delete Of(device); };
  functions->create_device_fns = [](const SP_Platform*, SE_CreateDeviceFnsParams* params, TF_Status*) {
    *params->device_fns = {SP_DEVICE_FNS_STRUCT_SIZE};
  };
  functions->destroy_device_fns = [](const SP_Platform*, SP_DeviceFns*) {};
  functions->create_stream_executor = [](const SP_Platform*, SE_CreateStreamExecutorParams* params, TF_Status*) {
    FillStreamExecutor(params->stream_executor);
  };
  functions->destroy_stream_executor = [](const SP_Platform*, SP_StreamExecutor*) {};
  functions->create_timer_fns = [](const SP_Platform*, SP_TimerFns* timer, TF_Status*) {
    *timer = {SP_TIMER_FNS_STRUCT_SIZE};
    timer->nanoseconds = [](SP_Timer) -> uint64_t { return 0; };
  };
  functions->destroy_timer_fns = [](const SP_Platform*, SP_TimerFns*) {};
  params->destroy_platform = [](SP_Platform*) {};
  params->destroy_platform_fns = [](SP_PlatformFns*) {};
}

// These two rewrites produce fused operations that have no plain CPU twin to copy, so they stay off for this device.
EXPORT void TF_InitGraph(TP_OptimizerRegistrationParams* params, TF_Status*) {
  params->struct_size = TP_OPTIMIZER_REGISTRATION_PARAMS_STRUCT_SIZE;
  params->device_type = settings().type.c_str();
  params->optimizer_configs->struct_size = TP_OPTIMIZER_CONFIGS_STRUCT_SIZE;
  params->optimizer_configs->remapping = TF_TriState_Off;
  params->optimizer_configs->layout_optimizer = TF_TriState_Off;
  params->optimizer->struct_size = TP_OPTIMIZER_STRUCT_SIZE;
  params->optimizer->optimize_func = [](void*, const TF_Buffer* graph, const TF_GrapplerItem*, TF_Buffer* same,
                                        TF_Status*) {
    void* copy = malloc(graph->length);
    memcpy(copy, graph->data, graph->length);
    same->data = copy;
    same->length = graph->length;
    same->data_deallocator = [](void* data, size_t) { free(data); };
  };
}
