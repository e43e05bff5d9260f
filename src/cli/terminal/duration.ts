import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a duration such as `30s`, in milliseconds. */
export function duration(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined)
    throw new InvalidArgumentError('It must be a duration, such as 30s, 500ms or 1m.');
  return Number(amount) * (units[unit] ?? 1);
}
