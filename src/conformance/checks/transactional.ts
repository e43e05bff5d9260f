import { errorStatuses } from '../../contract/error.js';
import { operations } from '../../contract/operations.js';
import { checkGroup } from '../check-group.js';
import type { ConformanceRun } from '../conformance-run.js';
import { fieldOf } from '../exchange/json.js';
import {
  type Answer,
  describe,
  describeStatus,
  isSuccess,
  notAsked,
  type Outcome,
} from '../exchange/outcome.js';
import { type Judgement, judge, notChecked } from '../judgement.js';
import type { ConformanceSend } from '../options.js';

const { send } = operations.transactional;
const { sent } = send.successes;
const needsSend = 'a phone and a template that may be sent to it (send)';

/** §4 POST /v1/transactional and its errors (§7). Without `send`, only what can send nothing is asked. */
async function observe(run: ConformanceRun) {
  const { settings } = run;
  const nobody = await run.freePhone();
  const templateId = settings.send?.templateId ?? run.templateIds[0] ?? 'conformance_check';
  const toNobody =
    nobody.phone === undefined
      ? notAsked('a phone number that is seen to belong to nobody')
      : await sendTo(run, { variables: {}, ...settings.send, phone: nobody.phone, templateId });
  return { told: settings.send, toNobody, ...(settings.send ? await observeSends(run, settings.send) : {}) };
}

/** The one send that is to arrive, and those that the deployment must refuse. */
async function observeSends(run: ConformanceRun, told: ConformanceSend) {
  const { unapprovedTemplateId, rejectedPhone, variables } = told;
  const { exhaustedApiKey } = run.settings;
  const reached = await run.makeReachable(told.phone);
  const ask = (message: ConformanceSend) => (reached ? sendTo(run, message) : unreachable);
  return {
    delivered: await ask(told),
    withoutVariables:
      Object.keys(variables ?? {}).length > 0 ? await ask({ ...told, variables: {} }) : undefined,
    unapproved:
      unapprovedTemplateId === undefined
        ? undefined
        : await ask({ ...told, templateId: unapprovedTemplateId }),
    rejected:
      rejectedPhone === undefined
        ? undefined
        : (await run.makeReachable(rejectedPhone))
          ? await sendTo(run, { ...told, phone: rejectedPhone })
          : unreachable,
    exhausted:
      exhaustedApiKey === undefined
        ? undefined
        : (await run.makeReachable(told.phone, exhaustedApiKey))
          ? await sendTo(run, told, exhaustedApiKey)
          : unreachable,
  };
}

type Seen = Awaited<ReturnType<typeof observe>>;

const unreachable = notAsked('a contact with the phone to send to');

function sendTo(
  run: ConformanceRun,
  message: ConformanceSend,
  apiKey = run.settings.apiKey,
): Promise<Outcome> {
  const { phone, templateId, variables } = message;
  return run.request(send, { body: { phone, templateId, ...(variables && { variables }) }, apiKey });
}

export const transactional = checkGroup({
  observe,
  checks: [
    {
      section: '§4',
      statement: 'POST /v1/transactional: 200 with success true',
      judge: ({ delivered = notAsked(needsSend) }) =>
        judge(
          delivered,
          '200, success: true',
          ({ status, json }) => status === sent && fieldOf(json, 'success') === true,
          (outcome) =>
            isSuccess(outcome) ? `${describe(outcome)}${successIn(outcome)}` : describeStatus(outcome),
        ),
    },
    {
      section: '§4',
      statement: 'POST /v1/transactional: 402 quota_exceeded',
      judge: ({ told, exhausted }) =>
        judgeRefusal(
          'quota_exceeded',
          exhausted ??
            notAsked(told ? 'the key of a workspace whose quota is spent (exhaustedApiKey)' : needsSend),
        ),
    },
    {
      section: '§4',
      statement: 'POST /v1/transactional: 404 not_found for a phone no contact has',
      judge: ({ told, toNobody }) => {
        const other = toNobody.kind === 'answer' && [402, 422].includes(toNobody.status);
        // The order of a send's checks is not shown: without a message that is right in all else, this may come first.
        if (other && told === undefined)
          return notChecked(`${needsSend}; without: ${describeStatus(toNobody)}`);
        return judgeRefusal('not_found', toNobody);
      },
    },
    {
      section: '§7',
      statement: 'send_failed: the template is not approved',
      judge: ({ told, unapproved }) =>
        judgeRefusal(
          'send_failed',
          unapproved ??
            notAsked(told ? 'a template that is not approved (send.unapprovedTemplateId)' : needsSend),
        ),
    },
    {
      section: '§7',
      statement: 'send_failed: bad variables',
      judge: ({ told, withoutVariables }) =>
        judgeRefusal(
          'send_failed',
          withoutVariables ?? notAsked(told ? 'a template with placeholders (send.variables)' : needsSend),
        ),
    },
    {
      section: '§7',
      statement: 'send_failed: an issue of the provider',
      judge: ({ told, rejected }) =>
        judgeRefusal(
          'send_failed',
          rejected ?? notAsked(told ? 'a phone that the provider rejects (send.rejectedPhone)' : needsSend),
        ),
    },
  ] satisfies readonly { judge: (seen: Seen) => Judgement; section: string; statement: string }[],
});

/** Whether a send was refused with this code and its status. Where in the body the code stands is not shown. */
function judgeRefusal(code: 'quota_exceeded' | 'not_found' | 'send_failed', outcome: Outcome): Judgement {
  const isIt = ({ status, text }: Answer) => status === errorStatuses[code] && text.includes(`"${code}"`);
  return judge(outcome, `${errorStatuses[code]} ${code}`, isIt, describeStatus);
}

const successIn = ({ json }: Answer) => (fieldOf(json, 'success') === false ? ', success: false' : '');
