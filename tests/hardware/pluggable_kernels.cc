// The kernels of the simulated TensorFlow device: each runs its operation on the CPU, in a private eager context, and
// copies the result into a device buffer. That is safe because device memory is host memory.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "pluggable.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/eager/c_api.h"
#include "tensorflow/c/eager/c_api_experimental.h"
#include "tensorflow/c/kernels.h"

namespace {

// The private context holds no device of our type, or running a kernel would end in running a kernel.
TFE_Context* Context() {
  static TFE_Context* context = [] {
    const std::string& type = settings().type;
    std::string count = "\x0a" + std::string(1, static_cast<char>(type.size())) + type + std::string("\x10\x00", 2);
    const std::string config = "\x0a" + std::string(1, static_cast<char>(count.size())) + count;  // device_count: 0
    Status status;
    TFE_ContextOptions* options = CALL(TFE_NewContextOptions)();
    CALL(TFE_ContextOptionsSetConfig)(options, config.data(), config.size(), status.raw);
    TFE_Context* made = CALL(TFE_NewContext)(options, status.raw);
    CALL(TFE_DeleteContextOptions)(options);
    if (!status.ok()) fprintf(stderr, "devicekit simulated device: %s\n", TF_Message(status.raw));
    return made;
  }();
  return context;
}

TFE_Op* NewOp(const char* name, TF_Status* status) {
  TFE_Op* op = CALL(TFE_NewOp)(Context(), name, status);
  if (op) CALL(TFE_OpSetDevice)(op, "/device:CPU:0", status);
  return op;
}

TFE_TensorHandle* NewHandle(const TF_Tensor* tensor, TF_Status* status) {
  // Not by CALL: the header gives C++ a second function of this name.
  static const auto found =
      reinterpret_cast<TFE_TensorHandle* (*)(const TF_Tensor*, TF_Status*)>(Require("TFE_NewTensorHandle"));
  return found(tensor, status);
}

struct Kernel {
  const Op* op;
  TFE_Op* form;  // never executed: it holds the attributes
};

constexpr char kNumbersOnly[] = "devicekit simulated device: numbers only";

void CopyAttribute(TF_OpKernelConstruction* from, TFE_Op* to, const char* name, const std::string& type,
                   TF_Status* status) {
  int32_t length = 0, total = 0;
  if (type == "string" || type[0] == 'l') TF_OpKernelConstruction_GetAttrSize(from, name, &length, &total, status);
  const size_t room = (length > 0 ? length : 0) + 1;
  if (TF_GetCode(status) != TF_OK) return;
  if (type == "type") {
    TF_DataType value;
    TF_OpKernelConstruction_GetAttrType(from, name, &value, status);
    if (TF_GetCode(status) != TF_OK) return;
    if (!IsPlain(value)) return TF_SetStatus(status, TF_UNIMPLEMENTED, kNumbersOnly);
    CALL(TFE_OpSetAttrType)(to, name, value);
  } else if (type == "int") {
    int64_t value;
    TF_OpKernelConstruction_GetAttrInt64(from, name, &value, status);
    CALL(TFE_OpSetAttrInt)(to, name, value);
  } else if (type == "float") {
    float value;
    TF_OpKernelConstruction_GetAttrFloat(from, name, &value, status);
    CALL(TFE_OpSetAttrFloat)(to, name, value);
  } else if (type == "bool") {
    TF_Bool value;
    TF_OpKernelConstruction_GetAttrBool(from, name, &value, status);
    CALL(TFE_OpSetAttrBool)(to, name, value);
  } else if (type == "string") {
    std::string value(total, '\0');
    TF_OpKernelConstruction_GetAttrString(from, name, &value[0], total, status);
    CALL(TFE_OpSetAttrString)(to, name, value.data(), value.size());
  } else if (type == "tensor") {
    TF_Tensor* value = nullptr;
    TF_OpKernelConstruction_GetAttrTensor(from, name, &value, status);
    if (!value) return;
    CALL(TFE_OpSetAttrTensor)(to, name, value, status);
    TF_DeleteTensor(value);
  } else if (type == "list(type)") {
    std::vector<TF_DataType> values(room);
    TF_OpKernelConstruction_GetAttrTypeList(from, name, values.data(), length, status);
    for (int i = 0; i < length; ++i)
      if (!IsPlain(values[i])) return TF_SetStatus(status, TF_UNIMPLEMENTED, kNumbersOnly);
    CALL(TFE_OpSetAttrTypeList)(to, name, values.data(), length);
  } else if (type == "list(int)") {
    std::vector<int64_t> values(room);
    TF_OpKernelConstruction_GetAttrInt64List(from, name, values.data(), length, status);
    CALL(TFE_OpSetAttrIntList)(to, name, values.data(), length);
  } else if (type == "list(float)") {
    std::vector<float> values(room);
    TF_OpKernelConstruction_GetAttrFloatList(from, name, values.data(), length, status);
    CALL(TFE_OpSetAttrFloatList)(to, name, values.data(), length);
  } else if (type == "list(bool)") {
    std::vector<TF_Bool> values(room);
    TF_OpKernelConstruction_GetAttrBoolList(from, name, values.data(), length, status);
    CALL(TFE_OpSetAttrBoolList)(to, name, values.data(), length);
  } else {  // list(string)
    std::vector<char*> values(room);
    std::vector<size_t> lengths(room);
    std::string storage(total + 1, '\0');
    TF_OpKernelConstruction_GetAttrStringList(from, name, values.data(), lengths.data(), length, &storage[0], total,
                                              status);
    const auto* pointers = reinterpret_cast<const void* const*>(values.data());
    CALL(TFE_OpSetAttrStringList)(to, name, pointers, lengths.data(), length);
  }
}

void CopyTensor(TF_OpKernelContext*, TF_Tensor* source, TF_Tensor* target) {
  if (const size_t size = TF_TensorByteSize(source)) memcpy(TF_TensorData(target), TF_TensorData(source), size);
}

bool IsProduct(const std::string& op) {
  return op.find("MatMul") != std::string::npos || op.find("Conv2D") == 0;
}

// How many bits of a float's 23 the inputs of matrix products lose: TF32 keeps 10, bfloat16 keeps 7.
int LostBits(const std::string& op) {
  if (!IsProduct(op)) return 0;
  return settings().Fault("bfloat16") ? 16 : settings().Fault("tf32") ? 13 : 0;
}

// A copy with the last bits of each number rounded off, to the nearest and to even.
TF_Tensor* Rounded(const TF_Tensor* tensor, int lost_bits) {
  std::vector<int64_t> shape;
  for (int i = 0; i < TF_NumDims(tensor); ++i) shape.push_back(TF_Dim(tensor, i));
  TF_Tensor* copy = TF_AllocateTensor(TF_FLOAT, shape.data(), shape.size(), TF_TensorByteSize(tensor));
  const auto* from = static_cast<const uint32_t*>(TF_TensorData(tensor));
  auto* to = static_cast<uint32_t*>(TF_TensorData(copy));
  const uint32_t mask = (1u << lost_bits) - 1;
  for (size_t i = 0; i < TF_TensorByteSize(tensor) / sizeof(float); ++i)
    to[i] = (from[i] + (mask >> 1) + ((from[i] >> lost_bits) & 1)) & ~mask;
  return copy;
}

constexpr TF_DataType kNoType = static_cast<TF_DataType>(0);
constexpr char kAnonymous[] = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

// Tensors and handles of one run, all given back at its end.
struct Run {
  Status status;
  std::vector<TF_Tensor*> tensors;
  std::vector<TFE_TensorHandle*> handles;
  std::vector<std::pair<TFE_TensorHandle*, TF_Tensor*>> variables;  // stand-in, and the memory of the real one

