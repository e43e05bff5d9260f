import type { SpecGaps } from 'messaging-automation/server';

/** What a switch changes of the cases of the contract suite. */
export interface Difference {
  readonly name: keyof SpecGaps;
  readonly values: readonly SpecGaps[keyof SpecGaps][];
  /** The cases that state what the switch changes. */
  readonly cases: readonly string[];
  readonly why: string;
  /** What the cases then fail with. */
  readonly failure: RegExp;
}

/** Every case of the suite that does not hold for some value of some switch; all others hold for all. */
export const differences: readonly Difference[] = [
  {
    name: 'errorBody',
    values: ['text', 'html', 'empty'],
    cases: [
      '§4 POST /v1/transactional: 402 quota_exceeded',
      '§4 POST /v1/transactional: 404 not_found for a phone no contact has',
      '§4 POST /v1/transactional: 422 send_failed',
    ],
    why: 'They look for the code in a body of JSON, and there is none.',
    failure: /to contain '"(quota_exceeded|not_found|send_failed)"'/,
  },
  {
    name: 'errorBody',
    values: ['text', 'html'],
    cases: [
      '§4 GET /v1/contacts/find: 404 when no contact matches',
      '§4 DELETE /v1/contacts/:id: the contact is gone for good',
      '§5 the key is scoped to a workspace, which owns its contacts',
    ],
    why: 'A page or a text may come from a wrong base URL as well, so that find throws where it would give null.',
    failure: /contacts\.find was rejected with 404.*Check the base URL/,
  },
  {
    name: 'retriedBody',
    values: ['re-stamped'],
    cases: ['§8 a retry is signed, and its bytes are those of the first attempt'],
    why: 'The bytes are not those of the first attempt.',
    failure: /to deeply equal Uint8Array/,
  },
  {
    name: 'receiverRedirect',
    values: ['follow'],
    cases: ['§8 a redirect is not a 2xx: a failed delivery, never followed'],
    why: 'It is followed.',
    failure: /to deeply equal \[ '\/hooks', '\/hooks', '\/hooks' \]/,
  },
];

/** Why a case does not hold with these switches; undefined for one that holds. */
export function differenceOf(specGaps: Partial<SpecGaps>, caseName: string): Difference | undefined {
  return differences.find(({ name, values, cases }) => {
    const value = specGaps[name];
    return value !== undefined && values.includes(value) && cases.includes(caseName);
  });
}
