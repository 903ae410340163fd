// SPDX-License-Identifier: Apache-2.0
#include "core/base/sha256.h"

#include <QTest>

using namespace longpole;

class Sha256Test : public QObject {
    Q_OBJECT
private slots:
    void agreesWithTheStandard() {
        const auto hash = [](const std::string &text) {
            Sha256 sha;
            sha.add(text.data(), text.size());
            return sha.finish();
        };
        QCOMPARE(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        QCOMPARE(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        QCOMPARE(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        QCOMPARE(hash(std::string(1'000'000, 'a')),
                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    void doesNotDependOnThePieces() {
        const std::string text(1000, 'x');
        Sha256 whole, pieces;
        whole.add(text.data(), text.size());
        for (size_t at = 0, size = 1; at < text.size(); at += size, size = size % 97 + 5) {
            size = std::min(size, text.size() - at);
            pieces.add(text.data() + at, size);
        }
        QCOMPARE(pieces.finish(), whole.finish());
    }
};

QTEST_APPLESS_MAIN(Sha256Test)
#include "sha256_test.moc"
