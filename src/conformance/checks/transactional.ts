import { errorStatuses } from '../../contract/error.js';
import { operations } from '../../contract/operations.js';
import { type Statement, statements } from '../../contract/statements.js';
import { type ConformanceRun, freePhoneNeeded } from '../conformance-run.js';
import { type Judgement, judge } from '../evidence.js';
import { describe, describeStatus } from '../exchange/body.js';
import {
  type DeploymentResponse,
  type ExchangeOutcome,
  type NotChecked,
  needing,
} from '../exchange/outcome.js';
import type { ConformanceSend } from '../options.js';

const { sent } = operations.transactional.send.successes;
const aSend = 'a phone and a template for one send';
export const needsSend = needing(aSend, 'send');
const quotaNeeded = needing('the key of a workspace whose quota is spent', 'exhaustedApiKey');
const templateNeeded = needing('a template that is not approved', 'send.unapprovedTemplateId');
const placeholdersNeeded = needing('a template with placeholders', 'send.variables');
const rejectedPhoneNeeded = needing('a phone that the provider rejects', 'send.rejectedPhone');

/** §4 POST /v1/transactional and its errors (§7). Without the option `send`, it only requests a send to an unknown phone. */
export async function checkSends(run: ConformanceRun): Promise<void> {
  const { send, exhaustedApiKey } = run.settings;
  const { phone } = await run.freePhone();
  const message = { variables: {}, templateId: run.templateIds[0] ?? 'conformance_check', ...send };
  const toNobody = phone === undefined ? freePhoneNeeded : await sendTo(run, { ...message, phone });
  // The document does not show the order of a send's checks. Without an approved template, another error may come first.
  const isOther = toNobody.kind === 'response' && [402, 422].includes(toNobody.status);
  run.saw(
    statements.sendToNobody,
    isOther && send === undefined
      ? needing(`${aSend}; without it: ${describeStatus(toNobody)}`, 'send')
      : judgeRefusal('not_found', toNobody),
  );
  for (const alike of run.nobodies)
    if (send !== undefined && 'phone' in alike)
      run.expect(statements.sendToNobody, await sendTo(run, { ...send, ...alike }), { status: 'a refusal' });
  run.expect(statements.sendSucceeds, send ? await sendToContact(run, send) : needsSend, {
    status: sent,
    body: { success: true },
    expected: '200, success: true',
  });
  /** Requests a send that must be refused because of its change. Without a change, it needs something. */
  const refuse = async (
    statement: Statement,
    code: Code,
    change: Partial<ConformanceSend> | false,
    needed: NotChecked,
    apiKey?: string,
  ) => {
    const outcome = change && send ? await sendToContact(run, { ...send, ...change }, apiKey) : needed;
    run.saw(statement, judgeRefusal(code, send === undefined ? needsSend : outcome));
  };
  const { variables = {}, unapprovedTemplateId: templateId, rejectedPhone } = send ?? {};
  const spent = exhaustedApiKey !== undefined && {};
  await refuse(statements.sendOverQuota, 'quota_exceeded', spent, quotaNeeded, exhaustedApiKey);
  const unapproved = templateId !== undefined && { templateId };
  await refuse(statements.sendUnapproved, 'send_failed', unapproved, templateNeeded);
  const empty = Object.keys(variables).length > 0 && { variables: {} };
  await refuse(statements.sendBadVariables, 'send_failed', empty, placeholdersNeeded);
  const rejected = rejectedPhone !== undefined && { phone: rejectedPhone };
  await refuse(statements.sendProviderIssue, 'send_failed', rejected, rejectedPhoneNeeded);
}

/** Sends to a contact, and creates it if no contact has the phone. */
async function sendToContact(run: ConformanceRun, message: ConformanceSend, apiKey?: string) {
  const isReachable = await run.makeReachable(message.phone, apiKey);
  return isReachable ? sendTo(run, message, apiKey) : needing('a contact with the phone to send to');
}

export function sendTo(
  run: ConformanceRun,
  { phone, templateId, variables }: ConformanceSend,
  apiKey?: string,
): Promise<ExchangeOutcome> {
  const body = { phone, templateId, ...(variables && { variables }) };
  return run.request(operations.transactional.send, { body, apiKey });
}

type Code = 'quota_exceeded' | 'not_found' | 'send_failed';

/**
 * Whether a send was refused with this status and this code. The document shows the code, but not its place in the body, so the
 * check may miss it in a body that is not JSON.
 */
function judgeRefusal(code: Code, outcome: ExchangeOutcome): Judgement {
  const status = errorStatuses[code];
  const isSoFar = outcome.kind === 'response' && outcome.status === status;
  if (isSoFar && outcome.json === undefined && !showsCode(outcome, code))
    return needing(`an error body that shows its code; seen was ${describe(outcome)}`);
  return judge(outcome, {
    status,
    problems: (response) => (showsCode(response, code) ? [] : ['another code']),
    expected: `${status} ${code}`,
  });
}

/** Whether a body shows the code: as a string of its JSON, or as a word of its text. */
const showsCode = ({ json, text }: DeploymentResponse, code: string) =>
  json === undefined ? new RegExp(`\\b${code}\\b`).test(text) : text.includes(`"${code}"`);
