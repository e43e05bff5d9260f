import type { Trouble } from './simulation.js';

/** What goes wrong, and how deliveries end then. */
export const troubles: readonly (readonly [string, Partial<Trouble>, readonly string[]])[] = [
  ['without trouble', {}, ['handled']],
  [
    'if handlers fail and deliveries give up',
    { failingHandler: 0.3, impatience: 0.3 },
    ['failed', 'gave up', 'handled'],
  ],
  ['if processes die', { death: 0.1 }, ['dead', 'handled']],
  ['if the store fails', { failure: 0.2 }, ['handled']],
  ['if the store does not respond', { hang: 0.02 }, ['handled']],
  [
    'if everything goes wrong',
    { failingHandler: 0.1, impatience: 0.1, death: 0.05, failure: 0.1, hang: 0.01 },
    ['dead', 'failed', 'gave up', 'handled'],
  ],
];
