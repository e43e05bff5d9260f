import type { WebhookEventType } from 'messaging-automation';

/** What became of a call, as whoever made it knows: it succeeded, or its error says what may have been done. */
export type Outcome = 'success' | 'rejected' | 'not_sent' | 'unknown';

/** What a call that changes something was to do. Each has a token, or ids, by which its trace is found again. */
export type Deed =
  /** An upsert or an update that gives the contact a property named by the token. */
  | { readonly kind: 'write'; readonly phone: string; readonly token: string }
  | { readonly kind: 'delete_contact'; readonly phone: string; readonly contactId: string }
  | { readonly kind: 'send'; readonly phone: string; readonly token: string }
  | {
      readonly kind: 'track';
      readonly phone: string;
      readonly token: string;
      readonly event: string;
      /** The text among its properties. */
      readonly note: string;
    }
  | {
      readonly kind: 'subscribe';
      readonly url: string;
      readonly events: readonly WebhookEventType[];
      readonly created?: { readonly id: string; readonly secret: string };
    }
  | { readonly kind: 'unsubscribe'; readonly subscriptionId: string }
  | {
      readonly kind: 'message';
      readonly phone: string;
      readonly messageId: string;
      readonly consent?: 'opted_in' | 'opted_out';
      /** The message asked for this consent, and nobody knows whether it changed anything. */
      readonly consentIsUnsure?: true;
    };

/** A call with its outcome, and when it began and ended in the order of all calls. */
export type Call<Kind extends Deed['kind'] = Deed['kind']> = Extract<Deed, { readonly kind: Kind }> & {
  readonly outcome: Outcome;
  readonly from: number;
  readonly to: number;
};

/** The calls of one kind. */
export function callsOf<Kind extends Deed['kind']>(
  calls: readonly Call[],
  kind: Kind,
): readonly Call<Kind>[] {
  return calls.filter((call): call is Call<Kind> => call.kind === kind);
}

/** Whether a call has, or may have, done what it was to do. */
export function mayHaveHappened({ outcome }: Call): boolean {
  return outcome === 'success' || outcome === 'unknown';
}
