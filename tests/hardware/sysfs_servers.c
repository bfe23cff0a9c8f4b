/* SPDX-License-Identifier: MIT */
/* PMUs and formats of each generation. Source: Linux 6.1, arch/x86/events/intel/uncore_snbep.c, uncore_discovery.c and
 * core.c; facts/newer-units: the units of Granite Rapids and Sierra Forest. */
#include <stddef.h>
#include "tests/hardware/sysfs_kernel.h"

typedef const char *const format[2];

#define EVENT                                                                                                          \
  {                                                                                                                    \
    "event", "config:0-7"                                                                                              \
  }
#define UMASK                                                                                                          \
  {                                                                                                                    \
    "umask", "config:8-15"                                                                                             \
  }
#define EDGES                                                                                                          \
  {"edge", "config:18"},                                                                                               \
  {                                                                                                                    \
    "inv", "config:23"                                                                                                 \
  }
#define THRESH                                                                                                         \
  {                                                                                                                    \
    "thresh", "config:24-31"                                                                                           \
  }
#define END                                                                                                            \
  {                                                                                                                    \
    NULL, NULL                                                                                                         \
  }

static format standard[] = {EVENT, UMASK, EDGES, THRESH, END};
static format free_running[] = {EVENT, UMASK, END};
static format short_thresh[] = {EVENT, UMASK, EDGES, {"thresh", "config:24-28"}, END};
static format raw[] = {EVENT, {"umask", "config:8-15,32-55"}, EDGES, THRESH, END};
static format cores[] = {EVENT,
                         UMASK,
                         EDGES,
                         {"any", "config:21"},
                         {"cmask", "config:24-31"},
                         {"offcore_rsp", "config1:0-63"},
                         {"ldlat", "config1:0-15"},
                         END};

static format bdx_cbox[] = {EVENT,
                            UMASK,
                            {"edge", "config:18"},
                            {"tid_en", "config:19"},
                            THRESH,
                            {"filter_tid", "config1:0-5"},
                            {"filter_link", "config1:6-8"},
                            {"filter_state", "config1:17-23"},
                            {"filter_nid", "config1:32-47"},
                            {"filter_opc", "config1:52-60"},
                            {"filter_c6", "config1:61"},
                            {"filter_nc", "config1:62"},
                            {"filter_isoc", "config1:63"},
                            END};
static format bdx_pcu[] = {EVENT,
                           {"occ_sel", "config:14-15"},
                           EDGES,
                           {"thresh", "config:24-28"},
                           {"occ_invert", "config:30"},
                           {"occ_edge", "config:14-51"},
                           {"filter_band0", "config1:0-7"},
                           END};
static format bdx_qpi[] = {{"event", "config:0-7,21"},
                           UMASK,
                           EDGES,
                           THRESH,
                           {"match_rds", "config1:48-51"},
                           {"match_mc", "config1:9-12"},
                           {"mask_rds", "config2:48-51"},
                           {"mask_mc", "config2:9-12"},
                           END};
static format skx_cha[] = {EVENT,
                           UMASK,
                           EDGES,
                           {"tid_en", "config:19"},
                           THRESH,
                           {"filter_tid", "config1:0-8"},
                           {"filter_state", "config1:17-26"},
                           {"filter_rem", "config1:32"},
                           {"filter_loc", "config1:33"},
                           {"filter_all_op", "config1:35"},
                           {"filter_nm", "config1:36"},
                           {"filter_not_nm", "config1:37"},
                           {"filter_opc0", "config1:41-50"},
                           {"filter_opc1", "config1:51-60"},
                           {"filter_nc", "config1:62"},
                           {"filter_isoc", "config1:63"},
                           END};
static format skx_iio[] = {
    EVENT, UMASK, EDGES, {"thresh", "config:24-35"}, {"ch_mask", "config:36-43"}, {"fc_mask", "config:44-46"}, END};
static format skx_pcu[] = {EVENT,
                           UMASK,
                           EDGES,
                           THRESH,
                           {"occ_invert", "config:30"},
                           {"occ_edge_det", "config:31"},
                           {"filter_band0", "config1:0-7"},
                           END};
static format skx_upi[] = {EVENT, {"umask", "config:8-15,32-43,45-55"}, EDGES, THRESH, END};
static format icx_cha[] = {EVENT,  {"umask", "config:8-15,32-57"}, EDGES, {"tid_en", "config:19"},
                           THRESH, {"filter_tid", "config1:0-9"},  END};
