import type { CasesOf } from './operation-case.js';

/** §4, /v1/templates. */
export const templateCases: CasesOf<'templates'> = {
  list: {
    endpoint: 'GET /v1/templates',
    statuses: [200],
    repeatable: true,
    call: ({ templates }, _, options) => templates.list(options),
    sends: () => ({ path: '/v1/templates' }),
    response: [{ id: 'order_update' }],
    byHand: ({ state }) => Response.json(state.templates),
  },
};
