import { operations } from '../../contract/operations.js';
import { describeError, describeStatus, seeing } from '../exchange/outcome.js';
import { subject } from '../subject.js';
import type { Visit } from '../visit.js';

/** §7, what it does not show: how the deployment refuses what no rule of the document is about. */
async function walk(visit: Visit) {
  const { contacts } = operations;
  return {
    invalid: await visit.upsert('conformance-check'),
    notJson: await visit.ask(contacts.upsert, { body: '{' }),
    unknownPath: await visit.ask({ method: 'GET', path: '/v1/conformance_check' }),
    otherMethod: await visit.ask({ method: 'PATCH', path: operations.templates.list.path }),
  };
}

export const refusals = subject({
  walk,
  checks: [],
  silences: [
    { section: '§7', statement: 'Invalid input', see: ({ invalid }) => seeing(describeError, invalid) },
    {
      section: '§7',
      statement: 'A body that is not JSON',
      see: ({ notJson }) => seeing(describeStatus, notJson),
    },
    {
      section: '§7',
      statement: 'An unknown path, an unknown method',
      see: ({ unknownPath, otherMethod }) => seeing(describeStatus, unknownPath, otherMethod),
    },
  ],
});
