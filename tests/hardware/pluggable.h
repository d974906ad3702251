// What the two halves of the simulated TensorFlow device share: its settings and the way to TensorFlow's C functions.
//
// Environment, read once when the plugin is loaded:
//   DEVICEKIT_SIM_TYPE        device type (GPU)
//   DEVICEKIT_SIM_PLATFORM    platform name, which TensorFlow reports as device_name (SIM_GPU)
//   DEVICEKIT_SIM_COUNT       number of devices (1); 0 registers the platform without a device
//   DEVICEKIT_SIM_MEMORY_MB   memory of each device (1024)
//   DEVICEKIT_SIM_FAULT       comma-separated faults:
//     crash, abort, hang      the first kernel ends the process by SIGSEGV or SIGABRT, or never returns
//     raise                   every kernel returns an INTERNAL error
//     missing                 matrix products have no kernel
//     wrong                   matrix products are off: float and double by one, 16-bit types change sign
//     crash@Conv2D            the same with one of these names, for operations whose names begin with Conv2D only
//     oom                     every kernel asks for more than the device's memory and fails, after TensorFlow's wait
//     tf32, bfloat16          matrix products and convolutions round their float inputs to so many bits
//     stale                   a convolution returns what the one before it of the same shape has computed
//     nan                     softmax has one element that is not a number
//     padding                 a convolution is shifted by one row
//     gradient                the gradient of a convolution's filter is half of what it should be
//     (one kernel that computes wrong in one of many ways: DEVICEKIT_SIM_KERNEL, see pluggable_faults.cc)
//     create                  starting fails: the memory of the device cannot be queried
//     refuse                  starting fails: the device cannot be created (TensorFlow 2.10 aborts on this)

#ifndef DEVICEKIT_TESTS_HARDWARE_PLUGGABLE_H_
#define DEVICEKIT_TESTS_HARDWARE_PLUGGABLE_H_

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/c/kernels.h"

struct Settings {
  static std::string Text(const char* name, const char* fallback) {
    const char* value = getenv(name);
    return value && *value ? value : fallback;
  }
  const std::string type = Text("DEVICEKIT_SIM_TYPE", "GPU");
  const std::string platform = Text("DEVICEKIT_SIM_PLATFORM", "SIM_GPU");
  const int count = atoi(Text("DEVICEKIT_SIM_COUNT", "1").c_str());
  const int64_t memory = atoll(Text("DEVICEKIT_SIM_MEMORY_MB", "1024").c_str()) << 20;
  const std::string faults = "," + Text("DEVICEKIT_SIM_FAULT", "") + ",";
  bool Fault(const std::string& name) const { return faults.find("," + name + ",") != std::string::npos; }
  bool FaultAt(const std::string& name, const std::string& op) const {
    const std::string start = "," + name + "@";
    for (size_t at = faults.find(start); at != std::string::npos; at = faults.find(start, at + 1)) {
      const size_t from = at + start.size(), length = faults.find(',', from) - from;
      if (op.compare(0, length, faults, from, length) == 0) return true;
    }
    return false;
  }
};

inline const Settings& settings() {
  static const Settings* one = new Settings;  // never destroyed: TensorFlow's threads outlive static destructors
  return *one;
}

struct Status {
  TF_Status* raw = TF_NewStatus();
  Status() = default;
  Status(const Status&) = delete;
  ~Status() { TF_DeleteStatus(raw); }
  bool ok() const { return TF_GetCode(raw) == TF_OK; }
};

// The library that holds the eager C functions has another name in each range of TensorFlow versions, and Python loads
// its extensions with RTLD_LOCAL: hence one look into each TensorFlow library that is already in the process.
inline void* Find(const char* name) {
  if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
  std::pair<const char*, void*> search{name, nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* library, size_t, void* data) {
        auto* search = static_cast<std::pair<const char*, void*>*>(data);
        if (!strstr(library->dlpi_name, "tensorflow")) return 0;
        void* handle = dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
        if (!handle) return 0;
        search->second = dlsym(handle, search->first);
        dlclose(handle);
        return search->second ? 1 : 0;
      },
      &search);
  return search.second;
}

inline void* Require(const char* name) {
  void* found = Find(name);
  if (!found) {
    fprintf(stderr, "devicekit simulated device: this TensorFlow has no function %s\n", name);
    abort();
  }
  return found;
}

// CALL(name)(arguments) calls the C function `name`, which is looked up at its first use.
#define CALL(name)                                                               \
  ([] {                                                                          \
    static const auto found = reinterpret_cast<decltype(&name)>(Require(#name)); \
    return found;                                                                \
  }())

// Gone from TensorFlow 2.20 on, where its own kernels serve variables on any device: hence declared here, and optional.
using CopyFn = void (*)(TF_OpKernelContext*, TF_Tensor* source, TF_Tensor* target);
using VariableInputFn = void (*)(TF_OpKernelContext*, int input, bool lock_held, bool is_variant, bool sparse, CopyFn,
                                 TF_Tensor** out, TF_Status*);
using AssignVariableFn = void (*)(TF_OpKernelContext*, int input, int value, bool validate_shape, CopyFn, TF_Status*);

template <typename Function>
Function Optional(const char* name) {
  return reinterpret_cast<Function>(Find(name));
}

// An operation as TensorFlow's list describes it, as far as running it needs to know.
struct Op {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;  // name and type
  std::set<int> variable_inputs;
};

// Numbers of fixed size only: strings, resources, variants and references cannot be copied as bytes.
inline bool IsPlain(uint64_t type) {
  return type != TF_STRING && type != TF_RESOURCE && type != TF_VARIANT && type < 100;
}

// pluggable_kernels.cc
void* CreateKernel(const Op& op, TF_OpKernelConstruction* construction);
void ComputeKernel(void* kernel, TF_OpKernelContext* context);
void ComputeAssignment(void* kernel, TF_OpKernelContext* context);
void DeleteKernel(void* kernel);

// pluggable_faults.cc
void Plant(const std::string& op, const std::vector<TF_Tensor*>& inputs, const std::vector<TF_Tensor*>& results);

#endif  // DEVICEKIT_TESTS_HARDWARE_PLUGGABLE_H_
