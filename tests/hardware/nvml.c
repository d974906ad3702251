/* A stand-in for NVIDIA's management library (libnvidia-ml.so.1, on Windows nvml.dll): it tells what a text says, so that the real
 * nvidia-ml-py sees GPUs on a machine without any. Written against the ctypes declarations of nvidia-ml-py.
 *
 * The text is the variable SIM_NVML, or the file that it names after an "@"; without it there are no GPUs. A line each:
 *
 *   driver=550.54.15            version of the driver
 *   nvml=12.550.54.15           version of this library
 *   cuda=12.4                   what the driver supports
 *   fail=FUNCTION:CODE[:GPU]    that function returns CODE (nvml.h), for all GPUs or for one
 *   hang=FUNCTION               never returns
 *   crash=FUNCTION              SIGSEGV
 *   lacks=FUNCTION              an old driver: the function says that it does not exist (NVML_ERROR_FUNCTION_NOT_FOUND)
 *   garbage=FUNCTION            writes megabytes of nonsense to the standard output and ends the process with status 0
 *   gpu=NAME                    opens a GPU; the lines below belong to it
 *     uuid=GPU-...              (default: made from its number)
 *     bus=00000000:07:00.0
 *     mem=TOTAL/FREE            in MiB
 *     cc=8.0                    compute capability
 *     util=42                   per cent
 *     ecc=VOLATILE/AGGREGATE    uncorrectable errors; without the line the GPU has no ECC
 *     rows=PENDING/FAILED       remapped rows; without the line the GPU has none
 *     pages=0|1                 retired pages that wait; without the line the GPU has none
 *     recovery=N                recovery action
 *     energy=MILLIJOULES        counted so far; each reading counts 1500 more; without the line the GPU counts none
 *     persistence=0|1
 *     mode=N                    compute mode
 *     proc=PID:MIB[:g]          a process, "g": of graphics; MIB -1: not available
 *     mig=0|1                   MIG mode; without the line the GPU has none
 *     migdev=UUID:GI:CI:MIB:NAME
 *     pcie=NOW/MOST             lanes; without the line the GPU does not tell
 *     nvlinks=1101              the state of each NVLink; without the line it has none
 *     peer=N                    the state of direct access to its memory (nvmlGpuP2PStatus_t), 0 by default: it works
 *     clock=NOW/MAX             in MHz, of the multiprocessors; without one of the next lines the GPU does not report it
 *     temp=71                   degrees Celsius
 *     power=NOW/LIMIT/DEFAULT   in watts
 *     limits=0x20               nvmlClocksEventReasons
 */
#define __USE_MINGW_ANSI_STDIO 1
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _WIN32
#include <windows.h>
#define EXPORT __declspec(dllexport)
#define pause() Sleep(INFINITE)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define MAX_GPUS 64
#define MAX_ITEMS 32
#define MAX_RULES 64
enum { OK = 0, UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, NO_FUNCTION = 13 };

typedef struct { unsigned pid; unsigned long long bytes; int graphics; } Proc;
typedef struct Device {
  int index, is_slice;
  char name[96], uuid[96], bus[32];
  unsigned long long total, free_;
  int major, minor, util;
  int clock, clock_max, temp, power, power_limit, power_default, limits;
  int ecc_volatile, ecc_aggregate, rows_pending, rows_failed, pages, recovery, persistence, mode, mig;
  int pcie, pcie_most, peer;
  unsigned long long energy;
  char nvlinks[20];
  unsigned gi, ci;
  int procs, slices;
  Proc proc[MAX_ITEMS];
  struct Device *slice;
} Device;
typedef struct { char kind, function[64]; int code, gpu; } Rule;

static Device gpus[MAX_GPUS];
static Device slices[MAX_GPUS][MAX_ITEMS];
static int count, rules, loaded, started;
static Rule rule[MAX_RULES];
static char driver[80] = "550.54.15", nvml[80] = "12.550.54.15";
static int cuda_major = 12, cuda_minor = 4;

