// Order of the pages in the sidebar: every file of docs/ once, and the pages that are made of docs/bundlers.md.

import type { HostPage } from "./hosts.ts";

interface Item {
  readonly text: string;
  readonly link: string;
}

export interface Group {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: readonly Item[];
}

const item = (text: string, name: string): Item => ({ text, link: `/${name}` });

/** Pages of docs/passes, in the order in which the passes run. */
const passes = [
  "lower-blocks",
  "insert-prefetches",
  "cut-tails",
  "flatten",
  "tensorize",
  "vectorize",
  "unroll",
  "branch-selects",
  "hoist-conditions",
  "promote-registers",
  "transpose-loads",
  "share-loads",
  "share-values",
  "expand-math",
  "pipeline-loops",
  "warp-tiles",
  "distribute-threads",
  "spread-tiles",
];

/** Pages of docs/adding, in the order of their index. */
const adding = ["primitive", "rule", "strategy", "target", "bundler", "backend"];

export const sidebar = (hosts: readonly HostPage[]): Group[] => [
  {
    text: "Start",
    items: [
      item("What it is for", "index"),
      item("Your first kernel", "first-kernel"),
      item("Examples", "examples"),
      item("Shapes", "shapes"),
      item("Threads", "threads"),
      item("Sharing a lock and a store", "sharing"),
      item("A remote store", "remote"),
      item("Trust", "trust"),
      item("Measuring on other machines", "fleet"),
      item("Recipes", "recipes"),
      item("Troubleshooting", "troubleshooting"),
    ],
  },
  {
    text: "Try it here",
    items: [
      item("Playground", "playground"),
      item("Semantic search", "live/search"),
      item("Image filter", "live/image"),
      item("Neural network layer", "live/layer"),
    ],
  },
  {
    text: "Hosts",
    collapsed: true,
    items: [
      item("All on one page", "bundlers"),
      ...hosts.map(({ title, name }) => item(title, `host/${name}`)),
      item("What is tested where", "hosts"),
    ],
  },
  {
    text: "How it works",
    collapsed: true,
    items: [
      item("In one picture", "how-it-works"),
      item("Architecture", "architecture"),
      item("Schedules", "schedule"),
      item("Constraints", "constraints"),
      item("Cost model", "cost-model"),
      item("Search", "search"),
      item("Measuring", "measurement"),
      item("Many kernels at once", "scheduler"),
      item("Templates of your own", "templates"),
      item("Rules of your own", "rules"),
      item("Parts of your own", "extending"),
    ],
  },
  {
    text: "Adding to the project",
    collapsed: true,
    items: [
      item("All of it", "adding/index"),
      item("An operator", "adding/operator"),
      ...adding.map((name) => item(`A ${name}`, `adding/${name}`)),
    ],
  },
  {
    text: "The passes",
    collapsed: true,
    items: [item("All of them", "passes/index"), ...passes.map((name) => item(name, `passes/${name}`))],
  },
  {
    text: "Reference",
    collapsed: true,
    items: [
      item("Plugin and options", "plugin"),
      item("Command line", "command-line"),
      item("Operators", "operators"),
      item("Errors", "errors"),
      item("Report", "report"),
      item("Lock and store", "store"),
      item("Compilers", "compilers"),
      item("A visitor's GPU", "webgpu"),
      item("NVIDIA's GPUs", "cuda"),
      item("Limits", "limits"),
      item("Glossary", "glossary"),
    ],
  },
  {
    text: "Measurements",
    collapsed: true,
    items: [
      item("What an import costs a page", "bytes"),
      item("Engines of browsers", "engines"),
      item("Beside libraries", "peers"),
      item("Beside libraries, on a Xeon", "peers-intel-xeon-6-167"),
      item("Beside libraries, on a Zen 5", "peers-amd-epyc-26-2"),
      item("Search strategies", "search-bench"),
    ],
  },
];
