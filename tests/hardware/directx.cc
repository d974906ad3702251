// Stand-ins for the DirectX libraries that TensorFlow's DirectML builds load, so that their listing, filtering and
// ordering of adapters can be tested on any Linux. One source, compiled once for each of
//
//   -DSIM_DXCORE    libdxcore.so     lists the adapters as WSL does
//   -DSIM_DXGI      libdxgi.so       lists the same adapters as Windows does (no TensorFlow for Linux loads it)
//   -DSIM_D3D12     libd3d12.so      says whether an adapter reaches a feature level
//   -DSIM_DIRECTML  libdirectml.so   says which data types an adapter supports
//
// DEVICEKIT_SIM_ADAPTERS names a text file with one adapter a line (empty lines and lines after # do not count):
//
//   name|vendor_hex|device_hex|driver|dedicated_bytes|shared_bytes|
//       hardware|integrated|feature_level_hex|datatypes|graphics|neural|directml|compiles
//
// (in one line) where driver is four numbers with dots, feature_level is the highest one (0: none; 1: all of them),
// datatypes is 1 for all, 0 for none, or the hexadecimal mask of those that lack, with a minus before it (bit n is
// DML_TENSOR_DATA_TYPE n), neural says that it is a neural processor, directml that a DirectML device can be made,
// compiles that it compiles an operator. What stands at the end may be left out. Sorted by performance, cards with much
// memory of their own come first, then integrated ones; what follows a software adapter stays behind it. Instead of a file: "fail" makes the
// factory fail with 0xd0000001, as DXCore does where /dev/dxg is missing. Unset means no adapter.
//
// DEVICEKIT_SIM_DXGI=old is Windows before 1803, which does not sort adapters by performance.
//
// Only listing works. No device can do any work: the objects have no functions beyond those used for listing.
//
// The classes are laid out by hand: what the caller relies on is the position of a function in the virtual table, so
// none has a virtual destructor, and a function that is never called is a numbered filler.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Result = int32_t;
constexpr Result kOk = 0;
constexpr Result kFalse = 1;
constexpr Result kNoInterface = static_cast<Result>(0x80004002);
constexpr Result kInvalidArgument = static_cast<Result>(0x80070057);
constexpr Result kUnsupported = static_cast<Result>(0x887a0004);   // DXGI_ERROR_UNSUPPORTED
constexpr Result kNotFound = static_cast<Result>(0x887a0002);      // DXGI_ERROR_NOT_FOUND
constexpr Result kUnsuccessful = static_cast<Result>(0xd0000001);  // what DXCore answers without /dev/dxg

struct Guid {
  uint32_t first;
  uint16_t second, third;
  uint8_t rest[8];
};

struct Adapter {
  std::string name, driver;
  uint32_t vendor = 0, device = 0;
  uint64_t dedicated = 0, shared = 0;
  bool hardware = true, integrated = false, graphics = true, neural = false, directml = true, compiles = true;
  uint32_t feature_level = 0xc000, lacks_types = 0;
};

std::string Setting() {
  const char* value = getenv("DEVICEKIT_SIM_ADAPTERS");
  return value ? value : "";
}

const std::vector<Adapter>& Adapters() {
  static const auto* adapters = [] {
    auto* list = new std::vector<Adapter>;
    std::ifstream file(Setting());
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::vector<std::string> words;
      std::istringstream split(line);
      for (std::string word; std::getline(split, word, '|');) words.push_back(word);
      words.resize(14);
      const auto number = [&words](int i, int base) { return strtoull(words[i].c_str(), nullptr, base); };
      const auto flag = [&words](int i, bool fallback) { return words[i].empty() ? fallback : words[i] == "1"; };
      Adapter adapter;
      adapter.name = words[0];
      adapter.vendor = number(1, 16);
      adapter.device = number(2, 16);
      adapter.driver = words[3];
      adapter.dedicated = number(4, 10);
      adapter.shared = number(5, 10);
      adapter.hardware = flag(6, true);
      adapter.integrated = flag(7, false);
      if (!words[8].empty() && words[8] != "1") adapter.feature_level = number(8, 16);
      if (words[9] == "0") adapter.lacks_types = ~0u;
      if (words[9][0] == '-') adapter.lacks_types = strtoul(words[9].c_str() + 1, nullptr, 16);
      adapter.graphics = flag(10, true);
      adapter.neural = flag(11, false);
      adapter.directml = flag(12, true);
      adapter.compiles = flag(13, true);
      list->push_back(adapter);
    }
    return list;
  }();
  return *adapters;
}

