import { inject } from 'vitest';
import type { SharedThings } from './shared-things.js';

declare module 'vitest' {
  interface ProvidedContext {
    sharedThings: string;
  }
}

/** Gives something that exists once in the run, such as the Redis, and starts it if this is the first test to ask. */
export async function shared<Name extends keyof SharedThings>(name: Name): Promise<SharedThings[Name]> {
  const response = await fetch(inject('sharedThings') + name);
  if (!response.ok) throw new Error(`The run cannot start its ${name}:\n${await response.text()}`);
  return response.json();
}
