import type { SendInput, SendResult } from '../../contract/transactional.js';
import type { Environment } from '../environment.js';
import type { Provider } from '../provider/provider.js';
import type { QuotaSource } from '../store/records.js';
import type { WorkspaceStore } from '../store/store.js';
import { contactByPhone } from './contacts.js';
import { ServiceError } from './service-error.js';
import { fillTemplate, sendFailed } from './templates.js';

/**
 * The rules of sends: §4 POST /v1/transactional. The document does not order its errors; here it is contact,
 * quota, template and variables, provider. A send that is refused spends nothing.
 */
export class Transactional {
  readonly #environment: Environment;
  readonly #provider: Provider;

  constructor(environment: Environment, provider: Provider) {
    this.#environment = environment;
    this.#provider = provider;
  }

  async send(workspace: WorkspaceStore, input: SendInput): Promise<SendResult> {
    const { phone, templateId, variables = {} } = input;
    const contact = await contactByPhone(workspace, phone);
    const { quota, addOnCredits } = await workspace.readQuota();
    if (quota + addOnCredits === 0) throw quotaExceeded();
    const text = fillTemplate(templateId, await workspace.findTemplate(templateId), variables);
    const id = this.#environment.newId('send');
    const paidBy = await this.#pay(workspace, { phone, templateId, text });
    await workspace.recordSend({
      id,
      contactId: contact.id,
      phone,
      templateId,
      variables,
      text,
      paidBy,
      sentAt: this.#environment.clock.now(),
    });
    return { success: true };
  }

  /**
   * Spends before the provider is asked, since two sends must not share the last credit, and gives it back
   * when the provider rejects.
   */
  async #pay(
    workspace: WorkspaceStore,
    message: { readonly phone: string; readonly templateId: string; readonly text: string },
  ): Promise<QuotaSource> {
    const paidBy = await workspace.spendQuota();
    if (paidBy === undefined) throw quotaExceeded();
    const verdict = await this.#provider.send(message).catch(() => undefined);
    if (verdict?.accepted === true) return paidBy;
    await workspace.refundQuota(paidBy);
    throw sendFailed(`The provider rejected the send: ${verdict?.reason ?? 'it failed'}.`);
  }
}

function quotaExceeded(): ServiceError {
  return new ServiceError(
    'quota_exceeded',
    "The plan's conversation quota and add-on credits are exhausted.",
  );
}