std::vector<const Adapter*> InFileOrder() {
  std::vector<const Adapter*> list;
  for (const Adapter& adapter : Adapters()) list.push_back(&adapter);
  return list;
}

bool IsSoftware(const Adapter* adapter) {
  return !adapter->hardware || (adapter->vendor == 0x1414 && adapter->device == 0x8c);
}

// The fastest first: cards with much memory of their own, then integrated ones. What stands from the first software adapter
// on stays there, as the displays that Windows draws by itself do.
std::vector<const Adapter*> ByPerformance() {
  auto list = InFileOrder();
  std::stable_sort(list.begin(), std::find_if(list.begin(), list.end(), IsSoftware), [](auto* a, auto* b) {
    return a->integrated != b->integrated ? b->integrated : a->dedicated > b->dedicated;
  });
  return list;
}

// What all objects begin with. Any interface that is asked for is granted: each object has one face.
struct Object {
  virtual Result QueryInterface(const Guid&, void** out) {
    if (!out) return kInvalidArgument;
    AddRef();
    *out = this;
    return kOk;
  }
  virtual uint32_t AddRef() { return ++references_; }
  virtual uint32_t Release() { return --references_; }  // never freed: a handful of objects, and the test ends soon

 protected:
  std::atomic<uint32_t> references_{1};
};

// What an adapter of DXCore or of DXGI begins with: libd3d12 is handed one, and reads `about`.
struct AnyAdapter : Object {
  explicit AnyAdapter(const Adapter* adapter) : about(adapter) {}
  const Adapter* const about;
};

uint64_t PackedVersion(const std::string& text) {  // four 16-bit numbers in one
  uint64_t packed = 0;
  std::istringstream split(text);
  for (std::string part; std::getline(split, part, '.');) packed = packed << 16 | (atoi(part.c_str()) & 0xffff);
  return packed;
}

#ifdef SIM_DXCORE

// An IDXCoreAdapter.
struct AdapterObject : AnyAdapter {
  using AnyAdapter::AnyAdapter;
  virtual bool IsValid() { return true; }
  virtual bool IsAttributeSupported(const Guid& attribute) {
    switch (attribute.first) {
      case 0x248e2800:  // D3D12_CORE_COMPUTE
        return true;
      case 0x0c9ece4d:  // D3D12_GRAPHICS
      case 0x8c47866b:  // D3D11_GRAPHICS
        return about->graphics;
      case 0xd46140c4:  // HARDWARE_TYPE_NPU
        return about->neural;
      case 0xb69eb219:  // HARDWARE_TYPE_GPU
        return !about->neural && about->hardware;
      default:
        return false;
    }
  }
  virtual bool IsPropertySupported(uint32_t property) {
    size_t size;
    return GetPropertySize(property, &size) == kOk;
  }
  virtual Result GetProperty(uint32_t property, size_t size, void* out) {
    const std::string value = Property(property);
    if (value.empty() || !out || size < value.size()) return kInvalidArgument;
    memcpy(out, value.data(), value.size());
    return kOk;
  }
  virtual Result GetPropertySize(uint32_t property, size_t* size) {
    *size = Property(property).size();
    return *size ? kOk : kInvalidArgument;
  }
  virtual bool IsQueryStateSupported(uint32_t) { return true; }
  // The one state that is asked for: the memory budget { budget, usage, available for reservation, reserved }.
  virtual Result QueryState(uint32_t, size_t, const void* query, size_t size, void* out) {
    // The query is { node index, segment group }, where group 1 is the memory that is not local.
    const uint32_t group = query ? static_cast<const uint32_t*>(query)[1] : 0;
    const uint64_t budget[4] = {group ? about->shared : about->dedicated, 0, 0, 0};
    if (size > sizeof budget) return kInvalidArgument;
    memcpy(out, budget, size);
    return kOk;
  }
  virtual bool IsSetStateSupported(uint32_t) { return false; }
  virtual Result SetState(uint32_t, size_t, const void*, size_t, const void*) { return kInvalidArgument; }
  virtual Result GetFactory(const Guid&, void**) { return kNoInterface; }

