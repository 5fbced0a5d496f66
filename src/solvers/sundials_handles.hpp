#pragma once

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <memory>
#include <new>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <type_traits>
#include <utility>

namespace tieline::solvers {

/// SUNDIALS' objects as owners: each frees what it holds. The context must be destroyed last.
struct ContextDeleter {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
struct VectorDeleter {
  void operator()(N_Vector vector) const { N_VDestroy(vector); }
};
struct MatrixDeleter {
  void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
};
struct LinearSolverDeleter {
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
};
struct CvodeDeleter {
  void operator()(void* memory) const { CVodeFree(&memory); }
};
struct IdaDeleter {
  void operator()(void* memory) const { IDAFree(&memory); }
};

using ContextHandle = std::unique_ptr<std::remove_pointer_t<SUNContext>, ContextDeleter>;
using VectorHandle = std::unique_ptr<std::remove_pointer_t<N_Vector>, VectorDeleter>;
using MatrixHandle = std::unique_ptr<std::remove_pointer_t<SUNMatrix>, MatrixDeleter>;
using LinearSolverHandle = std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, LinearSolverDeleter>;
using CvodeHandle = std::unique_ptr<void, CvodeDeleter>;
using IdaHandle = std::unique_ptr<void, IdaDeleter>;

/// SUNDIALS' constructors fail for want of memory alone.
template <class Handle>
Handle owned(typename Handle::pointer pointer) {
  if (pointer == nullptr) throw std::bad_alloc();
  return Handle(pointer);
}

inline ContextHandle make_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  return ContextHandle(context);
}

}  // namespace tieline::solvers
