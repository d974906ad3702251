// A PyTorch device of host memory, so that the real PyTorch, and Keras on it, place things on an accelerator that is not
// there. It takes the place that PyTorch keeps for devices of other packages; every operation that is not about memory
// runs on the CPU and its result is copied back, which is PyTorch's own fallback.
//
// Environment, read once when the library is loaded:
//   DEVICEKIT_SIM_COUNT   number of devices (1)
//   DEVICEKIT_SIM_FAULT   one of
//     raise               every operation fails
//     wrong               matrix products are off by one
//     tf32, bfloat16      matrix products and convolutions round their float inputs to so many bits
//     tf32input, tf32filter  the gradient of a convolution's input, of its filter, alone does, as cuDNN chooses its kernels
//     stale               a convolution returns what the one before it of the same shape has computed
//     nan                 softmax has one element that is not a number
//     padding             a convolution is shifted by one row
//     gradient            the gradient of a convolution's filter is half of what it should be
//     crash@tanh          operations whose names begin with tanh end the process by SIGSEGV, or abort, hang, raise, or
//                         are wrong: off by one

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/_copy_from_native.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace {

constexpr auto kType = c10::DeviceType::PrivateUse1;
thread_local c10::DeviceIndex current = 0;

std::string Text(const char* name, const char* fallback) {
  const char* value = getenv(name);
  return value && *value ? value : fallback;
}
const c10::DeviceIndex kCount = static_cast<c10::DeviceIndex>(atoi(Text("DEVICEKIT_SIM_COUNT", "1").c_str()));
const std::string kFault = Text("DEVICEKIT_SIM_FAULT", "");

struct HostMemory final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    void* data = malloc(size ? size : 1);
    return {data, data, &free, c10::Device(kType, current)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free; }
  void copy_data(void* to, const void* from, size_t size) const override { memcpy(to, from, size); }
};
HostMemory memory;
REGISTER_ALLOCATOR(kType, &memory)

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device before(kType, current);
    setDevice(device);
    return before;
  }
  c10::Device getDevice() const override { return {kType, current}; }
  void setDevice(c10::Device device) const override {
    TORCH_CHECK(device.index() < kCount, "there are ", static_cast<int>(kCount), " simulated devices");
    current = device.index();
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override { current = device.index(); }
  c10::Stream getStream(c10::Device device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return kCount; }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

// Random numbers are the CPU's.
struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    return at::detail::getDefaultCPUGenerator();
  }
  at::Generator getNewGenerator(c10::DeviceIndex) const override { return at::detail::createCPUGenerator(); }
};
Hooks hooks;
const bool registered = (at::RegisterPrivateUse1HooksInterface(&hooks), true);

struct OnDevice {
  const c10::DeviceIndex before = current;
  explicit OnDevice(std::optional<c10::Device> device) {
    if (device && device->has_index()) Guard().setDevice(*device);
  }
  ~OnDevice() { current = before; }
};

at::Tensor Empty(c10::IntArrayRef size, std::optional<c10::ScalarType> dtype, std::optional<c10::Layout>,
                 std::optional<c10::Device> device, std::optional<bool>, std::optional<c10::MemoryFormat> format) {
  OnDevice hold(device);
  return at::detail::empty_generic(size, &memory, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   c10::dtype_or_default(dtype), format);
}

at::Tensor EmptyStrided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<c10::ScalarType> dtype,
                        std::optional<c10::Layout>, std::optional<c10::Device> device, std::optional<bool>) {
  OnDevice hold(device);
  return at::detail::empty_strided_generic(size, stride, &memory, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                           c10::dtype_or_default(dtype));
}

// The same memory as a tensor of the CPU.
at::Tensor OnCpu(const at::Tensor& tensor) {
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(),
                       at::TensorOptions().dtype(tensor.scalar_type()).device(at::kCPU));
}

at::Tensor CopyFrom(const at::Tensor& from, const at::Tensor& to, bool) {
  OnCpu(to).copy_(OnCpu(from));
  return to;
}

at::Tensor CopyFromAndResize(const at::Tensor& from, const at::Tensor& to) {
  if (to.sizes() != from.sizes()) to.resize_(from.sizes());
  return CopyFrom(from, to, false);
}

// What is planted for an operation alone: "crash" for "crash@tanh" and tanh_backward. Does what is not about its result.
std::string PlantedAt(const std::string& name) {
  const size_t at = kFault.find('@');
  if (at == std::string::npos || name.compare(0, kFault.size() - at - 1, kFault, at + 1) != 0) return "";
  const std::string kind = kFault.substr(0, at);
  if (kind == "crash") raise(SIGSEGV);
  if (kind == "abort") abort();
  while (kind == "hang") sleep(3600);
  TORCH_CHECK(kind != "raise", "devicekit simulated fault: the kernel failed");
  return kind;
}

// How many bits of a float's 23 the inputs of matrix products lose: TF32 keeps 10, bfloat16 keeps 7.
int LostBits() { return kFault == "bfloat16" ? 16 : kFault == "tf32" ? 13 : 0; }

// A copy, on the CPU, with the last bits of each number rounded off, to the nearest and to even.
at::Tensor Rounded(const at::Tensor& cpu, int lost = LostBits()) {
  at::Tensor copy = cpu.contiguous().clone();
  if (copy.scalar_type() != at::kFloat || !lost) return copy;
  auto* bits = static_cast<uint32_t*>(copy.data_ptr());
  const uint32_t mask = (1u << lost) - 1;
  for (int64_t i = 0; i < copy.numel(); ++i)
    bits[i] = (bits[i] + (mask >> 1) + ((bits[i] >> lost) & 1)) & ~mask;
  return copy;
}