 private:
  template <typename Value>
  static std::string Raw(const Value& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::string Property(uint32_t property) const {
    switch (property) {
      case 0: {  // a locally unique identifier; the name's place in the list serves
        const uint64_t luid = about - Adapters().data() + 1;
        return Raw(luid);
      }
      case 1:
        return Raw(PackedVersion(about->driver));
      case 2:
        return std::string(about->name.c_str(), about->name.size() + 1);  // with the NUL at its end, as DXCore has it
      case 3: {  // vendor, device, subsystem, revision
        const uint32_t ids[4] = {about->vendor, about->device, 0, 0};
        return Raw(ids);
      }
      case 7:
        return Raw(about->dedicated);
      case 8:  // dedicated system memory
        return Raw(uint64_t{0});
      case 9:
        return Raw(about->shared);
      case 11:
        return Raw(about->hardware);
      case 12:
        return Raw(about->integrated);
      default:
        return "";
    }
  }
};

struct AdapterList : Object {
  virtual Result GetAdapter(uint32_t index, const Guid&, void** out) {
    if (index >= list_.size()) return kInvalidArgument;
    *out = new AdapterObject(list_[index]);
    return kOk;
  }
  virtual uint32_t GetAdapterCount() { return Adapters().size(); }
  virtual bool IsStale() { return false; }
  virtual Result GetFactory(const Guid&, void**) { return kNoInterface; }
  virtual Result Sort(uint32_t count, const uint32_t* preferences) {
    if (count == 1 && preferences[0] == 2) list_ = ByPerformance();  // high performance
    return kOk;
  }
  virtual bool IsAdapterPreferenceSupported(uint32_t) { return true; }

 private:
  std::vector<const Adapter*> list_ = InFileOrder();
};

struct Factory : Object {
  virtual Result CreateAdapterList(uint32_t, const Guid*, const Guid&, void** out) {
    *out = new AdapterList;
    return kOk;
  }
  virtual Result GetAdapterByLuid(const int64_t& luid, const Guid&, void** out) {
    if (luid < 1 || luid > static_cast<int64_t>(Adapters().size())) return kInvalidArgument;
    *out = new AdapterObject(&Adapters()[luid - 1]);
    return kOk;
  }
  virtual bool IsNotificationTypeSupported(uint32_t) { return false; }
  virtual Result RegisterEventNotification(void*, uint32_t, void*, void*, uint32_t*) { return kInvalidArgument; }
  virtual Result UnregisterEventNotification(uint32_t) { return kOk; }
};

}  // namespace

EXPORT Result DXCoreCreateAdapterFactory(const Guid&, void** out) {
  if (Setting() == "fail") return kUnsuccessful;
  *out = new Factory;
  return kOk;
}

#elif defined(SIM_DXGI)

// DXGI_ADAPTER_DESC1, with the 16-bit characters of Windows.
struct Description {
  char16_t name[128];
  uint32_t vendor, device, subsystem, revision;
  size_t dedicated_video, dedicated_system, shared;
  uint64_t luid;
  uint32_t flags;
};

