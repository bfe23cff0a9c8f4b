// SPDX-License-Identifier: MIT
// A C++17 program includes the headers, links the library and gets values and texts from it.
#include <pmon/pmon.h>
#include <pmon/record.h>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

static_assert(PMON_VERSION_NUMBER == PMON_VERSION_MAJOR * 1000000 + PMON_VERSION_MINOR * 1000 + PMON_VERSION_PATCH);

namespace
{
struct free_event {
  void operator()(pmon_event *event) const
  {
    pmon_event_free(event);
  }
};

int refuse(const char *what)
{
  std::fprintf(stderr, "program.cc: %s\n", what);
  return 1;
}
} // namespace

int main()
{
  const std::string headers = std::to_string(PMON_VERSION_MAJOR) + "." + std::to_string(PMON_VERSION_MINOR) + "." +
                              std::to_string(PMON_VERSION_PATCH);
  pmon_context *context = nullptr;
  const pmon_platform *platform = nullptr;
  pmon_event *event = nullptr;
  pmon_recording *recording = nullptr;
  if (headers != pmon_version())
    return refuse("the library has another version than the headers");
  if (pmon_context_new(&context) || pmon_platform_find(context, "emr", &platform))
    return refuse("no platform");
  if (pmon_event_resolve(context, platform, "imc/CAS_COUNT.RD/", &event))
    return refuse(pmon_context_error(context));
  {
    std::unique_ptr<pmon_event, free_event> owner(event);
    pmon_event_info info{};
    info.size = sizeof info;
    if (pmon_event_describe(event, &info) || std::strcmp(info.event, "CAS_COUNT") || info.code != 5)
      return refuse("the event is another one");
  }
  if (pmon_recording_open(context, "/nonexistent", &recording) != PMON_E_IO ||
      !std::strstr(pmon_context_error(context), "/nonexistent"))
    return refuse("a recording that does not exist was opened");
  pmon_context_free(context);
  return 0;
}
