import { seen } from '../reading/foreign-text.js';

interface ForeignProperties {
  readonly text: string;
  /** The most characters that show. */
  readonly most?: number;
}

/** Text from a contact, a template or a receiver. Its direction does not reach the text around it. */
export function Foreign({ text, most }: ForeignProperties) {
  return <bdi class="foreign">{seen(text, most)}</bdi>;
}
