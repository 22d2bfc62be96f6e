// A WebDriver of the classic protocol: requests as JSON over HTTP, one at a time.

import { setTimeout as sleep } from "node:timers/promises";

export interface WebDriver {
  /** @throws Error with what the driver says is wrong */
  ask<T>(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<T>;
}

interface Refusal {
  readonly error: string;
  readonly message: string;
}

const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "error" in value && "message" in value;

export function webDriver(url: string): WebDriver {
  return {
    async ask<T>(method: string, path: string, body?: object) {
      const response = await fetch(url + path, { method, ...(body && { body: JSON.stringify(body) }) });
      const { value } = (await response.json()) as { readonly value: T | Refusal };
      if (isRefusal(value)) throw new Error(`${path}: ${value.error}: ${value.message}`);
      return value;
    },
  };
}

/** Resolves when the driver answers. */
export async function driverIsThere(driver: WebDriver): Promise<void> {
  for (let tries = 200; ; tries--) {
    try {
      return void (await driver.ask("GET", "/status"));
    } catch (error) {
      if (tries === 0) throw error;
      await sleep(50);
    }
  }
}
