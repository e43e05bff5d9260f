import { dayOf, passageBetween } from '../reading/times.js';
import { useLive } from './use-live.js';

interface PassageProperties {
  readonly at: number;
  readonly before: number | undefined;
}

/** The day above the first item of a list, and the time that passed before a later one. */
export function Passage({ at, before }: PassageProperties) {
  const live = useLive();
  const text = before === undefined ? dayOf(at, live.now.value ?? at) : passageBetween(before, at);
  return text === undefined ? null : <li class="passage">{text}</li>;
}
