// Kernels that compute wrong: DEVICEKIT_SIM_KERNEL names what one kernel makes of its right result, as in
// "half@Conv2DBackpropFilter". It is read whenever a kernel runs, so that one process can meet many faults.

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "pluggable.h"

namespace {

using Shape = std::vector<int64_t>;

// A result in float32, with the first input that the kernel had.
struct Floats {
  float* data;
  size_t size;
  Shape shape;
  const float* input;  // null if it is not in float32
  size_t input_size;
  Shape input_shape;

  size_t Last() const { return shape.empty() ? 1 : std::max<int64_t>(1, shape.back()); }
  size_t Rows() const { return size / Last(); }
  size_t Row() const { return shape.empty() || !shape[0] ? size : size / shape[0]; }  // along the first axis
};

Shape ShapeOf(const TF_Tensor* tensor) {
  Shape shape;
  for (int i = 0; i < TF_NumDims(tensor); ++i) shape.push_back(TF_Dim(tensor, i));
  return shape;
}

void Times(const Floats& f, float factor) {
  for (size_t i = 0; i < f.size; ++i) f.data[i] *= factor;
}

void Stale(const Floats& f) {
  static std::mutex lock;
  static auto* before = new std::map<Shape, std::vector<float>>;
  std::vector<float> right(f.data, f.data + f.size);
  std::lock_guard<std::mutex> hold(lock);
  std::vector<float>& last = (*before)[f.shape];
  if (last.size() == f.size) std::copy(last.begin(), last.end(), f.data);
  last = right;
}

// The sum over rows without the last one.
void DropRow(const Floats& f) {
  if (!f.input || !f.size || f.input_shape.empty() || f.input_shape.back() != static_cast<int64_t>(f.size)) return;
  if (f.input_size <= f.size) return;
  for (size_t i = 0; i < f.size; ++i) f.data[i] -= f.input[f.input_size - f.size + i];
}

// The rows that are left over when they are taken eight at a time.
void Tail(const Floats& f) {
  const size_t rows = f.Rows(), start = rows / 8 * 8;
  std::fill(f.data + start * f.Last(), f.data + f.size, 0.0f);
}

void Shift(const Floats& f) {
  if (f.shape.size() < 2 || !f.size) return;
  const size_t image = f.Row(), step = image / std::max<int64_t>(1, f.shape[1]);
  for (size_t start = 0; start + image <= f.size; start += image) {
    memmove(f.data + start, f.data + start + step, (image - step) * sizeof(float));
    std::fill(f.data + start + image - step, f.data + start + image, 0.0f);
  }
}

// A result that is rounded to float16.
void Short(const Floats& f) {
  for (size_t i = 0; i < f.size; ++i) {
    uint32_t bits;
    memcpy(&bits, f.data + i, sizeof bits);
    bits = (bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFFu;
    memcpy(f.data + i, &bits, sizeof bits);
  }
}

using Transform = void (*)(const Floats&);

const std::map<std::string, Transform>& Transforms() {
  static const auto* all = new std::map<std::string, Transform>{
      {"times100", [](const Floats& f) { Times(f, 100.0f); }},
      {"double", [](const Floats& f) { Times(f, 2.0f); }},
      {"half", [](const Floats& f) { Times(f, 0.5f); }},
      {"percent", [](const Floats& f) { Times(f, 1.01f); }},
      {"permille", [](const Floats& f) { Times(f, 1.001f); }},
      {"negated", [](const Floats& f) { Times(f, -1.0f); }},
      {"zeros", [](const Floats& f) { std::fill(f.data, f.data + f.size, 0.0f); }},
      {"plus", [](const Floats& f) { for (size_t i = 0; i < f.size; ++i) f.data[i] += 0.01f; }},
      {"nan", [](const Floats& f) { if (f.size) f.data[f.size / 2] = std::nanf(""); }},
      {"infinite", [](const Floats& f) { if (f.size) f.data[f.size / 2] = INFINITY; }},
      {"clipped", [](const Floats& f) { for (size_t i = 0; i < f.size; ++i) f.data[i] = std::min(f.data[i], 1.5f); }},
      {"lastrow", [](const Floats& f) { std::fill(f.data + (f.size - f.Row()), f.data + f.size, 0.0f); }},
      {"lastchannel", [](const Floats& f) { for (size_t i = f.Last(); i <= f.size; i += f.Last()) f.data[i - 1] = 0; }},
      {"swapped",
       [](const Floats& f) {
         for (size_t i = 0; f.Last() > 1 && i + f.Last() <= f.size; i += f.Last()) std::swap(f.data[i], f.data[i + 1]);
       }},
      {"reversed", [](const Floats& f) { std::reverse(f.data, f.data + f.size); }},
      {"everyfourth", [](const Floats& f) { for (size_t i = 3; i < f.size; i += 4) f.data[i] *= 1.05f; }},
      {"shifted", Shift},
      {"stale", Stale},
      {"tail", Tail},
      // The kernel for one example alone; of a gradient of weights that is seen by its input.
      {"lone",
       [](const Floats& f) {
         const Shape& shape = f.input ? f.input_shape : f.shape;
         if (!shape.empty() && shape[0] == 1) Times(f, 1.01f);
       }},
      {"short", Short},
      {"droprow", DropRow},
      {"flushed", [](const Floats& f) { for (size_t i = 0; i < f.size; ++i) if (std::fabs(f.data[i]) < 1e-10f) f.data[i] = 0; }},
      {"saturated",
       [](const Floats& f) {
         for (size_t i = 0; f.input && i < f.size && f.size == f.input_size; ++i)
           if (std::fabs(f.input[i]) > 3) f.data[i] = f.input[i] > 0 ? 1.0f : -1.0f;
       }},
      // The last channel gets no bias.
      {"nobias",
       [](const Floats& f) {
         for (size_t i = f.Last(); f.input && f.size == f.input_size && i <= f.size; i += f.Last())
           f.data[i - 1] = f.input[i - 1];
       }},
      // exp(x) overflows inside.
      {"overflow",
       [](const Floats& f) {
         for (size_t i = 0; f.input && i < f.size && f.size == f.input_size; ++i)
           if (f.input[i] > 88.7f) f.data[i] = INFINITY;
       }},
      {"tiny",
       [](const Floats& f) {
         for (size_t i = 0; f.input && i < f.size && f.size == f.input_size; ++i)
           if (std::fabs(f.input[i]) < 1e-12f) f.data[i] = 0;
       }},
      // What is never updated: a vector stays what it was.
      {"unchanged",
       [](const Floats& f) {
         if (f.shape.size() == 1 && f.input && f.input_size == f.size) std::copy(f.input, f.input + f.size, f.data);
       }},
  };
  return *all;
}

// The last of several largest elements along the last axis, where TensorFlow takes the first.
template <typename Index>
void LastOfEqual(const TF_Tensor* input, TF_Tensor* output) {
  const auto* values = static_cast<const float*>(TF_TensorData(input));
  auto* found = static_cast<Index*>(TF_TensorData(output));
  const int64_t length = TF_Dim(input, TF_NumDims(input) - 1);
  const size_t rows = TF_TensorByteSize(output) / sizeof(Index);
  if (rows * length * sizeof(float) != TF_TensorByteSize(input)) return;
  for (size_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < length; ++i)
      if (values[row * length + i] >= values[row * length + found[row]]) found[row] = i;
}

}  // namespace

void Plant(const std::string& op, const std::vector<TF_Tensor*>& inputs, const std::vector<TF_Tensor*>& results) {
  const char* planted = getenv("DEVICEKIT_SIM_KERNEL");
  const char* at = planted ? strchr(planted, '@') : nullptr;
  if (!at || op != at + 1) return;
  const std::string name(planted, at - planted);
  const TF_Tensor* input = inputs.empty() ? nullptr : inputs[0];
  const bool has_input = input && TF_TensorType(input) == TF_FLOAT;
  for (TF_Tensor* result : results) {
    if (name == "ties" && has_input && TF_TensorType(result) == TF_INT64) LastOfEqual<int64_t>(input, result);
    if (name == "ties" && has_input && TF_TensorType(result) == TF_INT32) LastOfEqual<int32_t>(input, result);
    if (TF_TensorType(result) != TF_FLOAT || name == "ties") continue;
    Floats floats{static_cast<float*>(TF_TensorData(result)), TF_TensorByteSize(result) / sizeof(float), ShapeOf(result),
                  has_input ? static_cast<const float*>(TF_TensorData(input)) : nullptr,
                  has_input ? TF_TensorByteSize(input) / sizeof(float) : 0,
                  has_input ? ShapeOf(input) : Shape()};
    if (floats.size) Transforms().at(name)(floats);
  }
}
