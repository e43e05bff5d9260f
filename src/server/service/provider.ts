/** A template message on its way to a contact. */
export interface ProviderMessage {
  readonly phone: string;
  readonly templateId: string;
  readonly text: string;
}

/** What the provider made of a message: accepted, or rejected and why. */
export type ProviderVerdict =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly reason: string };

/** The chat-messaging provider behind the sends. */
export interface Provider {
  send(message: ProviderMessage): Promise<ProviderVerdict>;
}
