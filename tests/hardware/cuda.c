/* A driver library with GPUs and nothing behind them: enough for a CUDA build of TensorFlow to go on, look for CUDA's
 * libraries and list the GPUs. From 2.21 on it asks the management library first: the same file stands for both.
 *
 * SIM_CUDA_GPUS      how many GPUs there are (1)
 * SIM_CUDA_INIT      what cuInit returns (0); 100 is "no device", 803 "system driver mismatch"
 * SIM_CUDA_CC        compute capability (8.9)
 */
#include <stdlib.h>
#include <string.h>

typedef int CUresult;
typedef int CUdevice;

static int number(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}
static int count(void) { return number("SIM_CUDA_GPUS", 1); }
static int major(void) { return number("SIM_CUDA_CC", 8); }
static int minor(void) {
  const char *text = getenv("SIM_CUDA_CC");
  const char *dot = text ? strchr(text, '.') : 0;
  return dot ? atoi(dot + 1) : text && *text ? 0 : 9;
}
static void copy(char *to, const char *from, int length) {
  if (length > 0) {
    strncpy(to, from, (size_t)length - 1);
    to[length - 1] = 0;
  }
}

CUresult cuInit(unsigned flags) { (void)flags; return number("SIM_CUDA_INIT", 0); }
CUresult cuDriverGetVersion(int *version) { *version = 12080; return 0; }
CUresult cuDeviceGetCount(int *value) { *value = count(); return 0; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) { *device = ordinal; return ordinal < count() ? 0 : 101; }
CUresult cuDeviceGetName(char *name, int length, CUdevice device) { (void)device; copy(name, "Simulated GPU", length); return 0; }
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) { (void)device; *bytes = (size_t)8 << 30; return 0; }
CUresult cuDeviceComputeCapability(int *high, int *low, CUdevice device) {
  (void)device;
  *high = major();
  *low = minor();
  return 0;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  (void)device;
  /* 75 and 76: compute capability; everything else: one. */
  *value = attribute == 75 ? major() : attribute == 76 ? minor() : 1;
  return 0;
}
CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device) {
  char text[] = "0000:01:00.0";
  text[6] = (char)('0' + (device + 1) % 10);
  copy(id, text, length);
  return 0;
}
CUresult cuGetErrorName(CUresult error, const char **text) { (void)error; *text = "CUDA_ERROR_SIMULATED"; return 0; }
CUresult cuGetErrorString(CUresult error, const char **text) { (void)error; *text = "simulated"; return 0; }

typedef int nvmlReturn;

nvmlReturn nvmlInit_v2(void) { return 0; }
nvmlReturn nvmlInit(void) { return 0; }
nvmlReturn nvmlShutdown(void) { return 0; }
nvmlReturn nvmlDeviceGetCount_v2(unsigned *value) { *value = (unsigned)count(); return 0; }
nvmlReturn nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) { *device = (void *)(size_t)(index + 1); return 0; }
nvmlReturn nvmlSystemGetDriverVersion(char *version, unsigned length) { copy(version, "570.86.10", (int)length); return 0; }