  TF_Tensor* Keep(TF_Tensor* tensor) {
    if (tensor) tensors.push_back(tensor);
    return tensor;
  }
  TFE_TensorHandle* Keep(TFE_TensorHandle* handle) {
    if (handle) handles.push_back(handle);
    return handle;
  }
  void Drop() {
    for (TFE_TensorHandle* handle : handles) CALL(TFE_DeleteTensorHandle)(handle);
    for (TF_Tensor* tensor : tensors) TF_DeleteTensor(tensor);
    handles.clear();
    tensors.clear();
  }
  ~Run() { Drop(); }

  // Runs a small operation of the private context: at most one output, `type` for its dtype attribute.
  TFE_TensorHandle* Small(const char* name, TF_DataType type, const std::vector<TFE_TensorHandle*>& inputs) {
    if (!status.ok()) return nullptr;
    TFE_Op* op = NewOp(name, status.raw);
    if (type != kNoType) CALL(TFE_OpSetAttrType)(op, "dtype", type);
    if (inputs.empty()) {  // a new variable; with this name TensorFlow gives each one a name of its own
      CALL(TFE_OpSetAttrString)(op, "shared_name", kAnonymous, sizeof kAnonymous - 1);
      CALL(TFE_OpSetAttrShape)(op, "shape", nullptr, -1, status.raw);
    }
    for (TFE_TensorHandle* input : inputs) CALL(TFE_OpAddInput)(op, input, status.raw);
    TFE_TensorHandle* output = nullptr;
    int count = 1;
    if (status.ok()) CALL(TFE_Execute)(op, &output, &count, status.raw);
    CALL(TFE_DeleteOp)(op);
    return count == 1 ? Keep(output) : nullptr;
  }

