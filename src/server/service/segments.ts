import type { PropertyValue } from '../../contract/contact.js';
import { allOf } from '../model/page.js';
import type { ContactRecord, PropertyCondition, SegmentRecord } from '../model/records.js';
import { ServiceError } from '../model/service-error.js';
import type { WorkspaceContext } from './context.js';

/**
 * The rules of segments. The service's document only says that events can feed segments. The members are computed from the
 * contacts, the events and the time, so no segment must be updated when an event expires or a contact is deleted.
 */
export class SegmentRules {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  /**
   * Returns the ids of the contacts in a segment.
   *
   * @throws ServiceError if no segment has the id.
   */
  async members(segmentId: string): Promise<readonly string[]> {
    const { store } = this.#context;
    const segment = await store.segments.find(segmentId);
    if (segment === undefined) {
      throw new ServiceError(
        'not_found',
        `No segment of this workspace has the id ${JSON.stringify(segmentId)}.`,
      );
    }
    const members: string[] = [];
    for (const contact of await allOf((range) => store.contacts.page({}, range))) {
      if (await this.#holds(segment, contact)) members.push(contact.id);
    }
    return members;
  }

  /** Whether a contact is in a segment now. */
  async include(segmentId: string, contact: ContactRecord): Promise<boolean> {
    const segment = await this.#context.store.segments.find(segmentId);
    return segment !== undefined && this.#holds(segment, contact);
  }

  async #holds(segment: SegmentRecord, contact: ContactRecord): Promise<boolean> {
    if ('where' in segment) return segment.where.every((condition) => meets(contact, condition));
    const { event, atLeast, within } = segment;
    const { environment, store } = this.#context;
    const since = environment.clock.now() - (within ?? Infinity);
    return (await store.events.count(contact.id, event, since)) >= atLeast;
  }
}

/** Reads a property of a contact. The phone is a property too. */
export function propertyOf(contact: ContactRecord, name: string): PropertyValue | undefined {
  if (name === 'phone') return contact.phone;
  // Own properties only: every object inherits names such as `constructor`.
  return Object.hasOwn(contact.properties, name) ? contact.properties[name] : undefined;
}

/** Whether a contact fulfills the condition. */
export function meets(contact: ContactRecord, condition: PropertyCondition): boolean {
  const value = propertyOf(contact, condition.property);
  if ('equals' in condition) return areEqual(value, condition.equals);
  if ('exists' in condition) return (value !== undefined) === condition.exists;
  if ('includes' in condition) return Array.isArray(value) && value.includes(condition.includes);
  if (typeof value !== 'number') return false;
  return 'atLeast' in condition ? value >= condition.atLeast : value < condition.below;
}

function areEqual(value: PropertyValue | undefined, wanted: PropertyValue): boolean {
  if (!Array.isArray(value) || !Array.isArray(wanted)) return value === wanted;
  return value.length === wanted.length && value.every((item, index) => item === wanted[index]);
}
