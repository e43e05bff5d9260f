import { RequestError } from 'messaging-automation';

/** What tests observed: for each kind of operation and fault, how many requests arrived and what the call ended with. */
export class FaultTable {
  readonly #faults: readonly string[];
  readonly #kinds: readonly string[];
  readonly #requests = new Map<string, Set<number>>();
  readonly #outcomes = new Map<string, Set<string>>();
  readonly #observed = new Set<string>();

  constructor(kinds: readonly string[], faults: readonly string[]) {
    this.#kinds = kinds;
    this.#faults = faults;
  }

  /** How many pairs of an operation and a fault were observed. */
  get size(): number {
    return this.#observed.size;
  }

  add(kind: string, operation: string, fault: string, requests: number, failure: unknown): void {
    this.#observed.add(`${operation}, ${fault}`);
    const cell = `${kind}, ${fault}`;
    this.#requests.set(cell, (this.#requests.get(cell) ?? new Set()).add(requests));
    const outcome = failure instanceof RequestError ? failure.outcome : String(failure);
    this.#outcomes.set(fault, (this.#outcomes.get(fault) ?? new Set()).add(outcome));
  }

  /** A table of 80 columns: the faults have letters, which a legend explains. */
  toString(): string {
    const faults = this.#faults.map((fault, index) => ({
      letter: String.fromCharCode('a'.charCodeAt(0) + index),
      fault,
      outcome: [...(this.#outcomes.get(fault) ?? [])].join(' or '),
    }));
    const width = Math.max(...faults.map(({ fault }) => fault.length));
    const row = (name: string, cells: readonly string[]) =>
      `${name.padEnd(20)}${cells.map((cell) => cell.padStart(3)).join('')}`;
    return [
      'requests that arrive, two retries allowed, and the outcome of the error',
      '',
      ...faults.map(({ letter, fault, outcome }) => `${letter}  ${fault.padEnd(width)}  ${outcome}`),
      '',
      row(
        '',
        faults.map(({ letter }) => letter),
      ),
      ...this.#kinds.map((kind) =>
        row(
          kind,
          faults.map(({ fault }) => [...(this.#requests.get(`${kind}, ${fault}`) ?? [])].join('/')),
        ),
      ),
    ].join('\n');
  }
}
