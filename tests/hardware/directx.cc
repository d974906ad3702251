// Stand-ins for the three DirectX libraries that TensorFlow's DirectML builds load on WSL, so that their listing,
// filtering and ordering of adapters can be tested on any Linux. One source, compiled once for each of
//
//   -DSIM_DXCORE    libdxcore.so     lists the adapters
//   -DSIM_D3D12     libd3d12.so      says whether an adapter reaches a feature level
//   -DSIM_DIRECTML  libdirectml.so   says which data types an adapter supports
//
// DEVICEKIT_SIM_ADAPTERS names a text file with one adapter a line (empty lines and lines after # do not count):
//
//   name|vendor_hex|device_hex|driver|dedicated_bytes|shared_bytes|
//       hardware|integrated|feature_level_ok|datatypes_ok|graphics
//
// (in one line) where driver is four numbers with dots and the last five are 0 or 1. Instead of a file: "fail" makes
// the factory fail with 0xd0000001, as DXCore does where /dev/dxg is missing. Unset means no adapter.
//
// Only listing works. No device can do any work: the objects have no functions beyond those used for listing.
//
// The classes are laid out by hand: what the caller relies on is the position of a function in the virtual table, so
// none has a virtual destructor, and a function that nobody calls is a numbered filler.

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
  bool hardware = true, integrated = false, feature_level = true, data_types = true, graphics = true;
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
      words.resize(11);
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
      adapter.feature_level = flag(8, true);
      adapter.data_types = flag(9, true);
      adapter.graphics = flag(10, true);
      list->push_back(adapter);
    }
    return list;
  }();
  return *adapters;
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

#if defined(SIM_DXCORE) || defined(SIM_D3D12)

// An IDXCoreAdapter. libd3d12 is handed one that libdxcore made; both compile this class, and Direct3D reads `about`.
struct AdapterObject : Object {
  explicit AdapterObject(const Adapter* adapter) : about(adapter) {}
  virtual bool IsValid() { return true; }
  virtual bool IsAttributeSupported(const Guid& attribute) {
    switch (attribute.first) {
      case 0x248e2800:  // D3D12_CORE_COMPUTE
        return true;
      case 0x0c9ece4d:  // D3D12_GRAPHICS
      case 0x8c47866b:  // D3D11_GRAPHICS
        return about->graphics;
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

  const Adapter* const about;

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
      case 1: {  // four 16-bit numbers in one
        uint64_t packed = 0;
        std::istringstream split(about->driver);
        for (std::string part; std::getline(split, part, '.');) packed = packed << 16 | (atoi(part.c_str()) & 0xffff);
        return Raw(packed);
      }
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

#endif

#ifdef SIM_DXCORE

struct AdapterList : Object {
  virtual Result GetAdapter(uint32_t index, const Guid&, void** out) {
    if (index >= Adapters().size()) return kInvalidArgument;
    *out = new AdapterObject(&Adapters()[index]);
    return kOk;
  }
  virtual uint32_t GetAdapterCount() { return Adapters().size(); }
  virtual bool IsStale() { return false; }
  virtual Result GetFactory(const Guid&, void**) { return kNoInterface; }
  virtual Result Sort(uint32_t, const uint32_t*) { return kOk; }  // the file's order is the order of preference
  virtual bool IsAdapterPreferenceSupported(uint32_t) { return true; }
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
  const Adapter* adapter = static_cast<AdapterObject*>(object)->about;
  constexpr int kCore10 = 0x1000;
  if (!adapter->feature_level || (level > kCore10 && !adapter->graphics)) return kUnsupported;
  if (!out) return kFalse;
  *out = new Device(adapter);
  return kOk;
}

#elif defined(SIM_DIRECTML)

struct DirectMLDevice : Object {
  explicit DirectMLDevice(const Adapter* adapter) : about(adapter) {}
  virtual Result GetPrivateData(const Guid&, uint32_t*, void*) { return kInvalidArgument; }
  virtual Result SetPrivateData(const Guid&, uint32_t, const void*) { return kOk; }
  virtual Result SetPrivateDataInterface(const Guid&, void*) { return kOk; }
  virtual Result SetName(const char16_t*) { return kOk; }
  virtual Result CheckFeatureSupport(uint32_t, uint32_t, const void*, uint32_t size, void* out) {
    memset(out, 0, size);
    const uint32_t yes = about->data_types;  // one 32-bit boolean in the answer about a data type
    memcpy(out, &yes, size < sizeof yes ? size : sizeof yes);
    return kOk;
  }
  virtual Result CreateOperator(const void*, const Guid&, void** out) { return Make(out); }
  virtual Result CompileOperator(void*, uint32_t, const Guid&, void** out) { return Make(out); }
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
  *out = new DirectMLDevice(device->About());
  return kOk;
}

EXPORT Result DMLCreateDevice1(Direct3DDevice* device, uint32_t flags, uint32_t, const Guid& id, void** out) {
  return DMLCreateDevice(device, flags, id, out);
}

#endif