  TFE_TensorHandle* Input(TF_OpKernelContext* context, int index, bool is_variable, int lost_bits) {
    TF_Tensor* tensor = nullptr;
    if (!is_variable) {
      TF_GetInput(context, index, &tensor, status.raw);
      if (Keep(tensor) && lost_bits && TF_TensorType(tensor) == TF_FLOAT) tensor = Keep(Rounded(tensor, lost_bits));
      return tensor ? Keep(NewHandle(tensor, status.raw)) : nullptr;
    }
    static const auto variable_input = Optional<VariableInputFn>("TF_GetInputTensorFromVariable");
    variable_input(context, index, false, false, false, CopyTensor, &tensor, status.raw);
    if (!status.ok() || !Keep(tensor)) return nullptr;
    const TF_DataType type = TF_TensorType(tensor);
    // Assigning shares the buffer; we hold it too, so an update of the stand-in makes a copy and leaves ours alone.
    TFE_TensorHandle* value = Keep(NewHandle(tensor, status.raw));
    TFE_TensorHandle* stand_in = Small("VarHandleOp", type, {});
    Small("AssignVariableOp", type, {stand_in, value});
    variables.emplace_back(stand_in, tensor);
    return stand_in;
  }
};

// The first kernel that runs meets the faults; nothing before it does, so listing and placing still work.
bool Faulty(TF_OpKernelContext* context, const std::string& op) {
  const Settings& set = settings();
  const auto fault = [&](const char* name) { return set.Fault(name) || set.FaultAt(name, op); };
  if (fault("crash")) raise(SIGSEGV);
  if (fault("abort")) abort();
  while (fault("hang")) sleep(3600);
  Status status;
  if (fault("raise")) TF_SetStatus(status.raw, TF_INTERNAL, "devicekit simulated fault: the kernel failed");
  if (set.Fault("oom")) {
    // More than the device has, so the error is TensorFlow's own, and so is its wait of ten seconds for memory.
    const int64_t shape[1] = {set.memory + 1};
    TF_AllocatorAttributes attributes{TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, 0};
    TF_Tensor* tensor = TF_AllocateTemp(context, TF_UINT8, shape, 1, &attributes, status.raw);
    if (tensor) TF_DeleteTensor(tensor);
  }
  if (status.ok()) return false;
  TF_OpKernelContext_Failure(context, status.raw);
  return true;
}

void Spoil(TF_Tensor* tensor) {
  const size_t size = TF_TensorByteSize(tensor);
  void* data = TF_TensorData(tensor);
  if (TF_TensorType(tensor) == TF_FLOAT) {
    for (size_t i = 0; i < size / sizeof(float); ++i) static_cast<float*>(data)[i] += 1;
  } else if (TF_TensorType(tensor) == TF_DOUBLE) {
    for (size_t i = 0; i < size / sizeof(double); ++i) static_cast<double*>(data)[i] += 1;
  } else if (TF_TensorType(tensor) == TF_HALF || TF_TensorType(tensor) == TF_BFLOAT16) {
    for (size_t i = 0; i < size / sizeof(uint16_t); ++i) static_cast<uint16_t*>(data)[i] ^= 0x8000;
  }
}

// What a device that computes wrong makes of a right result.
void Falsify(const std::string& op, TF_Tensor* tensor) {
  if (TF_TensorType(tensor) != TF_FLOAT) return;
  auto* data = static_cast<float*>(TF_TensorData(tensor));
  const size_t size = TF_TensorByteSize(tensor) / sizeof(float);
  if (settings().Fault("nan") && op == "Softmax" && size) data[size / 2] = std::nanf("");
  if (settings().Fault("gradient") && op == "Conv2DBackpropFilter")
    for (size_t i = 0; i < size; ++i) data[i] /= 2;
  if (op != "Conv2D" || TF_NumDims(tensor) != 4) return;
  if (settings().Fault("padding")) {  // NHWC
    const size_t row = TF_Dim(tensor, 2) * TF_Dim(tensor, 3), image = TF_Dim(tensor, 1) * row;
    for (size_t start = 0; start + image <= size; start += image) {
      memmove(data + start, data + start + row, (image - row) * sizeof(float));
      std::fill(data + start + image - row, data + start + image, 0.0f);
    }
  }
  if (settings().Fault("stale")) {
    static std::mutex lock;
    static auto* before = new std::map<std::vector<int64_t>, std::vector<float>>;
    std::vector<int64_t> shape;
    for (int i = 0; i < 4; ++i) shape.push_back(TF_Dim(tensor, i));
    std::vector<float> right(data, data + size);
    std::lock_guard<std::mutex> hold(lock);
    std::vector<float>& last = (*before)[shape];
    if (last.size() == size) std::copy(last.begin(), last.end(), data);
    last = right;
  }
}

void Output(TF_OpKernelContext* context, int index, TF_Tensor* result, bool spoil, TF_Status* status) {
  std::vector<int64_t> shape;
  for (int i = 0; i < TF_NumDims(result); ++i) shape.push_back(TF_Dim(result, i));
  std::vector<int> inputs;
  for (int i = 0; i < TF_NumInputs(context); ++i) inputs.push_back(i);
  // Collective reductions demand that a kernel writes into an input that is no longer needed.
  int forwarded;
  TF_Tensor* output =
      TF_ForwardInputOrAllocateOutput(context, inputs.data(), inputs.size(), index, shape.data(), shape.size(),
                                      &forwarded, status);
  if (TF_GetCode(status) == TF_OK) {
    CopyTensor(context, result, output);
    if (spoil) Spoil(output);
  }
  if (output) TF_DeleteTensor(output);
}

}  // namespace

