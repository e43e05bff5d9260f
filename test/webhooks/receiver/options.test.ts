import { expect, test } from 'vitest';
import { receiverOf } from './receive.js';

const aboveZero = 'must be a number above zero.';
const notSet = 'workspaceId must be a string that is not empty. Is its environment variable set?';
const atLeastOne = 'maxConcurrent must be a number of one or more; Infinity sets no bound.';

test.each<[object, string]>([
  [{ maxBodyBytes: 0 }, `maxBodyBytes ${aboveZero}`],
  [{ deadline: Number.POSITIVE_INFINITY }, `deadline ${aboveZero}`],
  [{ lease: '30s' }, `lease ${aboveZero}`],
  [{ rememberFor: Number.NaN }, `rememberFor ${aboveZero}`],
  [{ handlerTimeout: -1 }, `handlerTimeout ${aboveZero}`],
  [{ maxConcurrent: 0 }, atLeastOne],
  [{ maxConcurrent: Number.NaN }, atLeastOne],
  [{ maxConcurrent: '1' }, atLeastOne],
  [{ workspaceId: '' }, notSet],
  [{ workspaceId: 7 }, notSet],
  [{ workspaceId: null }, notSet],
  [{ tolerance: { past: -1 } }, 'tolerance.past must be a number of milliseconds, zero or more.'],
  [{ dedupeKey: 'messageId' }, 'dedupeKey must be a function of the event.'],
  [{ acknowledge: 'at once' }, "acknowledge must be 'after-handlers' or 'after-claim'."],
  [{ whenSlow: 'wait' }, "whenSlow must be 'retry' or 'acknowledge'."],
  [
    { acknowledge: 'after-claim', dedupe: false },
    "acknowledge: 'after-claim' needs a dedupe store to claim from; leave out dedupe: false.",
  ],
])('%j is a TypeError that says what the option must be', (options, message) => {
  expect(() => receiverOf(options)).toThrow(new TypeError(message));
});