// An IDXGIAdapter1.
struct AdapterObject : AnyAdapter {
  using AnyAdapter::AnyAdapter;
  virtual Result Filler3() { return kNoInterface; }
  virtual Result Filler4() { return kNoInterface; }
  virtual Result Filler5() { return kNoInterface; }
  virtual Result Filler6() { return kNoInterface; }
  virtual Result EnumOutputs(uint32_t, void**) { return kNotFound; }
  virtual Result GetDesc(void*) { return kNoInterface; }
  virtual Result CheckInterfaceSupport(const Guid& interface, uint64_t* version) {
    if (interface.first != 0x54ec77fa) return kUnsupported;  // IDXGIDevice
    *version = PackedVersion(about->driver);
    return kOk;
  }
  virtual Result GetDesc1(Description* out) {
    *out = {};
    for (size_t i = 0; i < about->name.size() && i < 127; i++) out->name[i] = static_cast<uint8_t>(about->name[i]);
    out->vendor = about->vendor;
    out->device = about->device;
    out->dedicated_video = about->dedicated;
    out->shared = about->shared;
    out->luid = about - Adapters().data() + 1;
    out->flags = about->hardware ? 0 : 2;  // DXGI_ADAPTER_FLAG_SOFTWARE
    return kOk;
  }
};

// An IDXGIFactory6. Adapters that only compute are not listed: DXGI knows none.
struct Factory : Object {
  Result QueryInterface(const Guid& interface, void** out) override {
    const char* age = getenv("DEVICEKIT_SIM_DXGI");
    if (interface.first == 0xc1b6694f && age && !strcmp(age, "old")) return kNoInterface;
    return Object::QueryInterface(interface, out);
  }
  virtual Result Filler3() { return kNoInterface; }
  virtual Result Filler4() { return kNoInterface; }
  virtual Result Filler5() { return kNoInterface; }
  virtual Result Filler6() { return kNoInterface; }
  virtual Result Filler7() { return kNoInterface; }
  virtual Result Filler8() { return kNoInterface; }
  virtual Result Filler9() { return kNoInterface; }
  virtual Result Filler10() { return kNoInterface; }
  virtual Result Filler11() { return kNoInterface; }
  virtual Result EnumAdapters1(uint32_t index, void** out) { return Enumerate(InFileOrder(), index, out); }
  virtual Result Filler13() { return kNoInterface; }
  virtual Result Filler14() { return kNoInterface; }
  virtual Result Filler15() { return kNoInterface; }
  virtual Result Filler16() { return kNoInterface; }
  virtual Result Filler17() { return kNoInterface; }
  virtual Result Filler18() { return kNoInterface; }
  virtual Result Filler19() { return kNoInterface; }
  virtual Result Filler20() { return kNoInterface; }
  virtual Result Filler21() { return kNoInterface; }
  virtual Result Filler22() { return kNoInterface; }
  virtual Result Filler23() { return kNoInterface; }
  virtual Result Filler24() { return kNoInterface; }
  virtual Result Filler25() { return kNoInterface; }
  virtual Result Filler26() { return kNoInterface; }
  virtual Result Filler27() { return kNoInterface; }
  virtual Result Filler28() { return kNoInterface; }
  virtual Result EnumAdapterByGpuPreference(uint32_t index, uint32_t preference, const Guid&, void** out) {
    return Enumerate(preference == 2 ? ByPerformance() : InFileOrder(), index, out);  // high performance
  }

 private:
  static Result Enumerate(const std::vector<const Adapter*>& list, uint32_t index, void** out) {
    for (const Adapter* adapter : list) {
      if (!adapter->graphics || index--) continue;
      *out = new AdapterObject(adapter);
      return kOk;
    }
    return kNotFound;
  }
};

}  // namespace

EXPORT Result CreateDXGIFactory1(const Guid&, void** out) {
  if (Setting() == "fail") return kUnsuccessful;
  *out = new Factory;
  return kOk;
}

#elif defined(SIM_D3D12)

// An ID3D12Device. It carries the adapter, so that libdirectml can tell what it may support.
struct Device : Object {
  explicit Device(const Adapter* adapter) : about(adapter) {}
  virtual const Adapter* About() { return about; }  // in the place of GetPrivateData, which nothing calls
  const Adapter* const about;
};

}  // namespace

