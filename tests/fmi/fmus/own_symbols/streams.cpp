// Whatever FMUs in C++ do with streams, locales and exceptions.
#include <iomanip>
#include <iostream>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

extern "C" int count_in_streams(int x);

extern "C" int count_in_streams(int x) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::setw(8) << x << ' ' << std::fixed << std::setprecision(1) << 0.5 << std::endl;
  std::istringstream in(text.str());
  int read = 0;
  double half = 0.0;
  in >> read >> half;
  std::cout << std::flush;
  std::clog << "";
  std::cerr << std::string();
  try {
    throw std::runtime_error(std::to_string(4096));
  } catch (const std::exception& number) {
    return half == 0.5 && std::cout.good() && std::cerr.good() ? read + std::stoi(number.what()) : -1;
  }
}
