import { readFileSync } from 'node:fs';
import * as jest from '@jest/globals';

// What the matrices use of Vitest, on top of Jest's globals: the bundle for Jest has this in place of `vitest`.

type Finish = () => unknown;
type Body = (context: Context) => unknown;
type RowBody<Row> = (row: Row, context: Context) => unknown;

interface Context {
  /** Ends the test. Jest knows no such verb, so there the test counts as passed. */
  readonly skip: (condition?: boolean | string, reason?: string) => void;
}

class Skipped extends Error {}

const context: Context = {
  skip(condition) {
    if (condition !== false) throw new Skipped();
  },
};

let finishes: Finish[] = [];

jest.afterEach(async () => {
  const ending = finishes;
  finishes = [];
  for (const finish of ending.reverse()) await finish();
});

/** Runs once the test has finished, the last one first. */
export function onTestFinished(finish: Finish): void {
  finishes.push(finish);
}

export const describe = Object.assign((name: string, body: () => void) => jest.describe(name, body), {
  each:
    <Row>(rows: readonly Row[]) =>
    (name: string, body: (...cells: readonly unknown[]) => void) => {
      for (const row of rows)
        jest.describe(titleOf(name, row), () => body(...(Array.isArray(row) ? row : [row])));
    },
});

export const test = Object.assign((name: string, body: Body) => define(name, body), {
  for:
    <Row>(rows: readonly Row[]) =>
    (name: string, body: RowBody<Row>) => {
      for (const row of rows) define(titleOf(name, row), (given) => body(row, given));
    },
});

function define(name: string, body: Body): void {
  jest.test(name, async () => {
    try {
      await body(context);
    } catch (error) {
      if (!(error instanceof Skipped)) throw error;
    }
  });
}

/** A title with the first cells of a row in the places of `%s`. */
function titleOf(name: string, row: unknown): string {
  const cells = Array.isArray(row) ? [...row] : [row];
  return name.replaceAll('%s', () => String(cells.shift()));
}

jest.expect.extend({
  toMatchFileSnapshot: (received: unknown, path: string) => ({
    pass: received === readFileSync(path, 'utf8'),
    message: () => `is not what ${path} holds:\n${String(received)}`,
  }),
});

/** Jest's `expect`, which takes no second argument, with the message in front of the failure. */
export const expect = Object.assign((value: unknown, message?: string) => {
  const expectation = jest.expect(value);
  if (message === undefined) return expectation;
  return new Proxy(expectation, {
    get(target, name, receiver) {
      const matcher: unknown = Reflect.get(target, name, receiver);
      if (typeof matcher !== 'function') return matcher;
      return (...expected: readonly unknown[]) => {
        try {
          return Reflect.apply(matcher, target, expected);
        } catch (error) {
          throw new Error(message, { cause: error });
        }
      };
    },
  });
}, jest.expect);
