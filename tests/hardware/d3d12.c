/* A d3d12.dll for Wine that passes everything on to Wine's own, a copy of which is d3d12_wine.dll, and changes one answer:
 * typed loads from unordered access views of more formats are supported. Without that DirectML refuses every 16-bit and 8-bit
 * type, and TensorFlow's plug-in lists no device; with it the plug-in lists one, which computes wrong values.
 */
#define COBJMACROS
#define INITGUID
#include <windows.h>
#include <d3d12.h>

typedef HRESULT(WINAPI *Create)(IUnknown *, D3D_FEATURE_LEVEL, REFIID, void **);
typedef HRESULT(STDMETHODCALLTYPE *Check)(ID3D12Device *, D3D12_FEATURE, void *, UINT);

static Check real_check;
static SRWLOCK lock = SRWLOCK_INIT;

static HRESULT STDMETHODCALLTYPE check(ID3D12Device *device, D3D12_FEATURE feature, void *data, UINT size) {
  HRESULT status = real_check(device, feature, data, size);
  if (feature == D3D12_FEATURE_D3D12_OPTIONS && SUCCEEDED(status))
    ((D3D12_FEATURE_DATA_D3D12_OPTIONS *)data)->TypedUAVLoadAdditionalFormats = TRUE;
  return status;
}

/* All devices share one table of functions. */
static void patch(ID3D12Device *device) {
  Check *slot = (Check *)&device->lpVtbl->CheckFeatureSupport;
  DWORD before;
  AcquireSRWLockExclusive(&lock);
  if (*slot != check && VirtualProtect(slot, sizeof *slot, PAGE_READWRITE, &before)) {
    real_check = *slot;
    *slot = check;
    VirtualProtect(slot, sizeof *slot, before, &before);
  }
  ReleaseSRWLockExclusive(&lock);
}

HRESULT WINAPI create_device(IUnknown *adapter, D3D_FEATURE_LEVEL level, REFIID iid, void **device) {
  Create create = (Create)(void *)GetProcAddress(LoadLibraryA("d3d12_wine.dll"), "D3D12CreateDevice");
  HRESULT status = create ? create(adapter, level, iid, device) : E_FAIL;
  ID3D12Device *made = NULL;
  if (SUCCEEDED(status) && device && *device &&
      SUCCEEDED(IUnknown_QueryInterface((IUnknown *)*device, &IID_ID3D12Device, (void **)&made))) {
    patch(made);
    ID3D12Device_Release(made);
  }
  return status;
}