static format icx_iio[] = {
    EVENT, UMASK, EDGES, {"thresh", "config:24-35"}, {"ch_mask", "config:36-47"}, {"fc_mask", "config:48-50"}, END};
static format icx_m2m[] = {EVENT, {"umask", "config:8-15,32-39"}, EDGES, THRESH, END};
static format icx_upi[] = {EVENT, {"umask", "config:8-15,32-55"}, EDGES, THRESH, END};
static format spr_cha[] = {EVENT,  {"umask", "config:8-15,32-63"}, EDGES, {"tid_en", "config:16"},
                           THRESH, {"filter_tid", "config1:0-9"},  END};

static const struct sysfs_unit bdx[] = {{"cbox", 12, bdx_cbox},    {"ha", 2, standard},     {"imc", 8, standard},
                                        {"qpi", 3, bdx_qpi},       {"irp", 0, standard},    {"pcu", 0, bdx_pcu},
                                        {"ubox", 0, short_thresh}, {"r2pcie", 0, standard}, {"sbox", 4, standard},
                                        {"r3qpi", 3, standard},    {NULL, 0, NULL}};
static const struct sysfs_unit skx[] = {
    {"cha", 18, skx_cha},    {"iio", 6, skx_iio},       {"iio_free_running", 6, free_running},
    {"imc", 6, standard},    {"upi", 3, skx_upi},       {"m2m", 2, standard},
    {"irp", 6, standard},    {"m3upi", 3, standard},    {"pcu", 0, skx_pcu},
    {"m2pcie", 4, standard}, {"ubox", 0, short_thresh}, {NULL, 0, NULL}};
static const struct sysfs_unit icx[] = {
    {"cha", 28, icx_cha},  {"iio", 6, icx_iio},     {"iio_free_running", 6, free_running},
    {"imc", 12, standard}, {"upi", 3, icx_upi},     {"imc_free_running", 4, free_running},
    {"m2m", 4, icx_m2m},   {"irp", 6, standard},    {"m3upi", 3, standard},
    {"pcu", 0, skx_pcu},   {"m2pcie", 6, standard}, {"ubox", 0, short_thresh},
    {NULL, 0, NULL}};
static const struct sysfs_unit spr[] = {{"cha", 52, spr_cha},
                                        {"iio", 12, icx_iio},
                                        {"iio_free_running", 12, free_running},
                                        {"imc", 8, standard},
                                        {"upi", 4, raw},
                                        {"m2m", 4, raw},
                                        {"imc_free_running", 4, free_running},
                                        {"irp", 12, raw},
                                        {"m3upi", 4, raw},
                                        {"pcu", 0, raw},
                                        {"m2pcie", 12, raw},
                                        {"mdf", 14, raw},
                                        {NULL, 0, NULL}};
static const struct sysfs_unit gnr[] = {{"cha", 80, spr_cha}, {"iio", 16, icx_iio}, {"imc", 12, raw},  {"upi", 6, raw},
                                        {"b2cmi", 12, raw},   {"b2upi", 6, raw},    {"b2hot", 3, raw}, {"irp", 16, raw},
                                        {"pcu", 0, raw},      {"ubox", 0, raw},     {"mdf", 30, raw},  {NULL, 0, NULL}};
static const struct sysfs_unit srf[] = {{"cha", 36, spr_cha}, {"iio", 16, icx_iio}, {"imc", 8, raw},   {"upi", 4, raw},
                                        {"b2cmi", 8, raw},    {"b2upi", 4, raw},    {"b2hot", 3, raw}, {"irp", 16, raw},
                                        {"pcu", 0, raw},      {"ubox", 0, raw},     {"mdf", 30, raw},  {NULL, 0, NULL}};

const struct sysfs_unit sysfs_cpu = {"cpu", 0, cores};

static const struct sysfs_server servers[] = {{"skx", 85, 4, skx},  {"icx", 106, 6, icx}, {"spr", 143, 8, spr},
                                              {"gnr", 173, 1, gnr}, {"srf", 175, 3, srf}, {"bdx", 79, 1, bdx}};

const struct sysfs_server *sysfs_server(unsigned i)
{
  return i < sizeof servers / sizeof *servers ? &servers[i] : NULL;
}
