// Light, dark, or as the system says: a switch, and news of it for what is drawn rather than styled.

import { element } from "./dom.ts";

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const listeners: (() => void)[] = [];

/** Called when the colours of the page are others. */
export const onColours = (redraw: () => void): void => void listeners.push(redraw);

function tellListeners(): void {
  for (const redraw of listeners) redraw();
}

const key = "unplugin-kernel-report-theme";

/** Theme that was kept. Browsers may forbid a page from a file to keep anything. */
function kept(): Theme {
  try {
    const name = localStorage.getItem(key);
    return themes.find((theme) => theme === name) ?? "auto";
  } catch {
    return "auto";
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

/** Shows the light theme for printing: paper is white. */
export const showForPaper = (): void => show("light");
export const showForScreen = (): void => show(kept());

function show(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "auto") delete dataset.theme;
  else dataset.theme = theme;
  tellListeners();
}

export function themeSwitch(): HTMLElement {
  const current = kept();
  show(current);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tellListeners);
  const choices = themes.map((theme) => {
    const input = element("input", { type: "radio", name: "theme", value: theme, checked: theme === current });
    input.addEventListener("change", () => {
      keep(theme);
      show(theme);
    });
    return element("label", {}, input, element("span", {}, theme));
  });
  return element(
    "fieldset",
    { class: "switch screen-only" },
    element("legend", { class: "unseen" }, "Colours"),
    ...choices,
  );
}
