// bench(index, arrays, repeats, maxNs, inner) → Float64Array: nanoseconds a run, one number a sample.
//
// A sample is `inner` runs in a row under one pair of clock readings, so that short kernels outlast the clock's step.
// At most `repeats` samples are taken, and none is begun after `maxNs` nanoseconds. Part of addon.c.

// Takes the samples into `samples`; gives their number.
static size_t uk_sample(const struct uk_kernel *kernel, void *const *args, void *workspace, double *samples,
                        size_t repeats, double max_ns, size_t inner) {
  double begin = (double)uk_clock_ns(), last = begin;
  size_t taken = 0;
  while (taken < repeats && (taken == 0 || last - begin < max_ns)) {
    double start = (double)uk_clock_ns();
    for (size_t run = 0; run < inner; run++) uk_run(kernel, args, workspace);
    last = (double)uk_clock_ns();
    samples[taken++] = (last - start) / (double)inner;
  }
  return taken;
}

// The arrays of a JavaScript array. False: an exception is pending.
static bool uk_read_list(napi_env env, const struct uk_kernel *kernel, napi_value list, void **args) {
  napi_value arrays[UK_MAX_ARGUMENTS];
  uint32_t length = 0;
  if (napi_get_array_length(env, list, &length) != napi_ok || length != kernel->parameter_count) {
    napi_throw_type_error(env, "ERR_MISSING_ARGS", "bench: the second argument must be the array of the kernel's arrays");
    return false;
  }
  for (uint32_t at = 0; at < length; at++)
    if (napi_get_element(env, list, at, &arrays[at]) != napi_ok) return false;
  return uk_read_arrays(env, kernel, arrays, args);
}

static napi_value uk_new_samples(napi_env env, size_t count, double **samples) {
  napi_value memory, array;
  if (napi_create_arraybuffer(env, count * sizeof(double), (void **)samples, &memory) != napi_ok) return NULL;
  return napi_create_typedarray(env, napi_float64_array, count, memory, 0, &array) == napi_ok ? array : NULL;
}

// A count from 1 to 2^24; 0 with an exception pending.
static size_t uk_read_count(napi_env env, napi_value value, const char *message) {
  double count = 0;
  if (napi_get_value_double(env, value, &count) == napi_ok && count >= 1 && count <= 16777216) return (size_t)count;
  napi_throw_range_error(env, "ERR_OUT_OF_RANGE", message);
  return 0;
}

static napi_value uk_bench(napi_env env, napi_callback_info info) {
  napi_value values[5];
  void *args[UK_MAX_ARGUMENTS];
  size_t count = 5;
  if (napi_get_cb_info(env, info, &count, values, NULL, NULL) != napi_ok) return NULL;
  const struct uk_kernel *kernel = uk_kernel_at(env, values[0]);
  if (!kernel || !uk_read_list(env, kernel, values[1], args)) return NULL;
  size_t repeats = uk_read_count(env, values[2], "bench: repeats must be at least 1");
  if (!repeats) return NULL;
  double max_ns = 0, *samples = NULL;
  if (napi_get_value_double(env, values[3], &max_ns) != napi_ok) {
    napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", "bench: maxNs must be a number");
    return NULL;
  }
  size_t inner = count > 4 ? uk_read_count(env, values[4], "bench: inner must be at least 1") : 1;
  void *workspace = inner ? uk_workspace(env, kernel) : NULL;
  if (!workspace) return NULL;
  double *taken = malloc(repeats * sizeof(double));
  if (!taken) return NULL;
  size_t filled = uk_sample(kernel, args, workspace, taken, repeats, max_ns, inner);
  napi_value result = uk_new_samples(env, filled, &samples);
  for (size_t at = 0; result && at < filled; at++) samples[at] = taken[at];
  free(taken);
  return result;
}
