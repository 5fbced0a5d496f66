#include "processes/stream_choice.hpp"

#include <gtest/gtest.h>

namespace tieline::processes {
namespace stream_choice_test {

TEST(StreamChoice, EveryWordOfTheModelHasATransportAndTheReverse) {
  std::size_t words = 0;
  for (const std::string_view name : model::all_transport_names()) {
    const auto word = model::transport_from_name(name);
    ASSERT_TRUE(word);
    if (*word == model::Transport::automatic) {
      EXPECT_EQ(&factory_of(*word), &factories().usual());
    } else {
      EXPECT_EQ(factory_of(*word).name(), name);
      ++words;
    }
  }
  EXPECT_EQ(words, factories().rows().size()) << "a transport has no word in models";
}

TEST(StreamChoice, TheFirstComponentThatStatesOneDecides) {
  model::CompositeModel model;
  model.components.resize(3);
  const std::vector<int> all{0, 1, 2};
  EXPECT_EQ(factory_for(model, all).name(), "shared_memory");
  model.simulation.processes.transport = model::Transport::tcp;
  EXPECT_EQ(factory_for(model, all).name(), "tcp");
  model.components[1].process.transport = model::Transport::shared_memory;
  model.components[2].process.transport = model::Transport::tcp;
  EXPECT_EQ(factory_for(model, all).name(), "shared_memory");
  EXPECT_EQ(factory_for(model, std::vector<int>{2}).name(), "tcp");
  EXPECT_EQ(factory_for(model, std::vector<int>{0}).name(), "tcp");
}

}  // namespace stream_choice_test
}  // namespace tieline::processes
