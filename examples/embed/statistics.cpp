// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The same from C++: a vector is an array of the script without a copy, values let go of themselves,
// exceptions of the script are exceptions here.

#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nacre/nacre.h>

namespace {

class Engine {
public:
    struct Release {
        NacreVm *vm;
        void operator()(NacreValue *value) const { nacre_release(vm, value); }
    };
    using Value = std::unique_ptr<NacreValue, Release>;

    Engine() : vm_(nacre_new(nullptr), nacre_free) {
        if (!vm_) throw std::bad_alloc();
    }

    Value import(const char *name) {
        NacreValue *out = nullptr;
        check(nacre_import(vm_.get(), name, &out));
        return own(out);
    }
    Value attribute(const Value &value, const char *name) {
        NacreValue *out = nullptr;
        check(nacre_attribute(vm_.get(), value.get(), name, &out));
        return own(out);
    }
    // The vector has to stay as it is for as long as the array is there.
    Value view(std::vector<double> &numbers) {
        const std::int64_t shape[] = {static_cast<std::int64_t>(numbers.size())};
        NacreMemory memory = {};
        memory.struct_size = sizeof memory;
        memory.data = numbers.data();
        memory.dtype = "float64";
        memory.ndim = 1;
        memory.shape = shape;
        NacreValue *out = nullptr;
        check(nacre_wrap(vm_.get(), &memory, &out));
        return own(out);
    }
    Value evaluate(const std::string &text) {
        NacreValue *out = nullptr;
        check(nacre_evaluate(vm_.get(), text.data(), text.size(), "<c++>", &out));
        return own(out);
    }
    template <typename... Args> Value call(const Value &callee, const Args &...args) {
        NacreValue *const list[] = {args.get()...};
        NacreValue *out = nullptr;
        check(nacre_call(vm_.get(), callee.get(), sizeof...(args), list, &out));
        return own(out);
    }
    double number(const Value &value) {
        double out = 0;
        check(nacre_as_float(vm_.get(), value.get(), &out));
        return out;
    }

private:
    void check(NacreStatus status) const {
        if (status == NACRE_OK) return;
        throw std::runtime_error(std::string(nacre_error_class(vm_.get())) + ": " +
                                 nacre_error_message(vm_.get()));
    }
    Value own(NacreValue *value) { return Value(value, Release{vm_.get()}); }

    std::unique_ptr<NacreVm, decltype(&nacre_free)> vm_;
};

} // namespace

int main() {
    std::vector<double> heights = {1.61, 1.75, 1.82, 1.68, 1.79};
    Engine engine;
    const auto numpy = engine.import("numpy");
    const auto array = engine.view(heights);
    for (const char *name : {"mean", "std", "median"}) {
        const auto function = engine.attribute(numpy, name);
        std::cout << name << ' ' << engine.number(engine.call(function, array)) << '\n';
    }
    try {
        engine.evaluate("[1, 2][3]");
    } catch (const std::runtime_error &error) {
        std::cout << error.what() << '\n';
    }
    return 0;
}
