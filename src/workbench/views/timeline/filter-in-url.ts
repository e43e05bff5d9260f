import { kinds } from '../../elements/icon.js';
import { everything, type Filter } from '../../reading/filter.js';
import type { Entry } from '../../surface/entry.js';

/** The filter that the parameters of the URL say. */
export function filterIn({ kind = '', outcome, contact, text }: Readonly<Record<string, string>>): Filter {
  const named = kind.split(',');
  const found: readonly Entry['type'][] = kinds.filter((each) => named.includes(each));
  const filter: Filter = {
    kinds: found,
    outcome: outcome === 'failed' ? 'failed' : 'all',
    contact: contact ?? '',
    text: text ?? '',
  };
  return JSON.stringify(filter) === JSON.stringify(everything) ? everything : filter;
}

/** The parameters of the URL that say the filter. */
export function parametersOf({
  kinds: named,
  outcome,
  contact,
  text,
}: Filter): Readonly<Record<string, string>> {
  return { kind: named.join(','), outcome: outcome === 'failed' ? outcome : '', contact, text };
}
