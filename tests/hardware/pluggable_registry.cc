// Which kernels the simulated TensorFlow device has: every plain CPU kernel definition is registered a second time for
// its device type. TensorFlow's own lists of operations and kernels, read at load, say which there are, so nothing here
// names a version of TensorFlow.

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pluggable.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"

namespace {

// ---- reading TensorFlow's lists: a field of a protocol buffer is a number and bytes, or a number and an integer ---

struct Field {
  int number;
  uint64_t integer;
  std::string bytes;
};

uint64_t Varint(const std::string& data, size_t* at) {
  uint64_t value = 0;
  for (int shift = 0; *at < data.size(); shift += 7) {
    const uint8_t byte = data[(*at)++];
    value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) break;
  }
  return value;
}

std::vector<Field> Fields(const std::string& data) {
  std::vector<Field> fields;
  for (size_t at = 0; at < data.size();) {
    const uint64_t key = Varint(data, &at);
    Field field{static_cast<int>(key >> 3), 0, ""};
    size_t size = (key & 7) == 1 ? 8 : 4;  // fixed-width values: of no interest here, only stepped over
    if ((key & 7) == 0) {
      field.integer = Varint(data, &at);
      size = 0;
    } else if ((key & 7) == 2) {
      size = Varint(data, &at);
    }
    field.bytes = data.substr(at, size);
    at += size;
    fields.push_back(field);
  }
  return fields;
}

std::string Bytes(const std::vector<Field>& fields, int number) {
  for (const Field& field : fields)
    if (field.number == number) return field.bytes;
  return "";
}

uint64_t Integer(const std::vector<Field>& fields, int number) {
  for (const Field& field : fields)
    if (field.number == number) return field.integer;
  return 0;
}

std::string Take(TF_Buffer* buffer) {
  std::string data(static_cast<const char*>(buffer->data), buffer->length);
  CALL(TF_DeleteBuffer)(buffer);
  return data;
}

