// Runs a program in a console of its own, waits until a file is there, and presses Ctrl-C in that console: press-ctrl-c.exe <file> <program> <arguments>.
// Its exit code is that of the program. No path of the file has a space in it.

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static wchar_t file[1024];

static BOOL WINAPI stay(DWORD event) {
  (void)event;
  return TRUE;
}

// Skips a word of a command line, which may be in quotes, and the spaces behind it.
static wchar_t *behind_word(wchar_t *at) {
  for (int quoted = 0; *at && (quoted || *at != L' '); at++) quoted ^= *at == L'"';
  while (*at == L' ') at++;
  return at;
}

void start(void) {
  wchar_t *line = behind_word(GetCommandLineW());
  for (int at = 0; line[at] && line[at] != L' ' && at < 1000; at++) file[at] = line[at];
  line = behind_word(line);
  STARTUPINFOW startup;
  GetStartupInfoW(&startup);
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
  startup.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
  startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  FreeConsole();
  if (!AllocConsole()) ExitProcess(201);
  SetHandleInformation(startup.hStdInput, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  SetHandleInformation(startup.hStdOutput, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  SetHandleInformation(startup.hStdError, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  SetConsoleCtrlHandler(NULL, FALSE);
  PROCESS_INFORMATION process;
  if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process)) ExitProcess(202);
  SetConsoleCtrlHandler(stay, TRUE);
  while (GetFileAttributesW(file) == INVALID_FILE_ATTRIBUTES && WaitForSingleObject(process.hProcess, 20) == WAIT_TIMEOUT) continue;
  if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) ExitProcess(203);
  WaitForSingleObject(process.hProcess, INFINITE);
  DWORD code = 204;
  GetExitCodeProcess(process.hProcess, &code);
  ExitProcess(code);
}