// Compute-only adapters reach level 1_0_CORE alone. A null `out` asks whether the device could be made.
EXPORT Result D3D12CreateDevice(Object* object, int level, const Guid&, void** out) {
  if (!object) return kInvalidArgument;
  const Adapter* adapter = static_cast<AnyAdapter*>(object)->about;
  constexpr uint32_t kCore10 = 0x1000;
  const uint32_t highest = adapter->graphics ? adapter->feature_level : std::min(adapter->feature_level, kCore10);
  if (highest < static_cast<uint32_t>(level)) return kUnsupported;
  if (!out) return kFalse;
  *out = new Device(adapter);
  return kOk;
}

#elif defined(SIM_DIRECTML)

// DML_BUFFER_TENSOR_DESC, DML_TENSOR_DESC, DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC and DML_OPERATOR_DESC.
struct BufferDescription {
  uint32_t data_type, flags, dimensions;
  const uint32_t *sizes, *strides;
  uint64_t bytes;
  uint32_t alignment;
};
struct TensorDescription {
  uint32_t type;
  const BufferDescription* buffer;
};
struct IdentityDescription {
  const TensorDescription *input, *output;
  const void* scale_bias;
};
struct OperatorDescription {
  uint32_t type;
  const IdentityDescription* inside;
};

struct DirectMLDevice : Object {
  explicit DirectMLDevice(const Adapter* adapter) : about(adapter) {}
  virtual Result GetPrivateData(const Guid&, uint32_t*, void*) { return kInvalidArgument; }
  virtual Result SetPrivateData(const Guid&, uint32_t, const void*) { return kOk; }
  virtual Result SetPrivateDataInterface(const Guid&, void*) { return kOk; }
  virtual Result SetName(const char16_t*) { return kOk; }
  virtual Result CheckFeatureSupport(uint32_t feature, uint32_t query_size, const void* query, uint32_t size, void* out) {
    uint32_t type;  // the question about a data type is that one number, the answer one 32-bit boolean
    if (feature != 0 || query_size != sizeof type || size != sizeof type) return kInvalidArgument;
    memcpy(&type, query, sizeof type);
    const uint32_t yes = !(about->lacks_types >> type & 1);
    memcpy(out, &yes, sizeof yes);
    return kOk;
  }
  virtual Result CreateOperator(const OperatorDescription* description, const Guid&, void** out) {
    // DML_OPERATOR_ELEMENT_WISE_IDENTITY on one float, which is what is asked of a device before it is used.
    if (description->type != 1 || !description->inside->input || !description->inside->output) return kInvalidArgument;
    const TensorDescription& tensor = *description->inside->input;
    if (tensor.type != 1 || tensor.buffer->data_type != 1 || tensor.buffer->dimensions != 4) return kInvalidArgument;
    for (int i = 0; i < 4; i++) {
      if (tensor.buffer->sizes[i] != 1) return kInvalidArgument;
    }
    return tensor.buffer->bytes == 4 ? Make(out) : kInvalidArgument;
  }
  virtual Result CompileOperator(void*, uint32_t, const Guid&, void** out) {
    return about->compiles ? Make(out) : kUnsupported;
  }
  const Adapter* const about;

 private:
  static Result Make(void** out) {
    if (!out) return kFalse;
    *out = new Object;
    return kOk;
  }
};

// The virtual table of libd3d12's device, as far as it is needed here.
struct Direct3DDevice : Object {
  virtual const Adapter* About() = 0;
};

}  // namespace

EXPORT Result DMLCreateDevice(Direct3DDevice* device, uint32_t, const Guid&, void** out) {
  if (!device) return kInvalidArgument;
  if (!device->About()->directml) return kUnsupported;
  *out = new DirectMLDevice(device->About());
  return kOk;
}

EXPORT Result DMLCreateDevice1(Direct3DDevice* device, uint32_t flags, uint32_t, const Guid& id, void** out) {
  return DMLCreateDevice(device, flags, id, out);
}

#endif