bool StartsWith(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

// ---- operations ---------------------------------------------------------------------------------------------------

// One slot for each registered operation: TensorFlow passes nothing to the function that creates a kernel from which
// the name of the operation could be told (2.10 has no way to ask), so each operation gets a function of its own.
constexpr size_t kSlots = 1200;
std::array<Op, kSlots> ops;

bool IsVariableOp(const std::string& name) {
  for (const char* prefix : {"ResourceApply", "ResourceSparseApply", "ResourceScatter", "ResourceGather"})
    if (StartsWith(name, prefix)) return true;
  return name == "AssignAddVariableOp" || name == "AssignSubVariableOp";
}

// Stateful, yet sensible on a device: each kernel of the private context keeps its own generator.
bool IsRandomOp(const std::string& name) {
  for (const char* one : {"RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal"})
    if (name == one) return true;
  return false;
}

// Their outputs may be "dead", which only the executor understands. TensorFlow brings them for every device.
bool IsControlFlow(const std::string& name) {
  static const std::set<std::string> names{"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "Abort"};
  return names.count(name) > 0;
}

// Fills `op` from an OpDef; false if a generic kernel cannot run it.
bool Describe(const std::vector<Field>& definition, Op* op) {
  op->name = Bytes(definition, 1);
  const bool uses_variable = IsVariableOp(op->name);
  const bool stateful = Integer(definition, 17);
  if (op->name[0] == '_' || IsControlFlow(op->name)) return false;
  if (stateful && !uses_variable && !IsRandomOp(op->name)) return false;
  static const bool variables = Optional<VariableInputFn>("TF_GetInputTensorFromVariable") != nullptr;
  if (uses_variable && !variables) return false;
  int input = 0;
  for (const Field& field : definition) {
    if (field.number == 2 || field.number == 3) {  // an input or an output
      const auto argument = Fields(field.bytes);
      const uint64_t type = Integer(argument, 3);
      if (!IsPlain(type) && !(uses_variable && type == TF_RESOURCE)) return false;
      if (Integer(argument, 16)) return false;  // a reference
      if (field.number == 2 && type == TF_RESOURCE) op->variable_inputs.insert(input);
      input += field.number == 2;
    } else if (field.number == 4) {
      const auto attribute = Fields(field.bytes);
      const std::string type = Bytes(attribute, 2);
      static const std::set<std::string> known{
          "type",       "int",       "float",       "bool",       "string",      "tensor",
          "list(type)", "list(int)", "list(float)", "list(bool)", "list(string)"};
      if (!known.count(type)) return false;
      op->attributes.emplace_back(Bytes(attribute, 1), type);
    }
  }
  return true;
}

// ---- kernels: what a definition constrains is attribute -> the types that it accepts ------------------------------

using Constraints = std::map<std::string, std::set<uint64_t>>;

Constraints ConstraintsOf(const std::vector<Field>& kernel) {
  Constraints constraints;
  for (const Field& field : kernel) {
    if (field.number != 3) continue;
    const auto constraint = Fields(field.bytes);
    std::set<uint64_t>& types = constraints[Bytes(constraint, 1)];
    for (const Field& item : Fields(Bytes(Fields(Bytes(constraint, 2)), 1))) {
      if (item.number != 6) continue;
      size_t at = 0;  // packed or not, depending on who wrote it
      if (item.bytes.empty()) types.insert(item.integer);
      while (at < item.bytes.size()) types.insert(Varint(item.bytes, &at));
    }
  }
  return constraints;
}

// A kernel that TensorFlow has for every device, or for ours, must not get a twin: two kernels that match are an error.
bool Covered(const Constraints& cpu, const std::vector<Constraints>& present) {
  for (const Constraints& other : present) {
    bool covers = true;
    for (const auto& constraint : other) {
      const auto mine = cpu.find(constraint.first);
      if (mine == cpu.end()) return true;  // ours would take types that TensorFlow deliberately handles apart
      for (uint64_t type : mine->second) covers = covers && constraint.second.count(type);
    }
    if (covers) return true;
  }
  return false;
}

bool AllPlain(const Constraints& constraints) {
  for (const auto& constraint : constraints)
    for (uint64_t type : constraint.second)
      if (!IsPlain(type)) return false;
  return true;
}

template <size_t kSlot>
void* CreateInSlot(TF_OpKernelConstruction* construction) {
  return CreateKernel(ops[kSlot], construction);
}

using CreateFn = void* (*)(TF_OpKernelConstruction*);

template <size_t... kSlot>
constexpr std::array<CreateFn, sizeof...(kSlot)> Creators(std::index_sequence<kSlot...>) {
  return {CreateInSlot<kSlot>...};
}

constexpr auto creators = Creators(std::make_index_sequence<kSlots>());

void Register(const std::string& name, const std::string& definition, CreateFn create,
              void (*compute)(void*, TF_OpKernelContext*), TF_Status* status) {
  // In a protocol buffer the last value of a field counts: this turns the definition into one for our device.
  const std::string ours = definition + "\x12" + static_cast<char>(settings().type.size()) + settings().type;
  TF_KernelBuilder* builder =
      TF_NewKernelBuilder(name.c_str(), settings().type.c_str(), create, compute, create ? DeleteKernel : nullptr);
  TF_RegisterKernelBuilderWithKernelDef(ours.c_str(), ("DevicekitSimulated" + name).c_str(), builder, status);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void TF_InitKernel() {
  Status status;
  std::map<std::string, std::vector<std::string>> cpu;       // kernel definitions by operation
  std::map<std::string, std::vector<Constraints>> present;  // what TensorFlow has already
  for (const Field& item : Fields(Take(CALL(TF_GetAllRegisteredKernels)(status.raw)))) {
    const auto kernel = Fields(item.bytes);
    const std::string name = Bytes(kernel, 1), device = Bytes(kernel, 2);
    if (device == "CPU" && Bytes(kernel, 5).empty()) cpu[name].push_back(item.bytes);
    if (device == "DEFAULT" || device == settings().type) present[name].push_back(ConstraintsOf(kernel));
  }
  static const bool assigns = Optional<AssignVariableFn>("TF_AssignVariable") != nullptr;
  size_t slot = 0, count = 0;
  for (const Field& item : Fields(Take(CALL(TF_GetAllOpList)()))) {
    Op op;
    const bool generic = Describe(Fields(item.bytes), &op) && slot < kSlots;
    if (settings().Fault("missing") && op.name.find("MatMul") != std::string::npos) continue;
    if (settings().FaultAt("missing", op.name)) continue;
    if (!generic && !(assigns && op.name == "AssignVariableOp")) continue;
    bool used = false;
    for (const std::string& definition : cpu[op.name]) {
      const Constraints constraints = ConstraintsOf(Fields(definition));
      if (!AllPlain(constraints) || Covered(constraints, present[op.name])) continue;
      Register(op.name, definition, generic ? creators[slot] : nullptr, generic ? ComputeKernel : ComputeAssignment,
               status.raw);
      used = used || generic;
      ++count;
    }
    if (used) ops[slot++] = op;
  }
  if (getenv("DEVICEKIT_SIM_VERBOSE"))
    fprintf(stderr, "devicekit simulated device: %zu kernels, %zu operations\n", count, slot);
}
