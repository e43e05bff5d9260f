import type { SendInput } from 'messaging-automation';
import { indices, phoneOf } from '../../client/bulk/items.js';

/** What becomes of an item in the end, unless it is unknown: most items have nothing wrong. */
export function endOf(index: number): 'done' | 'no contact' | 'no variables' | 'no phone' {
  if (index % 50 === 7) return 'no contact';
  if (index % 50 === 23) return 'no variables';
  return index % 100 === 41 ? 'no phone' : 'done';
}

/** The items of the campaign, the same in each process. */
export function campaign(count: number): readonly SendInput[] {
  return indices(count).map((index) => ({
    phone: endOf(index) === 'no phone' ? 'none' : phoneOf(index),
    templateId: 'spring',
    variables: endOf(index) === 'no variables' ? {} : { 1: 'spring' },
  }));
}
