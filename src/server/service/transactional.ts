import type { SendInput, SendResult } from '../../contract/transactional.js';
import { type ContactRecord, placeholder, type SendRecord, type TemplateRecord } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import type { ClaimedSend } from '../store/store.js';
import { contactByPhone } from './contacts.js';
import type { WorkspaceContext } from './context.js';
import type { Provider } from './provider.js';

/** A template message to a contact, from the API or a journey. */
export interface TemplateMessage {
  readonly templateId: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The step of a journey run that sends a message. */
export interface SendingStep {
  readonly journeyRunId: string;
  /** The position of the step in the journey. */
  readonly position: number;
}

/**
 * The rules of POST /v1/transactional. The service's document does not order its errors. Here, the checks run in this order:
 * contact, quota, template and variables, provider. A rejected send costs nothing. `specGaps` can change both.
 */
export class TransactionalRules {
  readonly #context: WorkspaceContext;
  readonly #provider: Provider;

  constructor(context: WorkspaceContext, provider: Provider) {
    this.#context = context;
    this.#provider = provider;
  }

  /** @param requestId - The API request, for the journal. */
  async send({ phone, templateId, variables = {} }: SendInput, requestId?: string): Promise<SendResult> {
    const contact = await contactByPhone(this.#context.store, phone);
    await this.sendTo(contact, { templateId, variables }, { requestId });
    return { success: true };
  }

  /**
   * Sends to a contact.
   *
   * @param by - The API request, for the journal, or the step of a journey run, which sends once.
   * @throws ServiceError `quota_exceeded` or `send_failed`.
   */
  async sendTo(
    contact: ContactRecord,
    message: TemplateMessage,
    { requestId, step }: { readonly requestId?: string | undefined; readonly step?: SendingStep },
  ): Promise<void> {
    const { environment, gaps, record, store } = this.#context;
    // A process that took this step before may have died after it had paid, or after it had sent.
    const earlier = await this.#earlierOf(step);
    if (earlier?.status === 'sent') return;
    if (gaps().sendChecks === 'quota first' && earlier === undefined) await this.#checkQuota();
    const text = await this.#compose(contact, message);
    // Spend before the call of the provider, so that two sends cannot use the same last credit.
    const claimed = await store.sends.begin(
      {
        ...message,
        ...(step && { journeyRunId: step.journeyRunId }),
        ...(contact.consent === 'opted_out' && { toOptedOut: true }),
        id: environment.newId('send'),
        contactId: contact.id,
        phone: contact.phone,
        text,
        sentAt: environment.clock.now(),
      },
      step?.position,
    );
    if (claimed === undefined && (await this.#earlierOf(step))?.status === 'sent') return;
    if (claimed === undefined) throw quotaExceeded();
    // The send was abandoned during the call. The workspace does not count it, although the provider got the message.
    if (!(await this.#passOn(claimed))) return;
    const send: SendRecord = { ...claimed.send, status: 'sent' };
    const at = environment.clock.now();
    record({ type: 'send', at, send, ...(requestId !== undefined && { requestId }) });
  }

  async #earlierOf(step: SendingStep | undefined): Promise<SendRecord | undefined> {
    return step && this.#context.store.sends.findOfStep(step.journeyRunId, step.position);
  }

  /** Starts to settle the sends whose process ended too early. Returns at once. */
  startSettling(): void {
    this.#context.work.start(() => this.resume());
  }

  /**
   * Settles the sends whose process ended too early. It is unknown whether the provider accepted them, and no caller got a
   * success, so they count as never started.
   */
  async resume(): Promise<void> {
    const { sends } = this.#context.store;
    for (let left = await sends.claimAbandoned(); left !== undefined; left = await sends.claimAbandoned()) {
      await sends.settle(left.claim, { accepted: false, refund: true });
    }
  }

  async #checkQuota(): Promise<void> {
    const { quota, addOnCredits } = await this.#context.store.sends.readQuota();
    if (quota + addOnCredits === 0) throw quotaExceeded();
  }

  /** Returns the message's text. Throws if the send is not allowed. */
  async #compose({ consent }: ContactRecord, { templateId, variables }: TemplateMessage): Promise<string> {
    const { gaps, store } = this.#context;
    const template = await store.templates.find(templateId);
    if (template === undefined) {
      const code = gaps().unknownTemplate === 'not_found' ? 'template_not_found' : 'send_failed';
      const id = JSON.stringify(templateId);
      throw new ServiceError(code, `No template has the id ${id}. GET /v1/templates lists them.`);
    }
    const text = fillTemplate(template, variables);
    if (consent === 'opted_out' && gaps().sendToOptedOut === 'refuse') {
      throw sendFailed('The contact has opted out of messages.');
    }
    return text;
  }

  /** Sends to the provider, and settles the send by its verdict. False if the send was abandoned during the call. */
  async #passOn({ claim, send: { phone, templateId, text } }: ClaimedSend): Promise<boolean> {
    const { gaps, store } = this.#context;
    const rejection = await this.#provider({ phone, templateId, text }).catch(
      () => 'the provider call failed',
    );
    const refund = gaps().rejectedSend === 'spends nothing';
    const accepted = rejection === undefined;
    const settled = await store.sends.settle(claim, accepted ? { accepted } : { accepted, refund });
    if (accepted) return settled;
    throw sendFailed(`The provider rejected the send: ${rejection}.`);
  }
}

function quotaExceeded(): ServiceError {
  return new ServiceError(
    'quota_exceeded',
    "The plan's conversation quota and add-on credits are exhausted.",
  );
}

/** Fills a template with variables, or throws 422 `send_failed`. */
function fillTemplate(template: TemplateRecord, variables: Readonly<Record<string, string>>): string {
  const { id: templateId } = template;
  if (template.status !== 'approved') {
    throw sendFailed(`The template ${JSON.stringify(templateId)} is ${template.status}, not approved.`);
  }
  const missing = template.variables.filter((name) => (variables[name] ?? '') === '');
  if (missing.length > 0) {
    throw sendFailed(
      `The template ${JSON.stringify(templateId)} needs a value for ${quoted(missing)} in variables.`,
    );
  }
  const unknown = Object.keys(variables).filter((name) => !template.variables.includes(name));
  if (unknown.length > 0) {
    throw sendFailed(`The template ${JSON.stringify(templateId)} has no placeholder ${quoted(unknown)}.`);
  }
  return template.body.replace(placeholder, (_, number) => variables[String(Number(number))] ?? '');
}

/** 422 send_failed. */
export function sendFailed(message: string): ServiceError {
  return new ServiceError('send_failed', message);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}
