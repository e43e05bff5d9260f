import type { SpecGaps } from 'messaging-automation/server';
import { statements } from '../../src/contract/statements.js';

/** What a gap changes of the cases of the contract suite. */
export interface Difference {
  readonly name: keyof SpecGaps;
  readonly values: readonly SpecGaps[keyof SpecGaps][];
  /** The cases that state what the gap changes. */
  readonly cases: readonly string[];
  readonly why: string;
  /** What the cases then fail with. */
  readonly failure: RegExp;
}

/** Every case of the suite that does not hold for some value of some gap; all others hold for all. */
export const differences: readonly Difference[] = [
  {
    name: 'errorBody',
    values: ['text', 'html', 'empty'],
    cases: [statements.sendOverQuota, statements.sendToNobody, statements.sendRejected],
    why: 'They look for the code in a body of JSON, and there is none.',
    failure: /to contain '"(quota_exceeded|not_found|send_failed)"'/,
  },
  {
    name: 'errorBody',
    values: ['text', 'html'],
    cases: [statements.findNobody, statements.deletionIsFinal, statements.contactsOwned],
    why: 'A page or a text may come from a wrong base URL as well, so that find throws where it would give null.',
    failure: /contacts\.find was rejected with 404.*Check the base URL/,
  },
  {
    name: 'retriedBody',
    values: ['re-stamped'],
    cases: [statements.retrySigned],
    why: 'The bytes are not those of the first attempt.',
    failure: /to deeply equal Uint8Array/,
  },
  {
    name: 'receiverRedirect',
    values: ['follow'],
    cases: [statements.deliveryRedirect],
    why: 'It is followed.',
    failure: /to deeply equal \[ '\/hooks', '\/hooks', '\/hooks' \]/,
  },
];

/** Why a case does not hold with these gaps; undefined for one that holds. */
export function differenceOf(specGaps: Partial<SpecGaps>, caseName: string): Difference | undefined {
  return differences.find(({ name, values, cases }) => {
    const value = specGaps[name];
    return value !== undefined && values.includes(value) && cases.includes(caseName);
  });
}