static void read_line(char *line) {
  while (*line == ' ' || *line == '\t') line++;
  char *value = strchr(line, '=');
  if (!value || *line == '#') return;
  *value++ = 0;
  Device *gpu = count ? &gpus[count - 1] : NULL;
#define IS(word) (strcmp(line, word) == 0)
  if (IS("driver")) { snprintf(driver, sizeof driver, "%s", value); return; }
  if (IS("nvml")) { snprintf(nvml, sizeof nvml, "%s", value); return; }
  if (IS("cuda")) { sscanf(value, "%d.%d", &cuda_major, &cuda_minor); return; }
  if (IS("fail") || IS("hang") || IS("crash") || IS("lacks") || IS("garbage")) {
    if (rules == MAX_RULES) return;
    Rule *new_rule = &rule[rules++];
    new_rule->kind = line[0];
    new_rule->code = 999;
    new_rule->gpu = -1;
    sscanf(value, "%63[^:]:%d:%d", new_rule->function, &new_rule->code, &new_rule->gpu);
    return;
  }
  if (IS("gpu")) {
    if (count == MAX_GPUS) return;
    gpu = &gpus[count];
    gpu->index = count;
    snprintf(gpu->name, sizeof gpu->name, "%s", value);
    snprintf(gpu->uuid, sizeof gpu->uuid, "GPU-%08x-1111-2222-3333-444444444444", 0x10000000 + count);
    snprintf(gpu->bus, sizeof gpu->bus, "00000000:%02X:00.0", 7 + count);
    gpu->total = gpu->free_ = 16384ULL << 20;
    gpu->major = 8;
    gpu->clock = gpu->temp = gpu->power = gpu->limits = -1;
    gpu->ecc_volatile = gpu->rows_pending = gpu->pages = gpu->recovery = gpu->mig = -1;
    gpu->slice = slices[count++];
    return;
  }
  if (!gpu) return;
  unsigned long long a = 0, b = 0;
  if (IS("uuid")) snprintf(gpu->uuid, sizeof gpu->uuid, "%s", value);
  if (IS("bus")) snprintf(gpu->bus, sizeof gpu->bus, "%s", value);
  if (IS("mem") && sscanf(value, "%llu/%llu", &a, &b) == 2) { gpu->total = a << 20; gpu->free_ = b << 20; }
  if (IS("cc")) sscanf(value, "%d.%d", &gpu->major, &gpu->minor);
  if (IS("util")) gpu->util = atoi(value);
  if (IS("ecc")) sscanf(value, "%d/%d", &gpu->ecc_volatile, &gpu->ecc_aggregate);
  if (IS("rows")) sscanf(value, "%d/%d", &gpu->rows_pending, &gpu->rows_failed);
  if (IS("pages")) gpu->pages = atoi(value);
  if (IS("recovery")) gpu->recovery = atoi(value);
  if (IS("persistence")) gpu->persistence = atoi(value);
  if (IS("clock")) sscanf(value, "%d/%d", &gpu->clock, &gpu->clock_max);
  if (IS("temp")) gpu->temp = atoi(value);
  if (IS("power")) sscanf(value, "%d/%d/%d", &gpu->power, &gpu->power_limit, &gpu->power_default);
  if (IS("limits")) gpu->limits = (int)strtol(value, NULL, 0);
  if (IS("mode")) gpu->mode = atoi(value);
  if (IS("mig")) gpu->mig = atoi(value);
  if (IS("pcie")) sscanf(value, "%d/%d", &gpu->pcie, &gpu->pcie_most);
  if (IS("nvlinks")) snprintf(gpu->nvlinks, sizeof gpu->nvlinks, "%s", value);
  if (IS("peer")) gpu->peer = atoi(value);
  if (IS("energy")) gpu->energy = strtoull(value, NULL, 10);
  if (IS("proc") && gpu->procs < MAX_ITEMS) {
    Proc *proc = &gpu->proc[gpu->procs++];
    long long mib = 0;
    char kind = 'c';
    sscanf(value, "%u:%lld:%c", &proc->pid, &mib, &kind);
    proc->bytes = mib < 0 ? ~0ULL : (unsigned long long)mib << 20;
    proc->graphics = kind == 'g';
  }
  if (IS("migdev") && gpu->slices < MAX_ITEMS) {
    Device *slice = &gpu->slice[gpu->slices++];
    unsigned long long mib = 0;
    *slice = *gpu;
    slice->is_slice = 1;
    slice->mig = -1;
    sscanf(value, "%95[^:]:%u:%u:%llu:%95[^\n]", slice->uuid, &slice->gi, &slice->ci, &mib, slice->name);
    slice->total = slice->free_ = mib << 20;
  }
#undef IS
}

