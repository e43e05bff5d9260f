import type { Receiver } from './receiver.js';

/** A template that every environment has, approved, with the placeholders 1 and 2. */
export const approvedTemplate = 'order_update';

/** A template that every environment knows of, but that is not approved. */
export const unapprovedTemplate = 'summer_sale';

/** A phone number that every environment's chat provider has an issue with. Reserved for fiction. */
export const undeliverablePhone = '+15005550102';

/** How the environment differs from one with quota to spare. */
export interface EnvironmentOptions {
  /** Conversations in the plan. */
  readonly quota?: number;
  /** Conversations bought on top of the plan. */
  readonly addOnCredits?: number;
}

/** The service, in one of the shapes that the contract tests run against, and a receiver of its deliveries. */
export interface Environment {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The key of another workspace of the same service, which begins empty. */
  readonly otherApiKey: string;
  readonly receiver: Receiver;
  /** How requests get to the service. Default: the global `fetch`. */
  readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>;
  /** A contact writes to the workspace. */
  inboundMessage(message: { readonly phone: string; readonly body: string }): Promise<void>;
  /** Resolves when all that is due now is done: events processed, deliveries attempted. */
  settled(): Promise<void>;
  /** Moves the environment's time on, and resolves when what became due on the way has settled. */
  advance(milliseconds: number): Promise<void>;
  /** Ends the environment; throws if a request went where nothing was to respond to it. */
  close(): Promise<void>;
}

/** Makes a fresh environment. */
export type CreateEnvironment = (options: EnvironmentOptions) => Promise<Environment>;
