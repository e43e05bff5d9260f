import { errorStatuses } from '../../contract/error.js';
import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { checkGroup } from '../check-group.js';
import { type ConformanceRun, freePhoneNeeded } from '../conformance-run.js';
import { fieldOf } from '../exchange/json.js';
import {
  describe,
  describeStatus,
  isSuccess,
  notRequested,
  type Outcome,
  type ReceivedResponse,
} from '../exchange/outcome.js';
import { type Judgement, judge, notChecked } from '../judgement.js';
import type { OptionName } from '../option-name.js';
import type { ConformanceSend } from '../options.js';
import { needsSend, sendTo } from './send.js';

const { sent } = operations.transactional.send.successes;
const unreachable = notRequested('a contact with the phone to send to');

/** §4 POST /v1/transactional and its errors (§7). Without the option `send`, it only requests a send to an unknown phone. */
async function observe(run: ConformanceRun) {
  const { send } = run.settings;
  const nobody = await run.freePhone();
  const templateId = send?.templateId ?? run.templateIds[0] ?? 'conformance_check';
  const toNobody =
    nobody.phone === undefined
      ? freePhoneNeeded
      : await sendTo(run, { variables: {}, ...send, phone: nobody.phone, templateId });
  return { maySend: send !== undefined, toNobody, ...(send ? await observeSends(run, send) : {}) };
}

/** The one send that must succeed, and the sends that the deployment must refuse. */
async function observeSends(run: ConformanceRun, message: ConformanceSend) {
  const { unapprovedTemplateId, rejectedPhone, variables } = message;
  const { exhaustedApiKey } = run.settings;
  const isReachable = await run.makeReachable(message.phone);
  const send = (other: ConformanceSend) => (isReachable ? sendTo(run, other) : unreachable);
  return {
    delivered: await send(message),
    withoutVariables:
      Object.keys(variables ?? {}).length > 0 ? await send({ ...message, variables: {} }) : undefined,
    unapproved:
      unapprovedTemplateId === undefined
        ? undefined
        : await send({ ...message, templateId: unapprovedTemplateId }),
    rejected:
      rejectedPhone === undefined
        ? undefined
        : (await run.makeReachable(rejectedPhone))
          ? await sendTo(run, { ...message, phone: rejectedPhone })
          : unreachable,
    exhausted:
      exhaustedApiKey === undefined
        ? undefined
        : (await run.makeReachable(message.phone, exhaustedApiKey))
          ? await sendTo(run, message, exhaustedApiKey)
          : unreachable,
  };
}

type Observed = Awaited<ReturnType<typeof observe>>;

export const transactional = checkGroup<Observed>({
  observe,
  checks: [
    {
      statement: statements.sendSucceeds,
      judge: ({ delivered = needsSend }) =>
        judge(
          delivered,
          '200, success: true',
          ({ status, json }) => status === sent && fieldOf(json, 'success') === true,
          (outcome) =>
            isSuccess(outcome) ? `${describe(outcome)}${successIn(outcome)}` : describeStatus(outcome),
        ),
    },
    {
      statement: statements.sendOverQuota,
      judge: ({ exhausted, ...observed }) =>
        judgeRefusal(
          'quota_exceeded',
          exhausted ?? missing(observed, 'the key of a workspace whose quota is spent', 'exhaustedApiKey'),
        ),
    },
    {
      statement: statements.sendToNobody,
      judge: ({ maySend, toNobody }) => {
        // The document does not show the order of a send's checks. Without an approved template, another error may come first.
        const isOther = toNobody.kind === 'response' && [402, 422].includes(toNobody.status);
        if (isOther && !maySend)
          return notChecked({
            ...needsSend,
            needs: `${needsSend.needs}; without it: ${describeStatus(toNobody)}`,
          });
        return judgeRefusal('not_found', toNobody);
      },
    },
    {
      statement: statements.sendUnapproved,
      judge: ({ unapproved, ...observed }) =>
        judgeRefusal(
          'send_failed',
          unapproved ?? missing(observed, 'a template that is not approved', 'send.unapprovedTemplateId'),
        ),
    },
    {
      statement: statements.sendBadVariables,
      judge: ({ withoutVariables, ...observed }) =>
        judgeRefusal(
          'send_failed',
          withoutVariables ?? missing(observed, 'a template with placeholders', 'send.variables'),
        ),
    },
    {
      statement: statements.sendProviderIssue,
      judge: ({ rejected, ...observed }) =>
        judgeRefusal(
          'send_failed',
          rejected ?? missing(observed, 'a phone that the provider rejects', 'send.rejectedPhone'),
        ),
    },
  ],
});

const missing = ({ maySend }: Pick<Observed, 'maySend'>, needs: string, option: OptionName) =>
  maySend ? notRequested(needs, option) : needsSend;

/**
 * Whether a send was refused with this status and this code. The document shows the code, but not its place in the body, so the
 * check may miss it in a body that is not JSON.
 */
function judgeRefusal(code: 'quota_exceeded' | 'not_found' | 'send_failed', outcome: Outcome): Judgement {
  const status = errorStatuses[code];
  if (outcome.kind === 'response' && outcome.status === status && !showsCode(outcome, code)) {
    if (outcome.json === undefined)
      return notChecked(`an error body that shows its code; seen was ${describe(outcome)}`);
  }
  return judge(
    outcome,
    `${status} ${code}`,
    (response) => response.status === status && showsCode(response, code),
    describeStatus,
  );
}

/** Whether a body shows the code: as a string of its JSON, or as a word of its text. */
const showsCode = ({ json, text }: ReceivedResponse, code: string) =>
  json === undefined ? new RegExp(`\\b${code}\\b`).test(text) : text.includes(`"${code}"`);

const successIn = ({ json }: ReceivedResponse) =>
  fieldOf(json, 'success') === false ? ', success: false' : '';
