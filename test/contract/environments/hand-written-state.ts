import type { EnvironmentOptions } from '../environment.js';

/** §2 Contact: what a property may hold. */
export type Value = string | number | boolean | string[];

export interface Contact {
  readonly id: string;
  readonly properties: Record<string, Value>;
}

export interface Subscription {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly secret: string;
  readonly enabled: boolean;
  readonly createdAt: number;
}

/** What the workspace holds. */
export class HandWrittenState {
  readonly contacts = new Map<string, Contact>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly templates = [
    { id: 'order_update', approved: true, placeholders: ['1', '2'] },
    { id: 'summer_sale', approved: false, placeholders: [] },
  ];
  /** §8: the plan's conversation quota plus add-on credits. */
  conversationsLeft: number;
  #ids = 0;

  constructor({ quota = 100, addOnCredits = 0 }: EnvironmentOptions) {
    this.conversationsLeft = quota + addOnCredits;
  }

  contactWithPhone(phone: unknown): Contact | undefined {
    return [...this.contacts.values()].find((contact) => contact.properties.phone === phone);
  }

  newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}-${this.#ids}`;
  }
}
