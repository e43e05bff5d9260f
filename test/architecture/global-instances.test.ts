import { expect, test } from 'vitest';
import { sourcesIn } from './sources.js';

// Jest, `vm` and browsers' frames have an `Error`, a `Headers` and a `Uint8Array` of their own, so an `instanceof` of a
// global class says no to what is one all the same. The package's own errors are told by their brand, and are imported.

/** The classes that a module asks for an instance of, and neither imports nor declares. */
function globalInstancesIn(code: string): readonly string[] {
  const asked = [...code.matchAll(/\binstanceof \(?([\w.]+)/g)].map(([, name = '']) => name);
  return asked.filter((name) => !new RegExp(`(import [^;]*|class )\\b${name.split('.')[0]}\\b`).test(code));
}

test('the sources ask for no instance of a global class', () => {
  const sources = [...sourcesIn('src')];
  const found = sources.flatMap(([path, code]) => globalInstancesIn(code).map((name) => `${path}: ${name}`));

  expect(sources.filter(([, code]) => code.includes('instanceof')).length).toBeGreaterThan(20);
  expect(found).toEqual([]);
});
