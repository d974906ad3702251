/* Windows' bcryptprimitives.dll for Wine 8, which lacks it: the one function that programs in Rust, such as uv, ask for. */

__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *buffer, unsigned long length);

__declspec(dllexport) int __stdcall ProcessPrng(void *buffer, unsigned long long length) {
  return SystemFunction036(buffer, (unsigned long)length);
}
