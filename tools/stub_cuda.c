/* A driver library with one GPU and nothing behind it: enough for TensorFlow to go on and look for CUDA's libraries.
 * From 2.21 on it asks the management library first: the same file stands for both. */
#include <string.h>

typedef int CUresult;
typedef int CUdevice;

CUresult cuInit(unsigned flags) { (void)flags; return 0; }
CUresult cuDriverGetVersion(int *version) { *version = 12080; return 0; }
CUresult cuDeviceGetCount(int *count) { *count = 1; return 0; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) { *device = ordinal; return 0; }
CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  (void)device;
  strncpy(name, "stub", (size_t)length);
  return 0;
}
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) { (void)device; *bytes = (size_t)8 << 30; return 0; }
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  (void)device;
  *major = 8;
  *minor = 0;
  return 0;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  (void)device;
  /* 75 and 76: compute capability; everything else: one. */
  *value = attribute == 75 ? 8 : attribute == 76 ? 0 : 1;
  return 0;
}
CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device) {
  (void)device;
  strncpy(id, "0000:01:00.0", (size_t)length);
  return 0;
}
CUresult cuGetErrorName(CUresult error, const char **text) { (void)error; *text = "CUDA_ERROR_STUB"; return 0; }
CUresult cuGetErrorString(CUresult error, const char **text) { (void)error; *text = "stub"; return 0; }

typedef int nvmlReturn;

nvmlReturn nvmlInit_v2(void) { return 0; }
nvmlReturn nvmlInit(void) { return 0; }
nvmlReturn nvmlShutdown(void) { return 0; }
nvmlReturn nvmlDeviceGetCount_v2(unsigned *count) { *count = 1; return 0; }
nvmlReturn nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) { (void)index; *device = (void *)1; return 0; }
nvmlReturn nvmlSystemGetDriverVersion(char *version, unsigned length) { strncpy(version, "570.0", length); return 0; }
