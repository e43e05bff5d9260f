import { operations } from '../../contract/operations.js';
import { checkGroup } from '../check-group.js';
import type { ConformanceRun } from '../conformance-run.js';
import { describeError, describeStatus, seeing } from '../exchange/outcome.js';

/** §7, what the document does not show: refusals of invalid input, and of unknown paths and methods. */
async function observe(run: ConformanceRun) {
  const { contacts } = operations;
  return {
    invalid: await run.upsert('conformance-check'),
    notJson: await run.request(contacts.upsert, { body: '{' }),
    unknownPath: await run.request({ method: 'GET', path: '/v1/conformance_check' }),
    otherMethod: await run.request({ method: 'PATCH', path: operations.templates.list.path }),
  };
}

export const refusals = checkGroup({
  observe,
  checks: [],
  silences: [
    { statement: '§7 Invalid input', see: ({ invalid }) => seeing(describeError, invalid) },
    {
      statement: '§7 A body that is not JSON',
      see: ({ notJson }) => seeing(describeStatus, notJson),
    },
    {
      statement: '§7 An unknown path, an unknown method',
      see: ({ unknownPath, otherMethod }) => seeing(describeStatus, unknownPath, otherMethod),
    },
  ],
});
