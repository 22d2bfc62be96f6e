// Names that a page and the frame in it that measures have in common: the title of the frame, and its message at the end.

export const framedPage = {
  title: "unplugin-kernel measures here",
  /** Message of the frame when there is nothing more to measure. */
  ended: "unplugin-kernel: measured",
} as const;
