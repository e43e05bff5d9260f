import { operations } from '../../contract/operations.js';
import type { ConformanceRun } from '../conformance-run.js';
import { notRequested, type Outcome } from '../exchange/outcome.js';
import type { ConformanceSend } from '../options.js';

export const needsSend = notRequested('a phone and a template for one send', 'send');

export function sendTo(
  run: ConformanceRun,
  message: ConformanceSend,
  apiKey = run.settings.apiKey,
): Promise<Outcome> {
  const { phone, templateId, variables } = message;
  const body = { phone, templateId, ...(variables && { variables }) };
  return run.request(operations.transactional.send, { body, apiKey });
}