static void load(void) {
  if (loaded++) return;
  const char *from = getenv("SIM_NVML");
  if (!from) return;
  char *text;
  if (*from == '@') {
    FILE *file = fopen(from + 1, "r");
    if (!file) return;
    text = calloc(1, 1 << 20);
    if (fread(text, 1, (1 << 20) - 1, file) == 0) *text = 0;
    fclose(file);
  } else {
    text = strdup(from);
  }
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) read_line(line);
  free(text);
}

/* What the text says of a function: 0 where it works. */
static int fate(const char *function, const Device *device) {
  load();
  for (int i = 0; i < rules; i++) {
    if (strcmp(rule[i].function, function) || (rule[i].gpu >= 0 && (!device || device->index != rule[i].gpu))) continue;
    switch (rule[i].kind) {
      case 'h': for (;;) pause();
      case 'c': signal(SIGSEGV, SIG_DFL); raise(SIGSEGV); return 999;
      case 'l': return NO_FUNCTION;
      case 'g':
        for (int n = 0; n < 1 << 16; n++) if (write(1, "\x1b[31m{\"protocol\": 1, \xff\xfe}\0\n", 26) < 0) break;
        _exit(0);
      default: return rule[i].code;
    }
  }
  return OK;
}

#define BEGIN(device) { int code_ = fate(__func__, device); if (code_) return code_; if (!started) return UNINITIALIZED; }
#define NEED(condition) if (condition) return NOT_SUPPORTED;

static int put(char *to, unsigned size, const char *from) {
  if (strlen(from) + 1 > size) return TOO_SMALL;
  strcpy(to, from);
  return OK;
}

static int start(const char *function) {
  int code = fate(function, NULL);
  if (code == OK) started = 1;
  return code;
}
EXPORT int nvmlInitWithFlags(unsigned flags) { (void)flags; return start("nvmlInit"); }
EXPORT int nvmlInit_v2(void) { return start("nvmlInit"); }
EXPORT int nvmlInit(void) { return start("nvmlInit"); }
EXPORT int nvmlShutdown(void) { BEGIN(NULL) return OK; }
EXPORT const char *nvmlErrorString(int code) {
  switch (code) {
    case 3: return "Not Supported";
    case 4: return "Insufficient Permissions";
    case 9: return "Driver Not Loaded";
    case 11: return "Interrupt request issue";
    case 15: return "GPU is lost";
    case 16: return "GPU requires reset";
    case 18: return "Driver/library version mismatch";
    default: return "Unknown Error";
  }
}
EXPORT int nvmlSystemGetDriverVersion(char *to, unsigned size) { BEGIN(NULL) return put(to, size, driver); }
EXPORT int nvmlSystemGetNVMLVersion(char *to, unsigned size) { BEGIN(NULL) return put(to, size, nvml); }
EXPORT int nvmlSystemGetCudaDriverVersion(int *to) { BEGIN(NULL) *to = cuda_major * 1000 + cuda_minor * 10; return OK; }
EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *to) { BEGIN(NULL) *to = cuda_major * 1000 + cuda_minor * 10; return OK; }
EXPORT int nvmlDeviceGetCount_v2(unsigned *to) {
  int code = fate("nvmlDeviceGetCount", NULL);
  if (code) return code;
  BEGIN(NULL) *to = count; return OK;
}

