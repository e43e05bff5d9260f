/** A template message to a contact. */
export interface ProviderMessage {
  readonly phone: string;
  readonly templateId: string;
  readonly text: string;
}

/** The provider's verdict on a message: accepted, or rejected with a reason. */
export type ProviderVerdict =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly reason: string };

/** The chat-messaging provider behind the sends. */
export interface Provider {
  send(message: ProviderMessage): Promise<ProviderVerdict>;
}
