import { jsonAnswer } from '../../answers/answer.js';
import { faultRuleSchema } from '../../faults/rule-schema.js';
import { ServiceError } from '../../model/service-error.js';
import type { Application } from '../application.js';
import { readJson } from '../validation.js';
import { orInvalid } from './or-invalid.js';

/** What goes wrong in the workspace because a test wants it to. */
export function serveFaults(application: Application): void {
  application.handle('GET', '/control/faults', async (_, { faults }) =>
    jsonAnswer(200, { data: faults.list() }),
  );
  application.handle('POST', '/control/faults', async ({ request }, { faults }) => {
    const rule = await readJson(request, faultRuleSchema, application.bodyLimit);
    await orInvalid(() => faults.add(rule));
    return jsonAnswer(201, faults.list().at(-1));
  });
  application.handle('DELETE', '/control/faults', async (_, { faults }) => {
    faults.clear();
    return { status: 204, headers: {} };
  });
  application.handle('DELETE', '/control/faults/:id', async ({ parameters }, { faults }) => {
    if (faults.remove(parameters.id ?? '')) return { status: 204, headers: {} };
    throw new ServiceError('not_found', 'No rule has this id. GET /control/faults lists them.');
  });
}