static int by_index(const char *function, unsigned index, Device **to) {
  load();
  if (!started) return UNINITIALIZED;
  if (index >= (unsigned)count) return INVALID;
  int code = fate(function, &gpus[index]);
  *to = &gpus[index];
  return code;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device **to) {
  return by_index("nvmlDeviceGetHandleByIndex", index, to);
}
EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, Device **to) {
  BEGIN(NULL)
  for (int i = 0; i < count; i++)
    if (strcmp(gpus[i].uuid, uuid) == 0) { *to = &gpus[i]; return OK; }
  return NOT_FOUND;
}
EXPORT int nvmlDeviceGetTotalEnergyConsumption(Device *device, unsigned long long *to) {
  BEGIN(device) NEED(device->energy == 0) *to = device->energy; device->energy += 1500; return OK;
}
EXPORT int nvmlDeviceGetName(Device *device, char *to, unsigned size) { BEGIN(device) return put(to, size, device->name); }
EXPORT int nvmlDeviceGetUUID(Device *device, char *to, unsigned size) { BEGIN(device) return put(to, size, device->uuid); }

typedef struct {
  char legacy[16];
  unsigned domain, bus, device, ids, subsystem;
  char busid[32];
} Pci;
EXPORT int nvmlDeviceGetPciInfo_v3(Device *device, Pci *to) {
  BEGIN(device)
  memset(to, 0, sizeof *to);
  sscanf(device->bus, "%x:%x:%x", &to->domain, &to->bus, &to->device);
  snprintf(to->legacy, sizeof to->legacy, "%04X:%02X:%02X.0", to->domain & 0xFFFF, to->bus & 0xFF, to->device & 0xFF);
  return put(to->busid, sizeof to->busid, device->bus);
}

EXPORT int nvmlDeviceGetMemoryInfo(Device *device, unsigned long long *to) {
  BEGIN(device)
  to[0] = device->total; to[1] = device->free_; to[2] = device->total - device->free_;
  return OK;
}
typedef struct { unsigned version; unsigned long long total, reserved, free_, used; } Memory2;
EXPORT int nvmlDeviceGetMemoryInfo_v2(Device *device, Memory2 *to) {
  BEGIN(device)
  to->total = device->total; to->free_ = device->free_; to->reserved = 0; to->used = device->total - device->free_;
  return OK;
}
EXPORT int nvmlDeviceGetCudaComputeCapability(Device *device, int *major, int *minor) {
  BEGIN(device) *major = device->major; *minor = device->minor; return OK;
}
EXPORT int nvmlDeviceGetUtilizationRates(Device *device, unsigned *to) {
  BEGIN(device) NEED(device->mig == 1) to[0] = device->util; to[1] = 0; return OK;
}
/* What is below 0 is not reported. */
#define REPORT(name, field, factor) EXPORT int name(Device *device, unsigned *to) { \
  BEGIN(device) \
  if (device->field < 0) return NOT_SUPPORTED; \
  *to = (unsigned)device->field * factor; \
  return OK; \
}
REPORT(nvmlDeviceGetPowerUsage, power, 1000)
REPORT(nvmlDeviceGetEnforcedPowerLimit, power_limit, 1000)
REPORT(nvmlDeviceGetPowerManagementDefaultLimit, power_default, 1000)
static int report_clock(int value, unsigned *to) {
  if (value < 0) return NOT_SUPPORTED;
  *to = (unsigned)value;
  return OK;
}
EXPORT int nvmlDeviceGetClockInfo(Device *device, int kind, unsigned *to) { BEGIN(device) (void)kind; return report_clock(device->clock, to); }
EXPORT int nvmlDeviceGetMaxClockInfo(Device *device, int kind, unsigned *to) { BEGIN(device) (void)kind; return report_clock(device->clock_max, to); }
EXPORT int nvmlDeviceGetTemperature(Device *device, int sensor, unsigned *to) { BEGIN(device) (void)sensor; return report_clock(device->temp, to); }
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(Device *device, unsigned long long *to) {
  BEGIN(device)
  if (device->limits < 0) return NOT_SUPPORTED;
  *to = (unsigned long long)device->limits;
  return OK;
}
EXPORT int nvmlDeviceGetPersistenceMode(Device *device, int *to) { BEGIN(device) *to = device->persistence; return OK; }
EXPORT int nvmlDeviceGetComputeMode(Device *device, int *to) { BEGIN(device) *to = device->mode; return OK; }
EXPORT int nvmlDeviceGetTotalEccErrors(Device *device, int type, int counter, unsigned long long *to) {
  BEGIN(device) NEED(device->ecc_volatile < 0)
  *to = type == 0 ? 0 : counter == 0 ? device->ecc_volatile : device->ecc_aggregate;
  return OK;
}
EXPORT int nvmlDeviceGetRemappedRows(Device *device, unsigned *a, unsigned *b, unsigned *pending, unsigned *failed) {
  BEGIN(device) NEED(device->rows_pending < 0)
  *a = *b = 0; *pending = device->rows_pending; *failed = device->rows_failed;
  return OK;
}
EXPORT int nvmlDeviceGetRetiredPagesPendingStatus(Device *device, int *to) {
  BEGIN(device) NEED(device->pages < 0) *to = device->pages; return OK;
}
typedef struct { unsigned field, scope; long long stamp, latency; int type, code; unsigned long long value; } Field;
EXPORT int nvmlDeviceGetFieldValues(Device *device, int number, Field *to) {
  BEGIN(device)
  for (int i = 0; i < number; i++) {
    to[i].code = to[i].field != 230 ? INVALID : device->recovery < 0 ? NOT_SUPPORTED : OK;
    to[i].value = device->recovery < 0 ? 0 : device->recovery;
  }
  return OK;
}

