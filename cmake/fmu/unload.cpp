// The FMU has a C++ library of its own, which sets memory aside for exceptions when there is none left. Nobody gives it
// back when the FMU is unloaded, but here: after everything else, since nothing may throw any more.

namespace __gnu_cxx {
void __freeres();
}

namespace {
constexpr int kLast = 101;  ///< the lowest priority that programs may use: its destructors come last
[[gnu::destructor(kLast)]] void give_back() { __gnu_cxx::__freeres(); }
}  // namespace
