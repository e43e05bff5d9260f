import type { BulkCheckpoint, SendInput } from 'messaging-automation';

/** The phone of the item at this index. */
export const phoneOf = (index: number): string => `+1555${String(1_000_000 + index)}`;

/** The index of the item that a request is for, by its phone. */
export function indexOf(init: RequestInit): number {
  const { phone }: { phone: string } = JSON.parse(String(init.body));
  return Number(phone.slice('+1555'.length)) - 1_000_000;
}

/** One send for each index. */
export function sends(count: number, templateId = 'welcome'): readonly SendInput[] {
  return indices(count).map((index) => ({ phone: phoneOf(index), templateId }));
}

/** One contact for each index. */
export const rows = (count: number) => indices(count).map((index) => ({ phone: phoneOf(index) }));

export const indices = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

export const ascending = (numbers: readonly number[]) => [...numbers].sort((one, other) => one - other);

/** The ranges that a text such as `0-4 7-7` stands for. */
export const ranges = (text: string): BulkCheckpoint['done'] =>
  text.split(' ').map((range) => {
    const [first = '', last = ''] = range.split('-');
    return [Number(first), Number(last)];
  });