/* The structure of a process grew with the second version of the call. */
typedef struct { unsigned pid; unsigned long long bytes; } Process1;
typedef struct { unsigned pid; unsigned long long bytes; unsigned gi, ci; } Process2;
static int processes(Device *device, int graphics, int version, unsigned *number, void *to) {
  unsigned found = 0;
  for (int i = 0; i < device->procs; i++) found += device->proc[i].graphics == graphics;
  if (found && (!to || *number < found)) { *number = found; return TOO_SMALL; }
  found = 0;
  for (int i = 0; i < device->procs; i++) {
    if (device->proc[i].graphics != graphics) continue;
    if (version == 1) {
      ((Process1 *)to)[found++] = (Process1){device->proc[i].pid, device->proc[i].bytes};
    } else {
      ((Process2 *)to)[found++] = (Process2){device->proc[i].pid, device->proc[i].bytes, ~0u, ~0u};
    }
  }
  *number = found;
  return OK;
}
#define PROCESSES(name, graphics, version) \
  EXPORT int name(Device *device, unsigned *number, void *to) { \
    BEGIN(device) return processes(device, graphics, version, number, to); \
  }
PROCESSES(nvmlDeviceGetComputeRunningProcesses, 0, 1)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, 0, 2)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, 0, 2)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, 1, 1)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, 1, 2)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, 1, 2)

EXPORT int nvmlDeviceGetCurrPcieLinkWidth(Device *device, unsigned *to) {
  BEGIN(device) NEED(!device->pcie) *to = device->pcie; return OK;
}
EXPORT int nvmlDeviceGetMaxPcieLinkWidth(Device *device, unsigned *to) {
  BEGIN(device) NEED(!device->pcie) *to = device->pcie_most; return OK;
}
EXPORT int nvmlDeviceGetNvLinkState(Device *device, unsigned link, unsigned *to) {
  BEGIN(device) NEED(!*device->nvlinks)
  if (link >= strlen(device->nvlinks)) return INVALID;
  *to = device->nvlinks[link] == '1'; return OK;
}
EXPORT int nvmlDeviceGetP2PStatus(Device *device, Device *other, int index, int *to) {
  (void)index; BEGIN(device) *to = device->peer ? device->peer : other->peer; return OK;
}
EXPORT int nvmlDeviceGetMigMode(Device *device, unsigned *now, unsigned *later) {
  BEGIN(device) NEED(device->mig < 0) *now = *later = device->mig; return OK;
}
EXPORT int nvmlDeviceGetMaxMigDeviceCount(Device *device, unsigned *to) { BEGIN(device) *to = 7; return OK; }
EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(Device *device, unsigned index, Device **to) {
  BEGIN(device)
  if (index >= (unsigned)device->slices) return NOT_FOUND;
  *to = &device->slice[index];
  return OK;
}
EXPORT int nvmlDeviceGetGpuInstanceId(Device *device, unsigned *to) { BEGIN(device) *to = device->gi; return OK; }
EXPORT int nvmlDeviceGetComputeInstanceId(Device *device, unsigned *to) { BEGIN(device) *to = device->ci; return OK; }
