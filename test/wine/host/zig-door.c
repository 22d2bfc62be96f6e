// Stands for zig.exe under Wine: hands its command line, folder and variables to zig-door.ts by files in the folder "door" beside it, and waits for
// the answer. Zig itself runs on Linux: its code is the same wherever it runs.

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static wchar_t base[1024], name[1200], text[32768];
static char bytes[98304];

static wchar_t *append(wchar_t *to, const wchar_t *from) {
  while (*from) *to++ = *from++;
  *to = 0;
  return to;
}

static wchar_t *append_number(wchar_t *to, DWORD number) {
  wchar_t digits[12];
  int at = 11;
  digits[at] = 0;
  do digits[--at] = (wchar_t)(L'0' + number % 10);
  while (number /= 10);
  return append(to, digits + at);
}

// Names the file of this process of a kind: ".asked", ".out".
static void name_file(const wchar_t *kind) {
  wchar_t *to = append(append(name, base), L"door\\");
  append(append_number(to, GetCurrentProcessId()), kind);
}

// Writes a line, with the zero behind it.
static void put(HANDLE file, const wchar_t *line) {
  DWORD done;
  const int length = WideCharToMultiByte(CP_UTF8, 0, line, -1, bytes, sizeof bytes, NULL, NULL);
  WriteFile(file, bytes, (DWORD)length, &done, NULL);
}

// Copies what the answer has of a kind, and removes it. Returns how many bytes the last part has.
static DWORD take(const wchar_t *kind, HANDLE to) {
  DWORD got = 0, done, last = 0;
  name_file(kind);
  HANDLE file = CreateFileW(name, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  while (ReadFile(file, bytes, 4096, &got, NULL) && got > 0) {
    if (to) WriteFile(to, bytes, got, &done, NULL);
    last = got;
  }
  CloseHandle(file);
  DeleteFileW(name);
  return last;
}

static void ask(void) {
  name_file(L".new");
  HANDLE file = CreateFileW(name, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
  put(file, GetCommandLineW());
  GetCurrentDirectoryW(32768, text);
  put(file, text);
  const wchar_t *variable = GetEnvironmentStringsW();
  while (*variable) {
    put(file, variable);
    while (*variable++) continue;
  }
  CloseHandle(file);
  append(text, name);
  name_file(L".asked");
  MoveFileW(text, name);
}

void start(void) {
  DWORD length = GetModuleFileNameW(NULL, base, 1000), code = 0;
  while (base[length - 1] != L'\\') length--;
  base[length] = 0;
  ask();
  name_file(L".code");
  while (GetFileAttributesW(name) == INVALID_FILE_ATTRIBUTES) Sleep(2);
  take(L".out", GetStdHandle(STD_OUTPUT_HANDLE));
  take(L".err", GetStdHandle(STD_ERROR_HANDLE));
  const DWORD digits = take(L".code", NULL);
  for (DWORD at = 0; at < digits; at++) code = code * 10 + (DWORD)(bytes[at] - '0');
  ExitProcess(code);
}