void* CreateKernel(const Op& op, TF_OpKernelConstruction* construction) {
  Status status;
  auto* kernel = new Kernel{&op, NewOp(op.name.c_str(), status.raw)};
  for (const auto& attribute : op.attributes)
    if (status.ok())
      CopyAttribute(construction, kernel->form, attribute.first.c_str(), attribute.second, status.raw);
  if (!status.ok()) TF_OpKernelConstruction_Failure(construction, status.raw);
  return kernel;
}

void DeleteKernel(void* kernel) {
  if (!kernel) return;
  if (TFE_Op* form = static_cast<Kernel*>(kernel)->form) CALL(TFE_DeleteOp)(form);
  delete static_cast<Kernel*>(kernel);
}

void ComputeKernel(void* self, TF_OpKernelContext* context) {
  const Kernel& kernel = *static_cast<Kernel*>(self);
  if (Faulty(context, kernel.op->name)) return;
  Run run;
  TFE_Op* op = NewOp(kernel.op->name.c_str(), run.status.raw);
  CALL(TFE_OpAddAttrs)(op, CALL(TFE_OpGetAttrs)(kernel.form));
  for (int i = 0; i < TF_NumInputs(context) && run.status.ok(); ++i) {
    const bool is_variable = kernel.op->variable_inputs.count(i) > 0;
    TFE_TensorHandle* input = run.Input(context, i, is_variable, LostBits(kernel.op->name));
    if (run.status.ok()) CALL(TFE_OpAddInput)(op, input, run.status.raw);
  }
  std::vector<TFE_TensorHandle*> outputs(TF_NumOutputs(context) + 1);
  int count = TF_NumOutputs(context);
  if (run.status.ok()) CALL(TFE_Execute)(op, outputs.data(), &count, run.status.raw);
  CALL(TFE_DeleteOp)(op);

  std::vector<TF_Tensor*> results;
  for (int i = 0; i < count && run.status.ok(); ++i) {
    results.push_back(CALL(TFE_TensorHandleResolve)(outputs[i], run.status.raw));
    CALL(TFE_DeleteTensorHandle)(outputs[i]);
  }
  for (const auto& variable : run.variables) {
    TFE_TensorHandle* value = run.Small("ReadVariableOp", TF_TensorType(variable.second), {variable.first});
    TF_Tensor* updated = value ? run.Keep(CALL(TFE_TensorHandleResolve)(value, run.status.raw)) : nullptr;
    if (updated && run.status.ok()) CopyTensor(context, updated, variable.second);
    run.Small("DestroyResourceOp", kNoType, {variable.first});
  }
  if (run.status.ok() && getenv("DEVICEKIT_SIM_KERNEL")) {
    std::vector<TF_Tensor*> inputs;
    if (TF_NumInputs(context) > 0 && !kernel.op->variable_inputs.count(0)) {
      TF_Tensor* input = nullptr;
      TF_GetInput(context, 0, &input, run.status.raw);
      if (run.Keep(input)) inputs.push_back(input);
    }
    Plant(kernel.op->name, inputs, results);
  }
  run.Drop();  // before the outputs: an input that we still hold cannot be forwarded
  const bool is_product = kernel.op->name.find("MatMul") != std::string::npos;
  const bool spoil = (settings().Fault("wrong") && is_product) || settings().FaultAt("wrong", kernel.op->name);
  for (size_t i = 0; i < results.size(); ++i) {
    if (run.status.ok()) {
      Falsify(kernel.op->name, results[i]);
      Output(context, i, results[i], spoil, run.status.raw);
    }
    if (results[i]) TF_DeleteTensor(results[i]);
  }
  if (!run.status.ok()) TF_OpKernelContext_Failure(context, run.status.raw);
}

// Needed where TensorFlow has no assignment of its own for a pluggable device (2.10).
void ComputeAssignment(void*, TF_OpKernelContext* context) {
  if (Faulty(context, "AssignVariableOp")) return;
  Status status;
  Optional<AssignVariableFn>("TF_AssignVariable")(context, 0, 1, false, CopyTensor, status.raw);
  if (!status.ok()) TF_OpKernelContext_Failure(context, status.raw);
}
