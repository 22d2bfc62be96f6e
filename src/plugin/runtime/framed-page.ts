// What a page and the frame in it that measures know of each other.

export const framedPage = {
  title: "unplugin-kernel measures here",
  /** Message of the frame when there is nothing more to measure. */
  ended: "unplugin-kernel: measured",
} as const;
