#include "signals/fft.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace tieline::signals {
namespace fft_test {

using std::numbers::pi;

std::vector<Complex> random_values(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::normal_distribution<double> normal;
  std::vector<Complex> values(n);
  for (Complex& value : values) value = {normal(random), normal(random)};
  return values;
}

/// The sum of its definition.
std::vector<Complex> by_definition(const std::vector<Complex>& x) {
  const std::size_t n = x.size();
  std::vector<Complex> result(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      result[k] += x[i] * std::polar(1.0, -2.0 * pi * static_cast<double>(k * i % n) / static_cast<double>(n));
    }
  }
  return result;
}

TEST(Fft, IsItsDefinitionAtEveryLength) {
  for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 12u, 31u, 64u, 97u, 100u, 128u, 255u}) {
    const auto x = random_values(n);
    auto ours = x;
    transform(ours);
    const auto expected = by_definition(x);
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_LE(std::abs(ours[k] - expected[k]), 1e-13 * static_cast<double>(n)) << n << " " << k;
    }
  }
}

TEST(Fft, KeepsEnergyAndComesBack) {
  for (const std::size_t n : {1024u, 4099u, 100000u}) {
    const auto x = random_values(n);
    auto lines = x;
    transform(lines);
    double before = 0.0, after = 0.0;
    for (const Complex& value : x) before += std::norm(value);
    for (const Complex& value : lines) after += std::norm(value);
    // Parseval
    EXPECT_NEAR(after / (before * static_cast<double>(n)), 1.0, 1e-12);
    transform_back(lines);
    for (std::size_t i = 0; i < n; i += 97) EXPECT_LE(std::abs(lines[i] - x[i]), 1e-12);
  }
}

TEST(Fft, EmptyIsEmpty) {
  std::vector<Complex> nothing;
  transform(nothing);
  transform_back(nothing);
  EXPECT_TRUE(nothing.empty());
}

}  // namespace fft_test
}  // namespace tieline::signals