at::Tensor ToDevice(const at::Tensor& cpu, c10::Device device) {
  OnDevice hold(device);
  at::Tensor made = at::empty(cpu.sizes(), cpu.options().device(device));
  OnCpu(made).copy_(cpu);
  return made;
}

// PyTorch has no fallback for convolutions: a device must bring its own.
at::Tensor Convolution(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                       c10::SymIntArrayRef stride, c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation,
                       bool transposed, c10::SymIntArrayRef output_padding, c10::SymInt groups) {
  TORCH_CHECK(kFault != "raise", "devicekit simulated fault: the kernel failed");
  const std::string planted = PlantedAt("convolution");
  std::optional<at::Tensor> cpu_bias;
  if (bias && bias->defined()) cpu_bias = OnCpu(*bias);
  at::Tensor result = at::convolution_symint(Rounded(OnCpu(input)), Rounded(OnCpu(weight)), cpu_bias, stride, padding,
                                             dilation, transposed, output_padding, groups)
                          .contiguous();
  if (planted == "wrong") result.add_(1);
  if (kFault == "padding" && result.dim() == 4) {  // NCHW
    at::Tensor right = result.clone();
    const int64_t rows = result.size(2);
    result.slice(2, 0, rows - 1).copy_(right.slice(2, 1, rows));
    result.slice(2, rows - 1, rows).zero_();
  }
  if (kFault == "stale") {
    static std::mutex lock;
    static auto* before = new std::map<std::vector<int64_t>, at::Tensor>;
    std::lock_guard<std::mutex> hold(lock);
    at::Tensor& last = (*before)[result.sizes().vec()];
    const at::Tensor right = result.clone();
    if (last.defined()) result.copy_(last);
    last = right;
  }
  return ToDevice(result, input.device());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> ConvolutionBackward(
    const at::Tensor& gradient, const at::Tensor& input, const at::Tensor& weight, c10::SymIntArrayRef stride,
    c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation, bool transposed, c10::SymIntArrayRef output_padding,
    c10::SymInt groups, std::array<bool, 3> mask) {
  const std::vector<c10::SymInt> bias{weight.sym_size(transposed ? 1 : 0) * (transposed ? groups : c10::SymInt(1))};
  const auto computed = [&](int lost) {
    return at::convolution_backward_symint(Rounded(OnCpu(gradient), lost), Rounded(OnCpu(input), lost),
                                           Rounded(OnCpu(weight), lost), c10::SymIntArrayRef(bias), stride, padding,
                                           dilation, transposed, output_padding, groups, mask);
  };
  auto found = computed(LostBits());
  if (kFault == "tf32input") std::get<0>(found) = std::get<0>(computed(13));
  if (kFault == "tf32filter") std::get<1>(found) = std::get<1>(computed(13));
  if (kFault == "gradient" && std::get<1>(found).defined()) std::get<1>(found).div_(2);
  const auto give = [&](const at::Tensor& cpu) {
    return cpu.defined() ? ToDevice(cpu.contiguous(), input.device()) : at::Tensor();
  };
  return {give(std::get<0>(found)), give(std::get<1>(found)), give(std::get<2>(found))};
}

bool IsProduct(const std::string& name) {
  return name == "aten::mm" || name == "aten::addmm" || name == "aten::bmm" || name == "aten::baddbmm";
}

void Fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  TORCH_CHECK(kFault != "raise", "devicekit simulated fault: the kernel failed");
  const std::string& name = op.schema().name();
  const std::string planted = PlantedAt(name.substr(name.rfind(':') + 1));
  if (LostBits() && IsProduct(name)) {
    const auto& arguments = op.schema().arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      c10::IValue& value = (*stack)[stack->size() - arguments.size() + i];
      if (value.isTensor() && !arguments[i].alias_info())  // not what the result is written to
        value = ToDevice(Rounded(OnCpu(value.toTensor())), value.toTensor().device());
    }
  }
  at::native::cpu_fallback(op, stack);
  if (planted == "wrong" || (kFault == "wrong" && (name == "aten::mm" || name == "aten::addmm")))
    OnCpu(stack->back().toTensor()).add_(1);
  if (kFault == "nan" && name == "aten::_softmax") {
    const at::Tensor result = OnCpu(stack->back().toTensor()).view(-1);
    if (result.numel()) result[result.numel() / 2] = std::nan("");
  }
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", Empty);
  m.impl("empty_strided", EmptyStrided);
  m.impl("_copy_from", CopyFrom);
  m.impl("_copy_from_and_resize", CopyFromAndResize);
  m.impl("as_strided", at::native::as_strided_tensorimpl);
  m.impl("view", at::native::view);
  m.impl("_reshape_alias", at::native::_reshape_alias);
  m.impl("resize_", at::native::resize_);
  m.impl("set_.source_Storage_storage_offset", at::native::set_storage_cpu_);
  m.impl("_local_scalar_dense", at::native::_local_scalar_dense_cpu);
  m.impl("convolution_overrideable", Convolution);
  m.impl("convolution_backward_overrideable", ConvolutionBackward);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&Fallback>()); }

}  // namespace

extern "C" __attribute__((visibility("default"))) int devicekit_sim_current() { return current; }
extern "C" __attribute__((visibility("default"))) void devicekit_sim_set(int index) {
  Guard().setDevice({kType, static_cast<c10::DeviceIndex>(index)});
}
