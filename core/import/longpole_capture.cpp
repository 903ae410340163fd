// SPDX-License-Identifier: Apache-2.0
#include "core/import/longpole_capture.h"

#include "core/import/capture_builder.h"

namespace longpole {

namespace {

bool sniff(std::string_view head) {
    return head.starts_with(std::string_view(capture::kFileMagic, sizeof capture::kFileMagic));
}

Result<bool> read(InputFile &input, TraceBuilder &builder, Progress &progress, unsigned) {
    CaptureReader reader(input);
    builder.file.format = kCaptureFormat;
    builder.file.textBytes = input.bytes();
    CaptureBuilder capture(builder);
    CaptureRecord record;
    for (uint64_t n = 0; reader.next(record); ++n) {
        capture.add(record);
        if (n % 4096 != 0) continue;
        builder.look();
        progress.set(reader.fraction());
        if (progress.stopped())
            return Error{ErrorKind::Cancelled, "cancelled", "was not read to its end."};
    }
    if (builder.events.read == 0 && builder.file.bytes > sizeof(capture::FileHead))
        return Error{
            ErrorKind::Unreadable, "damaged_capture",
            "is a capture of Longpole, but no part of it is whole. Record again, or copy the "
            "file again."};
    capture.finish(reader);
    return true;
}

} // namespace

const Importer kLongpoleCapture = {"longpole_capture", "Longpole capture", sniff, read};

} // namespace longpole
