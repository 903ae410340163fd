// SPDX-License-Identifier: Apache-2.0
// Writes an export of Nsight Systems with many rows, for measuring:
//   make_nsys_export PATH KERNELS      (and as many API calls)
#include "tests/support/nsys_database.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace longpole::test;

int main(int argc, char **argv) {
    if (argc != 3 || std::atoll(argv[2]) <= 0) {
        std::fprintf(stderr, "usage: make_nsys_export PATH KERNELS\n");
        return 2;
    }
    const std::string count = std::to_string(std::atoll(argv[2]));
    const std::string pid = std::to_string(NsysDatabase::global(100)),
                      tid = std::to_string(NsysDatabase::global(100, 100));
    NsysDatabase db;
    for (int i = 0; i < 300; ++i)
        db.text("void kernel" + std::to_string(i) + "<float>(float*, int)");
    const std::string call = std::to_string(db.text("cudaLaunchKernel_v7000"));
    db.call(100, 100, 0, 1, 2, "cudaFree_v3020"); // makes the tables
    db.kernel({100, 0, 5, 6}, "first");
    const std::string numbers =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + count + ") ";
    db.run(numbers +
           "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, "
           "correlationId, "
           "nameId, returnValue) SELECT i * 5000, i * 5000 + 3000, 0, " +
           tid + ", i, " + call + ", 0 FROM n");
    db.run(numbers +
           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
           "correlationId, globalPid, demangledName, shortName, mangledName, gridX, "
           "greenContextId) SELECT "
           "i * 5000 + 4000, i * 5000 + 8500, 0, 1, 7 + i % 4, i, " +
           pid + ", 1 + i % 300, 1 + i % 300, 1 + i % 300, 64, 0 FROM n");
    db.saveAs(argv[1]);
}
