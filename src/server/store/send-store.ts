import type { Fields, Page, PageRange } from '../model/page.js';
import type { QuotaChange, QuotaRecord, SendRecord } from '../model/records.js';
import type { Claim } from './claim.js';

/** The sends of a workspace, and its quota. */
export interface SendStore {
  /** Returns the remaining quota. */
  readQuota(): Promise<QuotaRecord>;
  /**
   * Sets the remaining conversations of the plan, the add-on credits, or both. Keeps undefined fields. Returns the new quota.
   */
  setQuota(quota: QuotaChange): Promise<QuotaRecord>;
  /**
   * Takes one conversation from the plan or, if that is used up, from the add-on credits. Adds the send as pending, and claims
   * it. Returns undefined and adds nothing if no conversation is left.
   *
   * A step of a journey run is sent and paid once. If the process that began it has died, `begin` claims that pending send again. If
   * it was sent, `begin` returns undefined.
   *
   * @param step - The position of the step in the run of `journeyRunId`.
   */
  begin(send: NewSend, step?: number): Promise<ClaimedSend | undefined>;
  /** Finds the send of a step of a journey run. */
  findOfStep(journeyRunId: string, step: number): Promise<SendRecord | undefined>;
  /**
   * Settles the claimed send. An accepted send gets the status `sent`. A rejected send is removed, and a refund returns its
   * conversation to where it came from. Returns false and changes nothing if the claim is not the latest or has ended.
   */
  settle(claim: Claim, outcome: SendOutcome): Promise<boolean>;
  /** Claims the oldest pending send without a running lease: the process that began it has stopped. */
  claimAbandoned(): Promise<ClaimedSend | undefined>;
  /**
   * Returns a page of the sends with these values: the pending ones in the order of their start, the sent ones in the order in which
   * they were accepted. They remain when their contact is deleted. A store may drop the oldest sent ones.
   */
  page(fields: SendFields, range: PageRange): Promise<Page<SendRecord>>;
}

export type SendFields = Fields<
  SendRecord,
  'status' | 'contactId' | 'phone' | 'templateId' | 'text' | 'journeyRunId'
>;

export type NewSend = Omit<SendRecord, 'status' | 'paidBy'>;

export interface ClaimedSend {
  readonly claim: Claim;
  readonly send: SendRecord;
}

export type SendOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly refund: boolean };
