import type { Tone } from '../reading/describe-entry.js';

/** An outcome in a word or two. */
export function Tag({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return <span class={`tag ${tone}`}>{text}</span>;
}
