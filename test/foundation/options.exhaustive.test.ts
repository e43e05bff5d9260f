import '../run/loaded-when-used.js';
import { ConfigurationError, InvalidInputError } from 'messaging-automation';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { untyped } from '../client/support/samples.js';
import { type PublicOption, takersOfOptions } from './public-options.js';
import { closeAll, noOptions, requestsMade, type Way, ways } from './ways-to-call.js';

afterAll(closeAll);

const takers = takersOfOptions().filter(({ name }) => !noOptions.some(([pattern]) => pattern.test(name)));
test('each public function with options has a way to call it, and each way a function', () => {
  expect(takers.map(({ name }) => name)).toEqual(Object.keys(ways).toSorted((a, b) => a.localeCompare(b)));
});

const canary = 'sk_live_4711';

/** A value of each kind. */
const samples: readonly (readonly [kind: string, value: unknown])[] = [
  ['string', canary],
  ['number', 42.5],
  ['boolean', true],
  ['object', {}],
  ['array', []],
  ['function', () => undefined],
  ['null', null],
];

/** What a call told: what it threw or rejected with, what the process was warned of, and what it sent. */
async function toldBy(way: Way, options: object) {
  const before = requestsMade();
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  try {
    const error: unknown = await Promise.race([
      Promise.resolve()
        .then(() => way.call(options))
        .then(() => undefined),
      new Promise((resolve) => setImmediate(() => setImmediate(resolve))), // whoever waits has taken the options
    ]).catch((reason: unknown) => reason);
    const warnings = warned.mock.calls.map(([message]) => String(message));
    return { error, warnings, requests: requestsMade() - before };
  } finally {
    warned.mockRestore();
  }
}

/** Options with one value, and with what the function needs. */
function withOption(way: Way, name: string, value: unknown): object {
  const given = { ...way.needed, [name]: value };
  const options: Record<string, unknown> = {};
  for (const [path, each] of Object.entries(given)) {
    const [outer = '', inner] = path.split('.');
    // What is needed within another option is only needed beside one of its kind.
    if (inner === undefined) options[outer] = each;
    else if (name.startsWith(`${outer}.`)) options[outer] = { ...Object(options[outer]), [inner]: each };
  }
  return options;
}

function expectRefusal(told: Awaited<ReturnType<typeof toldBy>>, name: string, what: string): void {
  const [last = name] = name.split('.').reverse();
  expect(told.error, what).toSatisfy(
    (error) => error instanceof ConfigurationError || error instanceof InvalidInputError,
  );
  if (told.error instanceof InvalidInputError) expect(told.error.outcome).toBe('not_sent');
  expect(String(told.error), what).toContain(last);
  expect(String(told.error), what).not.toContain(canary);
  expect(told.requests, what).toBe(0);
}

describe.each(takers)('$name', ({ name: taker, options }) => {
  const way: Way = ways[taker] ?? { call: () => undefined, unknown: 'refused' };
  const letter = String.fromCharCode('a'.charCodeAt(0) + (Object.keys(ways).indexOf(taker) % 26));
  const known = options.filter(({ name }) => !way.content?.some((outer) => name.startsWith(`${outer}.`)));
  const checked = known.filter(({ name }) => way.later?.[name] === undefined);

  test.runIf(way.unknown !== 'sent')('tells a misspelt name of each option', async () => {
    for (const { name } of known) {
      const misspelt = `${name}${letter}`;
      const told = await toldBy(way, withOption(way, misspelt, canary));
      const words = [told.error, ...told.warnings].join('\n');
      expect(words, misspelt).toContain(misspelt.replace(/^.*\./, ''));
      expect(words).not.toContain(canary);
      if (way.unknown !== 'listed') expect(words).toContain(`(do you mean ${name}?)`);
      if (way.unknown === 'warned')
        expect(told, misspelt).toMatchObject({ error: undefined, warnings: [words.trim()] });
      else expectRefusal(told, misspelt, misspelt);
    }
  });

  test('refuses options that are no object', async () => {
    for (const [kind, value] of samples.filter(([each]) => each !== 'object')) {
      const told = await toldBy(way, untyped(value));
      expect(told.error, kind).toSatisfy(
        (error) => error instanceof ConfigurationError || error instanceof InvalidInputError,
      );
      expect(String(told.error)).not.toContain(canary);
      expect(told.requests).toBe(0);
    }
  });

  test('refuses a value of each other kind', async () => {
    for (const { name, kinds } of checked) {
      if (kinds.has('anything')) continue;
      for (const [kind, value] of samples)
        if (!kinds.has(kind))
          expectRefusal(await toldBy(way, withOption(way, name, value)), name, `${name}: ${kind}`);
    }
  });

  test('refuses a number that is none', async () => {
    for (const option of checked.filter(({ kinds }) => kinds.has('number')))
      for (const value of numbersRefused(option, way))
        expectRefusal(
          await toldBy(way, withOption(way, option.name, value)),
          option.name,
          `${option.name}: ${value}`,
        );
  });

  test('takes undefined for left out, but for what protects', async () => {
    for (const { name, isRequired } of known.filter(
      (each) => checked.includes(each) || way.protections?.includes(each.name),
    )) {
      const isNeeded = isRequired || way.needed?.[name] !== undefined;
      if (isNeeded && way.protections?.includes(name) !== true) continue;
      const told = await toldBy(way, withOption(way, name, undefined));
      if (way.protections?.includes(name) === true)
        expect([told.error, ...told.warnings].join('\n'), name).toContain(
          /secret/.test(name) ? 'secret' : `${name} is undefined`,
        );
      else {
        expect(told.error, name).not.toBeInstanceOf(ConfigurationError);
        expect(told.error, name).not.toBeInstanceOf(InvalidInputError);
        expect(told.warnings, name).toEqual([]);
      }
    }
  });
});

/** By what the comment of the option says: times may have fractions, and a comment names `Infinity` where it fits. */
function numbersRefused({ name, kinds, comment }: PublicOption, way: Way): readonly number[] {
  const isTime = kinds.has('string') || /milliseconds|seconds|hours|minutes/i.test(comment);
  const none = [
    Number.NaN,
    -1,
    ...(/Infinity|no limit/i.test(comment) ? [] : [Number.POSITIVE_INFINITY]),
    ...(isTime ? [] : [0.5]),
  ];
  return none.filter((value) => value !== way.numbers?.[name]);
}
