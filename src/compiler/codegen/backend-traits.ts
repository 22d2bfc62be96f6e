// Traits of a back end that are known without its code: a build that finds its kernels asks for no more, and loads no code generator.

export interface BackendTraits {
  /** Name of the back end: the `kind` of its sources, and the `backend` of its targets. */
  readonly name: string;
  /** Whether its sources are built by a C compiler of this machine before they can run. */
  readonly needsToolchain: boolean;
  /** Whether its kernels run on every machine, so that none needs a twin of another back end. Default: false. */
  readonly isPortable?: boolean;
  /** Whether its kernels run on the machines of visitors, which no build knows: where none is at hand, a prediction is what there is. Default: false. */
  readonly isForVisitors?: boolean;
  /** Whether its kernels run on a GPU of the machine that runs the program, beside a twin, by code that a compiler of their own makes. Default: false. */
  readonly isForGpuHere?: boolean;
}
