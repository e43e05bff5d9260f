import { errorStatuses } from '../../contract/error.js';
import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { type ConformanceRun, freePhoneNeeded } from '../conformance-run.js';
import { type Judgement, judge, notChecked } from '../evidence.js';
import {
  describe,
  describeStatus,
  notRequested,
  type OptionName,
  type Outcome,
  type ReceivedResponse,
} from '../exchange/outcome.js';
import type { ConformanceSend } from '../options.js';

const { sent } = operations.transactional.send.successes;
const unreachable = notRequested('a contact with the phone to send to');
export const needsSend = notRequested('a phone and a template for one send', 'send');

/** §4 POST /v1/transactional and its errors (§7). Without the option `send`, it only requests a send to an unknown phone. */
export async function checkSends(run: ConformanceRun): Promise<void> {
  const { send, exhaustedApiKey } = run.settings;
  const nobody = await run.freePhone();
  const message = { variables: {}, templateId: run.templateIds[0] ?? 'conformance_check', ...send };
  const toNobody =
    nobody.phone === undefined ? freePhoneNeeded : await sendTo(run, { ...message, phone: nobody.phone });
  // The document does not show the order of a send's checks. Without an approved template, another error may come first.
  const isOther = toNobody.kind === 'response' && [402, 422].includes(toNobody.status);
  run.saw(
    statements.sendToNobody,
    isOther && send === undefined
      ? notChecked({ ...needsSend, needs: `${needsSend.needs}; without it: ${describeStatus(toNobody)}` })
      : judgeRefusal('not_found', toNobody),
  );
  for (const alike of run.nobodies)
    if (send !== undefined && 'phone' in alike)
      run.expect(statements.sendToNobody, await sendTo(run, { ...send, ...alike }), { status: 'a refusal' });
  const isReachable = send !== undefined && (await run.makeReachable(send.phone));
  /** Sends with a change, or says which option is missing. */
  const sendWith = async (
    change: Partial<ConformanceSend> | undefined,
    needs: string,
    option: OptionName,
    apiKey?: string,
  ): Promise<Outcome> => {
    if (send === undefined) return needsSend;
    if (change === undefined) return notRequested(needs, option);
    const { phone } = { ...send, ...change };
    const canReach =
      phone === send.phone && apiKey === undefined ? isReachable : await run.makeReachable(phone, apiKey);
    return canReach ? sendTo(run, { ...send, ...change }, apiKey) : unreachable;
  };
  const { variables = {}, unapprovedTemplateId, rejectedPhone } = send ?? {};
  run.expect(statements.sendSucceeds, await sendWith({}, '', 'send'), {
    status: sent,
    body: { success: true },
    expected: '200, success: true',
  });
  const refused = async (code: Code, ...parts: Parameters<typeof sendWith>) =>
    judgeRefusal(code, await sendWith(...parts));
  const exhausted = exhaustedApiKey === undefined ? undefined : {};
  run.saw(
    statements.sendOverQuota,
    await refused(
      'quota_exceeded',
      exhausted,
      'the key of a workspace whose quota is spent',
      'exhaustedApiKey',
      exhaustedApiKey,
    ),
  );
  const unapproved = unapprovedTemplateId === undefined ? undefined : { templateId: unapprovedTemplateId };
  run.saw(
    statements.sendUnapproved,
    await refused('send_failed', unapproved, 'a template that is not approved', 'send.unapprovedTemplateId'),
  );
  const bare = Object.keys(variables).length > 0 ? { variables: {} } : undefined;
  run.saw(
    statements.sendBadVariables,
    await refused('send_failed', bare, 'a template with placeholders', 'send.variables'),
  );
  const rejected = rejectedPhone === undefined ? undefined : { phone: rejectedPhone };
  run.saw(
    statements.sendProviderIssue,
    await refused('send_failed', rejected, 'a phone that the provider rejects', 'send.rejectedPhone'),
  );
}

export function sendTo(
  run: ConformanceRun,
  { phone, templateId, variables }: ConformanceSend,
  apiKey = run.settings.apiKey,
): Promise<Outcome> {
  const body = { phone, templateId, ...(variables && { variables }) };
  return run.request(operations.transactional.send, { body, apiKey });
}

type Code = 'quota_exceeded' | 'not_found' | 'send_failed';

/**
 * Whether a send was refused with this status and this code. The document shows the code, but not its place in the body, so the
 * check may miss it in a body that is not JSON.
 */
function judgeRefusal(code: Code, outcome: Outcome): Judgement {
  const status = errorStatuses[code];
  const isSoFar = outcome.kind === 'response' && outcome.status === status;
  if (isSoFar && outcome.json === undefined && !showsCode(outcome, code))
    return notChecked(`an error body that shows its code; seen was ${describe(outcome)}`);
  return judge(outcome, {
    status,
    problems: (response) => (showsCode(response, code) ? [] : ['another code']),
    expected: `${status} ${code}`,
  });
}

/** Whether a body shows the code: as a string of its JSON, or as a word of its text. */
const showsCode = ({ json, text }: ReceivedResponse, code: string) =>
  json === undefined ? new RegExp(`\\b${code}\\b`).test(text) : text.includes(`"${code}"`);
