// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"
#include "ui/timeline/labels.h"

#include <QtTest>

using namespace longpole;

/// Names short enough for a bar, and texts that fit.
class LabelsTest : public QObject {
    Q_OBJECT
private slots:
    void kernels_data();
    void kernels();
    void others();
    void candidatesInOrder();
    void neverTooShortAndNeverDotsAlone();
};

void LabelsTest::kernels_data() {
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QString>("brief");
    QTest::newRow("lp norm")
        << QByteArray(
               "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::"
               "(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::"
               "LpNormFunctor<float, (at::native::NormType)1, float, 1, 1, 0>, float*, int>(at::x)")
        << "multi_tensor_apply_kernel<LpNorm>";
    QTest::newRow("vectorized")
        << QByteArray("void at::native::vectorized_elementwise_kernel<4, at::native::"
                      "CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, float)")
        << "vectorized_elementwise_kernel<CUDAFunctor_add>";
    QTest::newRow("wrapped") << QByteArray(
                                    "void at::native::elementwise_kernel<128, 2, at::native::"
                                    "gpu_kernel_impl<at::native::BinaryFunctor<float> >(int)>")
                             << "elementwise_kernel<Binary>";
    QTest::newRow("plain") << QByteArray("ampere_sgemm_128x64_tn") << "ampere_sgemm_128x64_tn";
    QTest::newRow("arguments")
        << QByteArray("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)")
        << "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
    QTest::newRow("unclosed") << QByteArray("void f<g<h") << "f<g>";
    QTest::newRow("nothing") << QByteArray("") << "";
}

void LabelsTest::kernels() {
    QFETCH(QByteArray, name);
    QFETCH(QString, brief);
    QCOMPARE(kernelShortName({name.data(), size_t(name.size())}), brief);
}

void LabelsTest::others() {
    QCOMPARE(shortName("torch/nn/modules/module.py(1501): _call_impl", Kind::Python), "_call_impl");
    QCOMPARE(shortName("Memcpy HtoD (Pageable -> Device)", Kind::H2D), "HtoD");
    QCOMPARE(shortName("ProfilerStep#12", Kind::CpuOp), QString("step 12"));
    QCOMPARE(shortName("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclArgs)", Kind::Comm),
             QString("AllReduce"));
    QCOMPARE(shortName("aten::add", Kind::CpuOp), "aten::add");
    QCOMPARE(shortName("## forward ##", Kind::Annotation), "forward");
    QCOMPARE(shortName("#####", Kind::Annotation), "#####");
    QCOMPARE(shortName("Optimizer.step#SGD.step", Kind::Annotation), "SGD.step");
    QCOMPARE(shortName("Optimizer.step", Kind::Annotation), "step");
}

void LabelsTest::candidatesInOrder() {
    Labels labels(uiFont(11));
    const std::string name = "torch/nn/modules/module.py(1501): _call_impl";
    auto fit = [&](double width) { return labels.fit(name, Kind::Python, 1'500'000, width, true); };
    QCOMPARE(fit(1000).replace(QChar(0xA0), ' '), QString::fromStdString(name) + " 1.50 ms");
    const double full = labels.width(QString::fromStdString(name));
    QCOMPARE(fit(full + 1), QString::fromStdString(name));
    QCOMPARE(fit(full - 1), QString("_call_impl"));
    QCOMPARE(fit(labels.width("_call_impl") + 1), QString("_call_impl"));
}

void LabelsTest::neverTooShortAndNeverDotsAlone() {
    Labels labels(uiFont(11));
    const std::string name = "a_rather_long_operator_name_without_any_short_form";
    bool some = false;
    for (int width = 0; width < 200; ++width) {
        const QString text = labels.fit(name, Kind::CpuOp, 10, width, true);
        QVERIFY(labels.width(text) <= width + 1);
        if (text.isEmpty()) continue;
        some = true;
        QVERIFY(width >= 46);
        QVERIFY(text.size() >= 5);
        QVERIFY(text.front() == 'a');
    }
    QVERIFY(some);
    for (int width = 0; width < 200; ++width) { // signs are no letters
        const QString text =
            labels.fit("a::::::::::::::::::::::::::::::b", Kind::CpuOp, 10, width, false);
        QVERIFY(!text.contains(QChar(0x2026)));
    }
}

QTEST_MAIN(LabelsTest)
#include "labels_test.moc"
